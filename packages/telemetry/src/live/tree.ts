import {
  controllerOf,
  cronjobs,
  daemonsets,
  deployments,
  horizontalpodautoscalers,
  jobs,
  type KubeObject,
  type Pod,
  pods,
  type ResourceType,
  replicasets,
  splitKey,
  statefulsets,
} from '@signalbox/cluster';
import { type Load, loadOf } from '../explain/load.ts';
import type { Desired, RootComponent } from '../operator/component.ts';
import type { Condition } from '../resources/condition.ts';
import type { TreeNode } from '../tree/tree.ts';
import { isWorkload, podProblem, progressOf, type Workload } from '../world/workload.ts';
import type { World } from '../world/world.ts';

/** A hierarchy with what is running at this moment: roots, instances, monitors, workloads, pods. */
export interface LiveNode {
  readonly kind: string;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly name: string;
  /** `unknown`: nobody says how it is. */
  readonly state: 'ready' | 'waiting' | 'failed' | 'unknown';
  /** Short remarks: `2 of 2 ready`, `node-1`. */
  readonly notes: readonly string[];
  /** What it waits for and what is wrong, one line each. */
  readonly problems: readonly string[];
  readonly conditions: readonly LiveCondition[];
  readonly children: readonly LiveNode[];
}

export type LiveCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** What a live tree is made from, besides what the components read. */
export const liveTypes: readonly ResourceType[] = [
  pods,
  replicasets,
  daemonsets,
  deployments,
  statefulsets,
  horizontalpodautoscalers,
  jobs,
  cronjobs,
];

export interface LiveOptions {
  readonly components: readonly RootComponent[];
  readonly nowMs: number;
  /** Counts the targets of monitors and shards: the world has to hold what discovery looks at. */
  readonly withTargets?: boolean;
}

/** The tree of every root in the world, but those of other operators. Pure. */
export function liveTrees(world: World, { components, nowMs, withTargets = false }: LiveOptions): readonly LiveNode[] {
  return components.flatMap((component) =>
    world
      .list(component.rootType)
      .filter((root) => component.foreignBecause?.(root) === undefined)
      .map((root) => {
        const desired = component.build(root, world, { nowMs });
        const load = withTargets ? loadOf(root, desired, world) : undefined;
        return rootNode(root, liveNode(desired.tree(), { world, targets: targetNotes(desired, load) }));
      }),
  );
}

/** A workload and its pods. */
export function liveWorkload(workload: Workload, world: World): LiveNode {
  const { ready, wanted, waitsFor } = progressOf(workload);
  const children = podsOf(workload, world).map(podNode);
  return {
    ...placeOf(workload),
    state: waitsFor === '' ? 'ready' : 'waiting',
    notes: [`${ready} of ${wanted} ready`],
    problems: waitsFor === '' ? [] : [waitsFor],
    conditions: [],
    children,
  };
}

/** The pods that a workload controls, those of a Deployment through its ReplicaSets. */
export function podsOf(workload: Workload, world: World): readonly Pod[] {
  const { uid } = workload.metadata;
  const owners = workload.kind === 'Deployment' ? world.owned(replicasets, uid).map((set) => set.metadata.uid) : [uid];
  return owners.flatMap((owner) => world.owned(pods, owner).filter((pod) => controllerOf(pod)?.uid === owner));
}

/** What stands beside monitors and StatefulSets, by kind and key. */
type TargetNotes = ReadonlyMap<string, string>;

function targetNotes({ objects }: Desired, load: Load | undefined): TargetNotes {
  if (load === undefined) return new Map();
  const sets = objects.filter(({ kind }) => kind === 'StatefulSet');
  return new Map([
    ...[...load.ofMonitors].map(([id, count]) => [id, countOf(count)] as const),
    ...sets.map(
      ({ metadata }, shard) =>
        [`StatefulSet ${metadata.namespace}/${metadata.name}`, countOf(load.ofShards[shard] ?? 0)] as const,
    ),
  ]);
}

function countOf(targets: number): string {
  return targets === 0 ? 'no targets' : `${targets} ${targets === 1 ? 'target' : 'targets'}`;
}

interface Around {
  readonly world: World;
  readonly targets: TargetNotes;
}

function liveNode(node: TreeNode, { world, targets }: Around): LiveNode {
  const target = targets.get(`${node.kind} ${node.key}`);
  const counted = target === undefined ? [] : [target];
  const workload = liveObject(node, world);
  if (workload !== undefined) {
    const live = liveWorkload(workload, world);
    const notes = [...live.notes, ...counted, ...(node.remarks ?? [])];
    return { ...live, notes, problems: [...(node.problems ?? []), ...live.problems] };
  }
  const problems = node.problems ?? [];
  return {
    ...placeOfKey(node),
    state: stateOf(node),
    notes: [...(node.notes ?? []), ...counted],
    problems: workloadTypes[node.kind] === undefined ? problems : [...problems, 'it does not exist yet'],
    conditions: [],
    children: (node.children ?? []).map((child) => liveNode(child, { world, targets })),
  };
}

function stateOf({ kind, problems = [] }: TreeNode): LiveNode['state'] {
  if (problems.some((problem) => problem.startsWith('error'))) return 'failed';
  return workloadTypes[kind] === undefined ? 'unknown' : 'waiting';
}

const workloadTypes: Readonly<Record<string, ResourceType>> = {
  DaemonSet: daemonsets,
  Deployment: deployments,
  StatefulSet: statefulsets,
};

function liveObject({ kind, key }: TreeNode, world: World): Workload | undefined {
  const type = workloadTypes[kind];
  const object = type === undefined ? undefined : world.get(type, key);
  return object !== undefined && isWorkload(object) ? object : undefined;
}

function rootNode(root: KubeObject, node: LiveNode): LiveNode {
  const { conditions = [] } =
    (root as { readonly status?: { readonly conditions?: readonly Condition[] } }).status ?? {};
  const told = conditions.map(({ type, status, reason, message }) => ({ type, status, reason, message }));
  return { ...node, conditions: told, state: rootState(told, node) };
}

/** A definition without a status, as upstream publishes some, leaves only what the tree itself knows. */
function rootState(conditions: readonly LiveCondition[], { state, children }: LiveNode): LiveNode['state'] {
  const untrue = conditions.filter(({ status }) => status !== 'True');
  if (state === 'failed' || untrue.some(({ type }) => type === 'Reconciled')) return 'failed';
  if (untrue.length > 0 || children.some((child) => child.state === 'waiting')) return 'waiting';
  return conditions.length > 0 ? 'ready' : 'unknown';
}

export function podNode(pod: Pod): LiveNode {
  const problem = podProblem(pod);
  const { nodeName } = pod.spec;
  return {
    ...placeOf(pod),
    state: problem === undefined ? 'ready' : 'waiting',
    notes: [...(nodeName === undefined ? [] : [nodeName]), pod.status?.phase ?? 'Pending'],
    problems: problem === undefined ? [] : [problem],
    conditions: (pod.status?.conditions ?? []).map(({ type, status, reason = '', message = '' }) => ({
      type,
      status,
      reason,
      message,
    })),
    children: [],
  };
}

export function placeOf({ kind, metadata }: KubeObject): Pick<LiveNode, 'kind' | 'namespace' | 'name'> {
  const { namespace, name } = metadata;
  return { kind, ...(namespace !== undefined && { namespace }), name };
}

function placeOfKey({ kind, key }: TreeNode): Pick<LiveNode, 'kind' | 'namespace' | 'name'> {
  const { namespace, name } = splitKey(key);
  return { kind, ...(namespace !== undefined && { namespace }), name };
}
