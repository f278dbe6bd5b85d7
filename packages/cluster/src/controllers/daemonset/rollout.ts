import type { DaemonSet } from '../../api/generated/apps-v1.ts';
import { scaledValue } from '../../workloads/budget.ts';
import type { DaemonPod } from './daemon-pod.ts';
import type { Site } from './sites.ts';
import type { Tally } from './tally.ts';

/** How pods may be replaced, as numbers. */
export interface Rollout {
  /** What up-to-date pods carry. */
  readonly hash: string;
  readonly onDelete: boolean;
  readonly surges: boolean;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  readonly desired: number;
  readonly minReadySeconds: number;
  readonly nowMs: number;
}

export function rolloutOf(
  daemonset: DaemonSet,
  { tally, hash, nowMs }: { readonly tally: Tally; readonly hash: string; readonly nowMs: number },
): Rollout {
  const { updateStrategy, minReadySeconds = 0 } = daemonset.spec;
  const { desired } = tally;
  const onDelete = updateStrategy?.type === 'OnDelete';
  const rolling = updateStrategy?.rollingUpdate;
  const scaling = { of: desired, round: 'up' } as const;
  const maxSurge = onDelete ? 0 : scaledValue(rolling?.maxSurge, scaling);
  const allowed = scaledValue(rolling?.maxUnavailable ?? 1, scaling);
  // Without any room nothing would ever be replaced.
  const maxUnavailable = maxSurge === 0 ? Math.max(allowed, 1) : allowed;
  const surges = maxSurge > 0;
  return { hash, onDelete, surges, maxSurge, maxUnavailable, desired, minReadySeconds, nowMs };
}

/** One step of a rollout, and what keeps it from being a larger one. */
export interface Step {
  /** Names of nodes that get a pod. */
  readonly create: readonly string[];
  readonly remove: readonly DaemonPod[];
  /** Nodes that take up the budget: no pod there, or one that does not serve. */
  readonly inTheWay: readonly Site[];
  /** How many nodes have an old pod that serves. */
  readonly waiting: number;
}

/** The nodes as a rollout sees them. Most of them hold one pod that serves, and are only counted. */
export interface Rolling {
  /** Where more has to be known. In the order of the nodes. */
  readonly restless: readonly Site[];
  /** On how many others a pod of the revision serves. */
  readonly current: number;
  /** On how many others one of another revision serves. */
  readonly old: number;
  /** The pods of the first of those, at most so many. In the order of the nodes. */
  firstOld(count: number): readonly DaemonPod[];
}

/** The pods of one site that still count, by revision. */
export interface Halves {
  readonly old: DaemonPod | undefined;
  readonly current: DaemonPod | undefined;
  /** Two of a kind: something is off, and replacing more would not help. */
  readonly excess: boolean;
}

export function halvesOf(
  { pods }: Site,
  { hash, removed }: { readonly hash: string; readonly removed: ReadonlySet<DaemonPod> },
): Halves {
  let old: DaemonPod | undefined;
  let current: DaemonPod | undefined;
  let excess = false;
  for (const pod of pods) {
    if (pod.terminating || removed.has(pod)) continue;
    if (pod.hash === hash) {
      excess ||= current !== undefined;
      current ??= pod;
    } else {
      excess ||= old !== undefined;
      old ??= pod;
    }
  }
  return { old, current, excess };
}
