/** What a program must be able to do, and how that is seen. */
import { gunzipSync } from 'node:zlib';
import type { VolumeContent } from '../protocol/volume.ts';

/** What programs may lack although they have the right name. */
export type Ability = 'kubernetes discovery';

const configBytesMax = 16 << 20;

/** What the configurations ask of whoever reads them. */
export function abilitiesNeeded(volumes: readonly VolumeContent[]): readonly Ability[] {
  const files = volumes.flatMap((each) => (each.is === 'files' ? each.files : []));
  return files.some(({ path, base64 }) => textOf(path, base64).includes('kubernetes_sd_configs:'))
    ? ['kubernetes discovery']
    : [];
}

function textOf(path: string, base64: string): string {
  if (!/\.(ya?ml|json)(\.gz)?$/.test(path)) return '';
  const bytes = Buffer.from(base64, 'base64');
  if (!path.endsWith('.gz')) return bytes.toString('utf8');
  try {
    return gunzipSync(bytes, { maxOutputLength: configBytesMax }).toString('utf8');
  } catch {
    // Whoever reads it will say so.
    return '';
  }
}

/** What of this to look for in the program's file. Names of packages stay in a Go program even when it is stripped. */
export const abilityMarks: readonly string[] = [
  'prometheus/prometheus/discovery/targetgroup',
  'prometheus/prometheus/discovery/kubernetes',
  'prometheus/discovery/targetgroup',
  'prometheus/discovery/kubernetes',
];

/** What a program cannot do, by the marks that are in its file. One that is no Prometheus is not judged. */
export function abilitiesLacking(found: ReadonlySet<string>): readonly Ability[] {
  const isPrometheus = [...found].some((mark) => mark.endsWith('targetgroup'));
  return isPrometheus && ![...found].some((mark) => mark.endsWith('kubernetes')) ? ['kubernetes discovery'] : [];
}
