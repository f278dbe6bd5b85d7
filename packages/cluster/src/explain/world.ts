import type { Node, Pod } from '../api/generated/core-v1.ts';
import * as kinds from '../api/generated/kinds.ts';
import { isSameResource, type ResourceType, resourceId } from '../api/gvk.ts';
import type { KubeObject } from '../api/meta.ts';
import { isStatusError } from '../api/status.ts';
import { assert } from '../base/assert.ts';
import type { Caches } from '../client/cache.ts';
import type { Client } from '../client/client.ts';
import { listAll } from '../client/list-all.ts';
import { createObjectCache, type ObjectCache } from '../client/object-cache.ts';
import { type SchedulerSettings, schedulerOptions } from '../scheduler/configuration/configuration.ts';
import { createJudge, type Judgement } from '../scheduler/judgement.ts';
import type { SchedulerPlugin } from '../scheduler/plugin.ts';
import { defaultProfile, type Profile } from '../scheduler/profile.ts';
import { consultsOf, readsOf } from '../scheduler/reads.ts';
import { isBeingMade } from './mounting.ts';

/** What is asked about. Nodes have no namespace. */
export interface Subject {
  readonly type: ResourceType;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Where objects come from: a cluster, or whatever has them. */
export interface ObjectSource {
  /** All objects of a resource, or those of one namespace; none where the cluster does not know it. */
  list(type: ResourceType, options: Listing): Promise<readonly KubeObject[]>;
}

export interface Listing {
  readonly namespace: string | undefined;
  /** Others do not count for the answer; it may be left out of account. */
  readonly fieldSelector?: string;
}

/** What an answer is made from. */
export interface ExplainWorld {
  readonly caches: Caches;
  readonly nowMs: number;
  readonly nodes: ReadonlyMap<string, Node>;
  /** By whose rules pods get their nodes. */
  readonly scheduling: Scheduling;
  /** What the rules of its profile say of a pod, or those of the default one. Pods that wait share one snapshot. */
  judge(pod: Pod): Judgement;
}

/** By whose rules pods get their nodes, as far as it is known. */
export interface Scheduling {
  /** `assumed`: nobody has said it, and the default profile is asked. */
  readonly basis: 'known' | 'assumed';
  readonly profiles: readonly Profile[];
  /** Plugins of the scheduler that cannot be asked from here. */
  readonly unasked: readonly string[];
}

/** What is known of a scheduler by who asks about its pods. */
export interface KnownScheduler extends SchedulerSettings {
  /** Plugins of its own that only its process has: they are named by the answer, and not asked. */
  readonly unasked?: readonly string[];
}

/** Throws a one-line Error where the configuration is wrong. */
export function schedulingBy(scheduler: KnownScheduler | undefined): Scheduling {
  if (scheduler === undefined) return { basis: 'assumed', profiles: [defaultProfile], unasked: [] };
  const { configuration, plugins = [], unasked = [] } = scheduler;
  // The configuration may name them.
  const silent = unasked.map((name): SchedulerPlugin => ({ name, wakesOn: [] }));
  const { profiles = [defaultProfile] } = schedulerOptions({ configuration, plugins: [...plugins, ...silent] });
  return { basis: 'known', profiles, unasked };
}

/** What can be asked about. */
export const explainedTypes: readonly ResourceType[] = [
  kinds.cronjobs,
  kinds.daemonsets,
  kinds.deployments,
  kinds.jobs,
  kinds.nodes,
  kinds.persistentvolumeclaims,
  kinds.pods,
  kinds.replicasets,
  kinds.replicationcontrollers,
  kinds.statefulsets,
];

/** Of the whole cluster: what the scheduler looks at, but for its pods. */
const everywhere: readonly ResourceType[] = [
  kinds.nodes,
  kinds.namespaces,
  kinds.persistentvolumes,
  kinds.storageclasses,
  kinds.csidrivers,
  kinds.csinodes,
  kinds.volumeattachments,
  kinds.persistentvolumeclaims,
  kinds.poddisruptionbudgets,
];

/** Of the namespace of what is asked about, and of it the warnings that were told. */
const nearby: readonly ResourceType[] = [
  kinds.controllerrevisions,
  kinds.cronjobs,
  kinds.daemonsets,
  kinds.deployments,
  kinds.jobs,
  kinds.pods,
  kinds.replicasets,
  kinds.replicationcontrollers,
  kinds.services,
  kinds.statefulsets,
];

export interface ReadOptions {
  readonly source: ObjectSource;
  readonly nowMs: number;
  /** By which rules the cluster's scheduler decides. Undefined: nobody knows, and its default ones are assumed. */
  readonly scheduler?: KnownScheduler | undefined;
  /** The node that is asked about: whatever takes room there counts. */
  readonly node?: string | undefined;
}

/** Lists what an answer needs. Nothing is written. */
export async function readWorld(
  subject: Subject,
  { source, nowMs, scheduler, node }: ReadOptions,
): Promise<ExplainWorld> {
  const scheduling = schedulingBy(scheduler);
  const read = async ({ type, ...listing }: Place): Promise<Read> => ({
    type,
    objects: await source.list(type, listing),
  });
  const first = await Promise.all([...placesOf(subject), ...readsBesides(scheduling)].map(read));
  const near = (first.find(({ type }) => isSameResource(type, kinds.pods))?.objects ?? []) as readonly Pod[];
  const further = [othersFor(subject, { near, node }), mountsFor(subject, near), refusalsFor(subject)].filter(
    (place) => place !== undefined,
  );
  return worldOf([...first, ...(await Promise.all(further.map(read)))], nowMs, { scheduling });
}

/** What plugins of somebody's own look at that nobody else does. */
function readsBesides({ profiles }: Scheduling): readonly Place[] {
  return pluginReads(profiles)
    .filter((type) => !known.has(resourceId(type)))
    .map((type) => ({ type, namespace: undefined }));
}

function pluginReads(profiles: readonly Profile[]): readonly ResourceType[] {
  const plugins = profiles.flatMap((profile) => profile.plugins);
  return [...new Map([...readsOf(plugins), ...consultsOf(plugins)].map((type) => [resourceId(type), type])).values()];
}

type Place = { readonly type: ResourceType } & Listing;

interface Read {
  readonly type: ResourceType;
  readonly objects: readonly KubeObject[];
}

function placesOf({ namespace, name }: Subject): readonly Place[] {
  const whole = everywhere.map((type) => ({ type, namespace: undefined }));
  // Of a node its own pods are enough, and those for which it is being cleared.
  if (namespace === undefined) {
    const fields = ['spec.nodeName', 'status.nominatedNodeName'];
    return [...whole, ...fields.map((field) => ({ type: kinds.pods, namespace, fieldSelector: `${field}=${name}` }))];
  }
  const told = { type: kinds.events, namespace, fieldSelector: `involvedObject.name=${name},type=Warning` };
  return [...whole, told, ...nearby.map((type) => ({ type, namespace }))];
}

/**
 * Only a pod that waits for a node, or is asked about with another one than its own, is judged by the scheduler's rules, for which
 * whatever takes room counts. Else the pods of other namespaces say nothing, and on a large cluster listing them takes most of the time.
 */
function othersFor(
  { type, namespace, name }: Subject,
  { near, node }: { readonly near: readonly Pod[]; readonly node: string | undefined },
): Place | undefined {
  const isAway = ({ metadata, spec }: Pod): boolean => metadata.name === name && spec.nodeName !== node;
  const waits =
    near.some(({ spec }) => (spec.nodeName ?? '') === '') ||
    (node !== undefined && isSameResource(type, kinds.pods) && near.some(isAway));
  if (namespace === undefined || !waits) return undefined;
  const fieldSelector = `metadata.namespace!=${namespace},status.phase!=Succeeded,status.phase!=Failed`;
  return { type: kinds.pods, namespace: undefined, fieldSelector };
}

/** Which volumes the node of a pod cannot mount stands in events alone. All those of a pod that is asked about itself are there. */
function mountsFor({ type, namespace }: Subject, near: readonly Pod[]): Place | undefined {
  if (namespace === undefined || isSameResource(type, kinds.pods) || !near.some(isBeingMade)) return undefined;
  return { type: kinds.events, namespace, fieldSelector: 'reason=FailedMount,type=Warning' };
}

/** Why the Jobs of a CronJob have no pods is told of them. */
function refusalsFor({ type, namespace }: Subject): Place | undefined {
  if (namespace === undefined || !isSameResource(type, kinds.cronjobs)) return undefined;
  return { type: kinds.events, namespace, fieldSelector: 'reason=FailedCreate,type=Warning' };
}

const known: ReadonlySet<string> = new Set([...everywhere, ...nearby, kinds.events].map(resourceId));

export function worldOf(
  lists: readonly Read[],
  nowMs: number,
  { scheduling = schedulingBy(undefined) }: { readonly scheduling?: Scheduling } = {},
): ExplainWorld {
  const filled = new Map<string, ObjectCache<KubeObject>>();
  const cacheOf = <T extends KubeObject>(type: ResourceType<T>): ObjectCache<T> => {
    const known = filled.get(resourceId(type)) ?? createObjectCache<KubeObject>(type as ResourceType);
    filled.set(resourceId(type), known);
    return known as unknown as ObjectCache<T>;
  };
  for (const { type, objects } of lists) {
    const cache = cacheOf(type);
    for (const object of objects) cache.put(object);
  }
  const declared = new Set([...known, ...pluginReads(scheduling.profiles).map(resourceId)]);
  const caches: Caches = {
    of: (type) => {
      assert(declared.has(resourceId(type)), 'what explains names what it reads', { resource: type.resource });
      return cacheOf(type);
    },
  };
  const nodes = new Map([...cacheOf(kinds.nodes).values()].map((node) => [node.metadata.name, node]));
  const { profiles } = scheduling;
  const judge = createJudge({ nodes: [...nodes.values()], pods: [...cacheOf(kinds.pods).values()], caches, profiles });
  return { caches, nowMs, nodes, scheduling, judge };
}

/** Asks a cluster. */
export function sourceOf(client: Client, { signal }: { readonly signal: AbortSignal }): ObjectSource {
  return {
    list: (type, listing) =>
      listAll(client, type, { signal, ...listing }).catch((error: unknown) => {
        if (isStatusError(error, 'NotFound')) return [];
        throw error;
      }),
  };
}
