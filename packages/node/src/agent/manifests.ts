/** Manifests of static pods: what a folder says. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkedPod, type New, type Pod, parseYamlDocuments } from '@signalbox/cluster';
import { mirrorAnnotation } from '../driver/mirror.ts';

export interface Manifest {
  readonly file: string;
  /** Another one when anything of it is another; the pod runs under it as its uid. */
  readonly hash: string;
  readonly pod: Pod;
}

export interface Reading {
  readonly nodeName: string;
  readonly before: ReadonlyMap<string, Manifest>;
  readonly tell: (about: string, error: unknown) => void;
}

export const sourceAnnotation = 'kubernetes.io/config.source';
const hashAnnotation = 'kubernetes.io/config.hash';

/** By `namespace/name`. Files that cannot be read are told, and count as what they were. */
export async function manifestsIn(
  folder: string,
  { nodeName, before, tell }: Reading,
): Promise<ReadonlyMap<string, Manifest>> {
  const files = (await readdir(folder)).filter((name) => /\.(ya?ml|json)$/.test(name) && !name.startsWith('.')).sort();
  const found = new Map<string, Manifest>();
  for (const name of files) {
    const file = join(folder, name);
    try {
      for (const { value } of parseYamlDocuments(await readFile(file, 'utf8'), { source: file })) {
        const manifest = manifestOf(value, { file, nodeName });
        const key = `${manifest.pod.metadata.namespace}/${manifest.pod.metadata.name}`;
        const other = found.get(key);
        if (other !== undefined && other.file !== file) throw new Error(`${other.file} has a pod ${key} already`);
        found.set(key, manifest);
      }
    } catch (error) {
      tell(file, error);
      // A file that is just being written, say, does not end what runs.
      for (const [key, manifest] of before) if (manifest.file === file && !found.has(key)) found.set(key, manifest);
    }
  }
  return found;
}

/** Throws what is wrong with it. */
export function manifestOf(
  value: unknown,
  { file, nodeName }: { readonly file: string; readonly nodeName: string },
): Manifest {
  const { apiVersion, kind, metadata, spec } = (value ?? {}) as Partial<Pod>;
  if (apiVersion !== 'v1' || kind !== 'Pod') throw new Error('it is no Pod of v1; static pods are nothing else');
  if (metadata?.name === undefined || spec === undefined) throw new Error('a Pod needs metadata.name and spec');
  const { namespace = 'default', labels, annotations } = metadata;
  const hash = createHash('sha256')
    .update(JSON.stringify([nodeName, value]))
    .digest('hex')
    .slice(0, 32);
  const tolerations = [...(spec.tolerations ?? []), { operator: 'Exists', effect: 'NoExecute' }];
  const pod: New<Pod> = {
    apiVersion,
    kind,
    metadata: {
      name: `${metadata.name}-${nodeName}`,
      namespace,
      ...(labels !== undefined && { labels }),
      annotations: { ...annotations, [mirrorAnnotation]: hash, [hashAnnotation]: hash, [sourceAnnotation]: 'file' },
    },
    spec: { ...spec, nodeName, tolerations },
  };
  return { file, hash, pod: checkedPod(pod) };
}
