import type { NodeView } from './node-view.ts';
import type { PodView } from './pod-view.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * One rule of placement, as a value. Absent members mean "no opinion". Plugins are pure: they read views, they never
 * write. What one of them wants to work out once per pod it returns from `prepare`; `filter` and `score` get it back.
 */
export interface SchedulerPlugin<State = unknown> {
  readonly name: string;
  /** Changes in the cluster that could turn a rejection of this plugin into an acceptance. */
  readonly wakesOn: readonly ClusterEvent[];
  /** Runs once per pod and cycle. May narrow the nodes down, or reject the pod for all of them. */
  prepare?(pod: PodView, snapshot: Snapshot): Preparation<State>;
  filter?(pod: PodView, node: NodeView, state: State): Verdict;
  /** 0 to 100; higher is better. */
  score?(pod: PodView, node: NodeView, state: State): number;
  /** How much the score counts. The default is 1. */
  readonly weight?: number;
  /** Spreads raw scores over 0 to 100. `reversed` for plugins whose raw score counts what is bad. */
  readonly normalize?: 'spread' | 'reversed';
}

export type Preparation<State> =
  | { readonly state: State; readonly onlyNodes?: ReadonlySet<string> }
  | { readonly rejected: string; readonly resolvable: boolean };

export type Verdict =
  | { readonly fits: true }
  | {
      readonly fits: false;
      readonly reasons: readonly string[];
      /** Whether removing pods from the node could help: what preemption asks. */
      readonly resolvable: boolean;
    };

export const fits: Verdict = Object.freeze({ fits: true });

export function rejects(...reasons: readonly string[]): Verdict {
  return { fits: false, reasons, resolvable: true };
}

/** A rejection that no removal of pods can mend. */
export function rejectsForGood(...reasons: readonly string[]): Verdict {
  return { fits: false, reasons, resolvable: false };
}

export type ClusterEvent =
  | 'node/added'
  /** Allocatable resources, labels, taints or the unschedulable mark changed. */
  | 'node/updated'
  /** A pod left its node, or gave back resources. */
  | 'pod/removed'
  | 'pod/added'
  | 'volume/changed';
