import {
  type Caches,
  type Informers,
  type KubeObject,
  type Pod,
  parseQuantity,
  pods,
  type ResourceType,
} from '@signalbox/cluster';
import { grafanaagents } from '../resources/grafana-agent.ts';
import { shardsAsked } from '../resources/min-shards.ts';
import { prometheuses } from '../resources/prometheus.ts';
import { prometheusagents } from '../resources/prometheus-agent.ts';

/**
 * What simulated agents are said to do, in place of asking them: `prometheus_agent_samples_appended_total=120k`, rates a
 * second as quantities. On a pod it is the pod's own; on a root all of its shards share it, every replica its shard's part.
 */
export const loadAnnotation = 'signalbox.dev/load';

/** The caches of a process, and whose there are. */
export type FollowedCaches = Caches & Pick<Informers, 'has'>;

/** What `metric` is said to be for this pod; undefined when nothing is. */
export function writtenLoad(pod: Pod, metric: string, caches: FollowedCaches): number | undefined {
  const own = loadOn(pod, metric);
  if (own !== undefined) return own;
  const place = placeOf(pod);
  const root =
    place && caches.has(place.type) ? caches.of(place.type).get(`${pod.metadata.namespace}/${place.root}`) : undefined;
  const whole = root === undefined ? undefined : loadOn(root, metric);
  if (place === undefined || root === undefined || whole === undefined) return undefined;
  const sharing = new Set<number>();
  for (const other of caches.of(pods).inNamespace(pod.metadata.namespace ?? '')) {
    const { type, root: name, shard } = placeOf(other) ?? {};
    if (type === place.type && name === place.root && shard !== undefined && isAt(root, shard) && isReady(other))
      sharing.add(shard);
  }
  // A shard that is kept for its data alone takes nothing in.
  return sharing.has(place.shard) ? whole / sharing.size : 0;
}

function loadOn({ metadata }: KubeObject, metric: string): number | undefined {
  const text = metadata.annotations?.[loadAnnotation];
  if (text === undefined) return undefined;
  for (const part of text.split(',')) {
    const [name = '', amount = ''] = part.split('=', 2).map((word) => word.trim());
    const nano = name === metric ? parseQuantity(amount) : undefined;
    if (nano !== undefined) return Number(nano) / 1e9;
  }
  return undefined;
}

interface PlaceInRoot {
  readonly type: ResourceType;
  readonly root: string;
  readonly shard: number;
}

const rootTypes: ReadonlyMap<string, ResourceType> = new Map<string, ResourceType>([
  ['prometheus', prometheuses],
  ['prometheus-agent', prometheusagents],
  ['grafana-agent', grafanaagents],
]);

/** All kinds of roots that share a load. */
export const loadedTypes: readonly ResourceType[] = [...rootTypes.values()];

function placeOf({ metadata: { labels = {} } }: Pod): PlaceInRoot | undefined {
  const type = rootTypes.get(labels['app.kubernetes.io/name'] ?? '');
  const prefix = type === grafanaagents ? 'operator.agent.grafana.com' : 'operator.prometheus.io';
  const root = labels[`${prefix}/name`];
  const shard = Number(labels[`${prefix}/shard`] ?? Number.NaN);
  return type === undefined || root === undefined || !Number.isInteger(shard) ? undefined : { type, root, shard };
}

function isAt(root: KubeObject, shard: number): boolean {
  const { spec = {} } = root as KubeObject & {
    readonly spec?: { readonly shards?: number; readonly metrics?: { readonly shards?: number } };
  };
  return shard < shardsAsked(root, spec.shards ?? spec.metrics?.shards);
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
}
