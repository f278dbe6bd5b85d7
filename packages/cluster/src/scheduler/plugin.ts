import type { ResourceType } from '../api/gvk.ts';
import type { Step } from './cycle.ts';
import type { Detail } from './detail.ts';
import type { Groundwork } from './groundwork.ts';
import type { NodeView } from './node-view.ts';
import type { PodView } from './pod-view.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * One rule of placement, as a value. Absent members mean "no opinion". Plugins are pure: they read views, they never
 * write. What one of them wants to work out once per pod it returns from `prepare`; `filter` and `score` get it back.
 */
export interface SchedulerPlugin<State extends PluginState | undefined = PluginState | undefined> {
  readonly name: string;
  /**
   * `demands`: where `prepare` gives no state, `filter` goes by the node and by what `demandsOf` has of the pod alone, and so
   * does `score`. Then it is remembered for pods that are alike, until the node changes: what is said of one of its pods in the
   * status, but for when it began, is no such change.
   */
  readonly looksAt?: 'demands';
  /** Resources besides nodes and pods that `prepare` asks the snapshot for. Their changes wake whom this plugin rejected. */
  readonly reads?: readonly ResourceType[];
  /** Resources that it asks for as well, whose changes wake nobody. */
  readonly consults?: readonly ResourceType[];
  /** Changes in the cluster that could turn a rejection of this plugin into an acceptance. */
  readonly wakesOn: readonly PlacementEvent[];
  /** Whether a change on which the plugin wakes could help this pod. Without it every one could. */
  helps?(pod: PodView, change: Change): boolean;
  /** Where they have to happen for a pod that is pinned to nodes: on one of these (the default), or anywhere. */
  readonly wakesFrom?: 'pinnedNodes' | 'anywhere';
  /** Runs once per pod and cycle. May narrow the nodes down, or reject the pod for all of them. */
  prepare?(pod: PodView, snapshot: Snapshot): Preparation<State>;
  filter?(pod: PodView, node: NodeView, state: State): Verdict;
  /** Of a node that `filter` has rejected: what stands behind it. Only `explain` asks; without it the reasons are all there is. */
  details?(pod: PodView, node: NodeView, state: State): readonly Detail[];
  /** What has to be done before the pod may be bound to the node, where a place is not all that it needs. */
  beforeBinding?(pod: PodView, node: NodeView, turn: Turn<State>): Groundwork | undefined;
  /** 0 to 100; higher is better. */
  score?(pod: PodView, node: NodeView, state: State): number;
  /** In place of `score`, for who has to see all nodes that fit: 0 to 100 for each, or undefined where all are alike to it. */
  rank?(pod: PodView, nodes: readonly NodeView[], turn: Turn<State>): readonly number[] | undefined;
  /** Whether all nodes are alike to its `score` or `rank`, whatever they are: a quick look, so that nobody goes through them to learn it. */
  isIndifferent?(pod: PodView, turn: Turn<State>): boolean;
  /** How much the score counts. The default is 1. */
  readonly weight?: number;
  /** Spreads raw scores over 0 to 100. `reversed` for plugins whose raw score counts what is bad. */
  readonly normalize?: 'spread' | 'reversed';
}

/** What may be looked at besides pod and nodes. */
export interface Turn<State> {
  readonly snapshot: Snapshot;
  readonly state: State;
}

/**
 * What a plugin has worked out for one pod and cycle. Only one that counts pods of other nodes needs it: what is about one
 * node stands in its view. Never changes; a step into what would be gives another state, or itself where nothing differs.
 */
export interface PluginState {
  /** Whether, as things are, `filter` accepts every node: then it is not asked. */
  readonly isMoot?: boolean;
  /** With one pod more on `node`, which holds it already. */
  with(pod: PodView, node: NodeView): PluginState;
  /** With one pod less on `node`, which does not hold it any more. */
  without(pod: PodView, node: NodeView): PluginState;
}

export type Preparation<State> =
  | {
      readonly state: State;
      readonly onlyNodes?: ReadonlySet<string>;
      /** `filter` accepts every node for this pod, whatever happens: it is not asked. */
      readonly abstains?: boolean;
    }
  | { readonly rejected: string };

/** What `prepare` answers for a pod that the plugin has nothing to say about. */
export const abstains: { readonly state: undefined; readonly abstains: true } = Object.freeze({
  state: undefined,
  abstains: true,
});

export type Verdict = { readonly fits: true } | Rejection;

export interface Rejection {
  readonly fits: false;
  readonly reasons: readonly Reason[];
}

export interface Reason {
  /** For people. Nothing decides by it. */
  readonly text: string;
  /** Whether removing pods from the node could help: what preemption asks. */
  readonly resolvable: boolean;
}

export const fits: Verdict = Object.freeze({ fits: true });

export function rejects(text: string): Rejection {
  return said(text, resolvableReasons);
}

/** A rejection that no removal of pods can mend. */
export function rejectsForGood(text: string): Rejection {
  return said(text, otherReasons);
}

// One value for one reason, so that thousands of nodes that say the same are counted without reading it.
const resolvableReasons = new Map<string, Rejection>();
const otherReasons = new Map<string, Rejection>();
const reasonsMax = 10_000;

function said(text: string, known: Map<string, Rejection>): Rejection {
  const before = known.get(text);
  if (before !== undefined) return before;
  const rejection: Rejection = Object.freeze({
    fits: false,
    reasons: Object.freeze([Object.freeze({ text, resolvable: known === resolvableReasons })]),
  });
  if (known.size < reasonsMax) known.set(text, rejection);
  return rejection;
}

/** Several reasons at once, as resources have them. */
export function rejectsWith(reasons: readonly Reason[]): Verdict {
  const [only] = reasons;
  if (only === undefined) return fits;
  if (reasons.length > 1) return { fits: false, reasons };
  return only.resolvable ? rejects(only.text) : rejectsForGood(only.text);
}

export function isResolvable({ reasons }: Rejection): boolean {
  const [only] = reasons;
  return reasons.length === 1 ? only?.resolvable === true : reasons.every(({ resolvable }) => resolvable);
}

export type PlacementEvent =
  | 'node/added'
  /** Allocatable resources, labels, taints or the unschedulable mark changed. */
  | 'node/updated'
  | 'node/removed'
  /** A pod got its node. */
  | 'pod/added'
  /** Labels of a pod that has a node changed. */
  | 'pod/relabelled'
  /** A pod that has a node began to go. */
  | 'pod/stopping'
  /** A pod that has a node wants less of it. */
  | 'pod/shrunk'
  /** A pod left its node, or gave back resources. */
  | 'pod/removed';

/** The second form: an object of a resource that plugins read. */
export type ClusterEvent = PlacementEvent | `${string}/changed`;

/** Something that happened, for who is asked whether it helps. */
export interface Change {
  readonly event: ClusterEvent;
  readonly snapshot: Snapshot;
  /** Where; undefined when it is not there any more, or the change is about no node. */
  readonly node: NodeView | undefined;
  /** The pod that it is about, as it is now or was last. */
  readonly pod?: PodView | undefined;
  /** The version before. */
  readonly before?: PodView | undefined;
}

/** What brings a pod without a place back into the queue. */
export interface Wakes {
  /** Who has to be asked whether it helps. */
  readonly on: ReadonlyMap<ClusterEvent, readonly SchedulerPlugin[]>;
  readonly from: 'pinnedNodes' | 'anywhere';
  /** Pods of one group are helped by the same. */
  readonly group: string;
  /** Set where nothing but the pod's demands kept it from nodes: the rules of a node that has to accept it now. */
  readonly filters: readonly Step[] | undefined;
  /** Of pods for which a node is being cleared: what brings them back once they are promised none. */
  readonly unpromised?: Wakes;
}
