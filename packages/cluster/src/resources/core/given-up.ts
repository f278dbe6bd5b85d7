import type { PersistentVolumeClaimSpec } from '../../api/generated/core-v1.ts';
import { canonicalQuantity, parseQuantity } from '../../api/quantity.ts';

/** Sources of volumes that Kubernetes has given up. */
const ended: { readonly [source: string]: string } = {
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
};

/** Warns of a volume's source that does nothing any more. `path` is where the sources stand. */
export function* endedSourceWarnings(sources: object, path: string): Iterable<string> {
  for (const source in sources) {
    const since = Object.hasOwn(ended, source) ? ended[source] : undefined;
    if (since !== undefined && sources[source as keyof object] !== undefined)
      yield `${path}.${source === 'storageos' ? 'storageOS' : source}: ${since}`;
  }
}

const milli = 1_000_000n;

/** Warns of a claim that asks for a part of a byte. */
export function* claimSpecWarnings(
  spec: Partial<PersistentVolumeClaimSpec> | undefined,
  path: string,
): Iterable<string> {
  for (const list of ['requests', 'limits'] as const) {
    const size = spec?.resources?.[list]?.['storage'];
    if (size === undefined || !hasFraction(size)) continue;
    yield `${path}.resources.${list}[storage]: fractional byte value ${JSON.stringify(canonicalQuantity(size) ?? size)} is invalid, must be an integer`;
  }
}

/** Of what is less than a thousandth nobody takes notice. */
function hasFraction(size: string): boolean {
  const nano = parseQuantity(size);
  return nano !== undefined && ((nano + milli - 1n) / milli) % 1000n !== 0n;
}
