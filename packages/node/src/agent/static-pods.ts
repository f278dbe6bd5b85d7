/** Pods that this node runs by itself, from a folder of manifests, as a kubelet does: the API has a mirror of each. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Client,
  type Clock,
  type Informers,
  ifFound,
  isStatusError,
  type New,
  nodes,
  type Pod,
  parseYamlDocuments,
  pods,
  sleep,
} from '@signalbox/cluster';
import { mirrorAnnotation } from '../driver/mirror.ts';

export interface StaticPods {
  /** Whether a manifest of the folder is the one that this mirror stands for. */
  wants(hash: string): boolean;
  run(waiting: { readonly signal: AbortSignal }): Promise<void>;
}

export interface StaticPodsOptions {
  readonly folder: string;
  readonly nodeName: string;
  readonly client: Client;
  /** Of the node's own pods. */
  readonly own: Informers;
  readonly clock: Clock;
  readonly report: (message: string, error?: unknown) => void;
}

const sourceAnnotation = 'kubernetes.io/config.source';
const hashAnnotation = 'kubernetes.io/config.hash';
const lookEveryMs = 2_000;

/** What a folder says: by `namespace/name`. Files that cannot be read are told, and count as what they were. */
export function createStaticPods(options: StaticPodsOptions): StaticPods {
  const { clock, report, folder } = options;
  let wanted = new Map<string, Manifest>();
  /** Each trouble is told once, until it is another. */
  const told = new Map<string, string>();
  const tell = (about: string, error: unknown): void => {
    const message = error instanceof Error ? error.message : String(error);
    if (told.get(about) === message) return;
    told.set(about, message);
    report(`static pods: ${about}`, error);
  };
  return {
    wants: (hash) => [...wanted.values()].some((manifest) => manifest.hash === hash),
    async run({ signal }) {
      while (!signal.aborted) {
        try {
          wanted = await manifestsIn(folder, { nodeName: options.nodeName, before: wanted, tell });
          await mirror(wanted, { ...options, signal, tell });
          told.delete(folder);
        } catch (error) {
          if (signal.aborted) return;
          tell(folder, error);
        }
        await sleep(clock, lookEveryMs, { signal }).catch(() => undefined);
      }
    },
  };
}

interface Manifest {
  readonly file: string;
  readonly hash: string;
  readonly pod: New<Pod>;
}

interface Reading {
  readonly nodeName: string;
  readonly before: ReadonlyMap<string, Manifest>;
  readonly tell: (about: string, error: unknown) => void;
}

async function manifestsIn(folder: string, { nodeName, before, tell }: Reading): Promise<Map<string, Manifest>> {
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
  return { file, hash, pod };
}

interface Mirroring extends StaticPodsOptions {
  readonly signal: AbortSignal;
  readonly tell: (about: string, error: unknown) => void;
}

async function mirror(wanted: ReadonlyMap<string, Manifest>, options: Mirroring): Promise<void> {
  const { own, client, nodeName, signal, tell } = options;
  if (!own.has(pods)) return;
  for (const pod of own.of(pods).values()) {
    const { annotations = {}, namespace = '', name, deletionTimestamp } = pod.metadata;
    if (annotations[sourceAnnotation] !== 'file' || deletionTimestamp !== undefined) continue;
    if (wanted.get(`${namespace}/${name}`)?.hash === annotations[mirrorAnnotation]) continue;
    await ifFound(client.delete(pods, { namespace, name, signal }));
  }
  const node = own.of(nodes).get(nodeName);
  if (node === undefined) return;
  const { uid } = node.metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid, controller: true }];
  for (const [key, { pod, file }] of wanted) {
    if (own.of(pods).get(key) !== undefined) continue;
    const mirrored = { ...pod, metadata: { ...pod.metadata, ownerReferences } };
    await client.create(pods, mirrored, { signal }).catch((error: unknown) => {
      if (!isStatusError(error, 'AlreadyExists')) tell(file, error);
    });
  }
}
