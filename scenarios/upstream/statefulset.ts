import {
  type ControllerRevision,
  controllerrevisions,
  type Pod,
  type PodSpec,
  pods,
  type StatefulSet,
  statefulsets,
} from '@signalbox/cluster';
import { namespace, type Stage } from './stage.ts';

export const name = 'web';
export const at: { readonly namespace: string; readonly name: string } = { namespace, name };
export const container: { readonly name: string; readonly image: string } = { name: 'app', image: 'example/app:1' };
export const brokenImage = 'registry.invalid/none:1';
const revisionLabel = 'controller-revision-hash';

type Spec = StatefulSet['spec'];

export interface Parts {
  readonly replicas?: number;
  readonly set?: Partial<Spec>;
  readonly pod?: Partial<PodSpec>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** How many claims each pod has: `data-0`, `data-1`, … */
  readonly claims?: number;
  /** How long to wait afterwards. */
  readonly seconds?: number;
}

/** Makes the set of a row, and lets it come up. */
export async function create({ client, advance }: Stage, parts: Parts = {}): Promise<StatefulSet> {
  const { replicas = 3, set = {}, pod = {}, annotations = {}, claims = 0, seconds = 20 } = parts;
  const labels = { app: name };
  const volumeClaimTemplates = Array.from({ length: claims }, (_, index) => ({
    apiVersion: 'v1' as const,
    kind: 'PersistentVolumeClaim' as const,
    metadata: { name: `data-${index}` },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }));
  const created = await client.create(statefulsets, {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { ...at, labels },
    spec: {
      replicas,
      serviceName: name,
      selector: { matchLabels: labels },
      ...(claims > 0 && { volumeClaimTemplates: volumeClaimTemplates as never }),
      template: { metadata: { labels, annotations }, spec: { containers: [container], ...pod } },
      ...set,
    },
  });
  await advance(seconds * 1_000);
  return created;
}

export const read = ({ client }: Stage): Promise<StatefulSet> => client.get(statefulsets, at);

export async function change({ client }: Stage, spec: object): Promise<void> {
  await client.patch(statefulsets, { ...at, patchType: 'strategic', body: { spec } });
}

export const setImage = (stage: Stage, image: string): Promise<void> =>
  change(stage, { template: { spec: { containers: [{ name: container.name, image }] } } });

export async function setReady({ client }: Stage, ordinal: number, readyAfter: string | null): Promise<void> {
  const body = { metadata: { annotations: { 'signalbox.dev/ready-after': readyAfter } } };
  await client.patch(pods, { namespace, name: `${name}-${ordinal}`, patchType: 'merge', body });
}

export async function removePod({ client }: Stage, ordinal: number): Promise<void> {
  await client.delete(pods, { namespace, name: `${name}-${ordinal}` });
}

export const revisionOf = ({ metadata }: Pod): string => metadata.labels?.[revisionLabel] ?? '';

/** `web-0 example/app:1`, in the order of their names. */
export async function imagesByPod(stage: Stage): Promise<readonly string[]> {
  const found = await stage.podsOf(name);
  return found.map(({ metadata, spec }) => `${metadata.name} ${spec.containers[0]?.image}`).sort();
}

export async function revisionsOf({ client }: Stage): Promise<readonly ControllerRevision[]> {
  const { items } = await client.list(controllerrevisions, { namespace, labelSelector: `app=${name}` });
  return [...items].sort((a, b) => a.revision - b.revision);
}

/** What happens to pods, in order: `+web-0` is made, `-web-0` is told to go. */
export function follow({ platform }: Stage): { readonly told: string[]; stop(): void } {
  const told: string[] = [];
  const going = new Set<string>();
  const stop = platform.informers.listen(pods, ({ type, object, previous }) => {
    const { name: pod, uid, deletionTimestamp } = object.metadata;
    if (type === 'added') told.push(`+${pod}`);
    const goes = type === 'deleted' || (deletionTimestamp !== undefined && previous !== undefined);
    if (!goes || going.has(uid)) return;
    going.add(uid);
    told.push(`-${pod}`);
  });
  told.length = 0;
  return { told, stop };
}
