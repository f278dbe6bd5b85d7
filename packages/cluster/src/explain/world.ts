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
import { createJudge, type Judgement } from '../scheduler/judgement.ts';

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
  /** What the scheduler's rules say of a pod. Pods that wait share one snapshot. */
  judge(pod: Pod): Judgement;
}

/** What can be asked about. */
export const explainedTypes: readonly ResourceType[] = [
  kinds.daemonsets,
  kinds.deployments,
  kinds.jobs,
  kinds.nodes,
  kinds.pods,
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
  kinds.daemonsets,
  kinds.deployments,
  kinds.jobs,
  kinds.pods,
  kinds.replicasets,
  kinds.replicationcontrollers,
  kinds.services,
  kinds.statefulsets,
];

/** Lists what an answer needs. Nothing is written. */
export async function readWorld(
  subject: Subject,
  { source, nowMs }: { readonly source: ObjectSource; readonly nowMs: number },
): Promise<ExplainWorld> {
  const read = async ({ type, ...listing }: Place): Promise<Read> => ({
    type,
    objects: await source.list(type, listing),
  });
  const first = await Promise.all(placesOf(subject).map(read));
  const others = othersFor(subject, first);
  return worldOf([...first, ...(others === undefined ? [] : [await read(others)])], nowMs);
}

type Place = { readonly type: ResourceType } & Listing;

interface Read {
  readonly type: ResourceType;
  readonly objects: readonly KubeObject[];
}

function placesOf({ namespace, name }: Subject): readonly Place[] {
  const whole = everywhere.map((type) => ({ type, namespace: undefined }));
  // Of a node its own pods are enough.
  if (namespace === undefined)
    return [...whole, { type: kinds.pods, namespace, fieldSelector: `spec.nodeName=${name}` }];
  const told = { type: kinds.events, namespace, fieldSelector: `involvedObject.name=${name},type=Warning` };
  return [...whole, told, ...nearby.map((type) => ({ type, namespace }))];
}

/**
 * Only a pod that waits for a node is judged by the scheduler's rules, for which whatever takes room counts. Else the
 * pods of other namespaces say nothing, and on a large cluster listing them takes most of the time.
 */
function othersFor({ namespace }: Subject, read: readonly Read[]): Place | undefined {
  const near = read.find(({ type }) => isSameResource(type, kinds.pods))?.objects ?? [];
  const waits = near.some((pod) => ((pod as Pod).spec.nodeName ?? '') === '');
  if (namespace === undefined || !waits) return undefined;
  const fieldSelector = `metadata.namespace!=${namespace},status.phase!=Succeeded,status.phase!=Failed`;
  return { type: kinds.pods, namespace: undefined, fieldSelector };
}

export function worldOf(lists: readonly Read[], nowMs: number): ExplainWorld {
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
  const declared = new Set([...everywhere, ...nearby, kinds.events].map(resourceId));
  const caches: Caches = {
    of: (type) => {
      assert(declared.has(resourceId(type)), 'what explains names what it reads', { resource: type.resource });
      return cacheOf(type);
    },
  };
  const nodes = new Map([...cacheOf(kinds.nodes).values()].map((node) => [node.metadata.name, node]));
  const judge = createJudge({ nodes: nodes.values(), pods: [...cacheOf(kinds.pods).values()], caches });
  return { caches, nowMs, nodes, judge };
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
