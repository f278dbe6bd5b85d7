/** Files made of ConfigMaps, Secrets, fields and tokens. A text in their place says what is missing. */
import type {
  ConfigMapVolumeSource,
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  KeyToPath,
  Pod,
  Volume,
  VolumeProjection,
} from '@signalbox/cluster';
import type { VolumeFile } from '../protocol/volume.ts';
import { type PodAround, tokenKey } from './around.ts';
import { containerOf } from './env.ts';
import { metadataField } from './fields.ts';
import { resourceField } from './resources.ts';

export type Files = readonly VolumeFile[] | string;

const modeDefault = 0o644;

interface KeyedSource {
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
  readonly defaultMode?: number;
}

export function configMapFiles(source: ConfigMapVolumeSource, { configMaps }: PodAround): Files {
  const { name = '' } = source;
  const found = configMaps.get(name);
  if (found === undefined) return source.optional === true ? [] : `configmap "${name}" not found`;
  const data = new Map(Object.entries(found.data ?? {}).map(([key, text]) => [key, base64(text)]));
  for (const [key, bytes] of Object.entries(found.binaryData ?? {})) data.set(key, bytes);
  return keyedFiles(source, data, 'configmap references non-existent config key');
}

export function secretFiles(source: KeyedSource, { secrets }: PodAround): Files {
  const { name = '' } = source;
  const found = secrets.get(name);
  if (found === undefined) return source.optional === true ? [] : `secret "${name}" not found`;
  return keyedFiles(source, new Map(Object.entries(found.data ?? {})), 'references non-existent secret key');
}

function keyedFiles(
  { items = [], optional = false, defaultMode = modeDefault }: KeyedSource,
  data: ReadonlyMap<string, string>,
  lacking: string,
): Files {
  if (items.length === 0) return [...data].map(([path, bytes]) => ({ path, base64: bytes, mode: defaultMode }));
  const files: VolumeFile[] = [];
  for (const { key, path, mode = defaultMode } of items) {
    const bytes = data.get(key);
    if (bytes !== undefined) files.push({ path, base64: bytes, mode });
    else if (!optional) return `${lacking}: ${key}`;
  }
  return files;
}

interface Of {
  readonly pod: Pod;
  readonly around: PodAround;
}

export function downwardFiles({ items = [], defaultMode = modeDefault }: DownwardAPIVolumeSource, of: Of): Files {
  const files: VolumeFile[] = [];
  for (const item of items) {
    const text = downwardText(item, of);
    if (!text.ok) return text.why;
    files.push({ path: item.path, base64: base64(text.text), mode: item.mode ?? defaultMode });
  }
  return files;
}

type Text = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

function downwardText({ fieldRef, resourceFieldRef }: DownwardAPIVolumeFile, { pod, around }: Of): Text {
  if (fieldRef !== undefined) {
    const field = metadataField(pod, fieldRef.fieldPath);
    return field.ok ? { ok: true, text: field.value } : { ok: false, why: field.message };
  }
  if (resourceFieldRef === undefined) return { ok: true, text: '' };
  const { containerName = '' } = resourceFieldRef;
  const container = containerOf(pod, containerName);
  if (container === undefined) return { ok: false, why: `container ${containerName} not found` };
  const field = resourceField(resourceFieldRef, container, around.node);
  return field.ok ? { ok: true, text: field.value } : { ok: false, why: field.message };
}

interface ProjectedOf extends Of {
  /** Whom tokens belong to; undefined: the containers have none in common. */
  readonly user: number | undefined;
}

/** Of the same path the last one counts. */
export function projectedFiles(volume: Volume, of: ProjectedOf): Files {
  const { sources = [], defaultMode = modeDefault } = volume.projected ?? {};
  const files = new Map<string, VolumeFile>();
  for (const source of sources) {
    const found = sourceFiles(source, { ...of, volume: volume.name, defaultMode });
    if (typeof found === 'string') return found;
    for (const file of found) files.set(file.path, file);
  }
  return [...files.values()];
}

interface SourceOf extends ProjectedOf {
  readonly volume: string;
  readonly defaultMode: number;
}

function sourceFiles(source: VolumeProjection, of: SourceOf): Files {
  const { around, defaultMode, volume } = of;
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  if (configMap !== undefined) return configMapFiles({ ...configMap, defaultMode }, around);
  if (secret !== undefined) return secretFiles({ ...secret, defaultMode }, around);
  if (downwardAPI !== undefined) return downwardFiles({ ...downwardAPI, defaultMode }, of);
  if (serviceAccountToken !== undefined) {
    const { path } = serviceAccountToken;
    const token = around.tokens.get(tokenKey(volume, path));
    if (token === undefined) return `failed to fetch token: no token for ${path} yet`;
    return [{ path, base64: base64(token), ...tokenRights(of) }];
  }
  const type = Object.keys(source)[0] ?? 'none';
  return `projected sources of type ${type} are not offered by this node`;
}

/** A token is for the user of the pod alone, where there is one; its group may read it too where the volume has one. */
function tokenRights({ user, pod, defaultMode }: SourceOf): Pick<VolumeFile, 'mode' | 'owner'> {
  const hasGroup = pod.spec.securityContext?.fsGroup !== undefined;
  if (user === undefined && !hasGroup) return { mode: defaultMode };
  return { mode: 0o400, ...(user === undefined ? {} : { owner: user }) };
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
