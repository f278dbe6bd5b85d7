import type { DaemonPod } from './daemon-pod.ts';
import type { Site } from './sites.ts';

/** How many sites stand how, counted as they change. */
export interface Tally {
  /** Nodes that should have a pod. */
  readonly desired: number;
  /** Of those: nodes that have one. */
  readonly scheduled: number;
  /** Of those: nodes whose pod that counts is ready. */
  readonly ready: number;
  /** Nodes that have a pod and should have none. */
  readonly misscheduled: number;
  /** Of the nodes that should have a pod: those whose pod that counts is of this revision. */
  updated(hash: string): number;
  /** Whether no pod on any node is of another revision. */
  isAll(hash: string): boolean;
}

export interface RunningTally extends Tally {
  add(site: Site): void;
  remove(site: Site): void;
}

type Counts = Map<string | undefined, number>;

export function createTally(): RunningTally {
  const counts = { desired: 0, scheduled: 0, ready: 0, misscheduled: 0 };
  /** Pods that count, on nodes that should have one. */
  const first: Counts = new Map();
  const every: Counts = new Map();

  const count = ({ verdict, pods }: Site, by: 1 | -1): void => {
    for (const pod of pods) bump(every, { pod, by });
    const [pod] = pods;
    if (verdict.runs) counts.desired += by;
    else if (pod !== undefined) counts.misscheduled += by;
    if (pod === undefined || !verdict.runs) return;
    counts.scheduled += by;
    if (pod.ready) counts.ready += by;
    bump(first, { pod, by });
  };

  return {
    get desired() {
      return counts.desired;
    },
    get scheduled() {
      return counts.scheduled;
    },
    get ready() {
      return counts.ready;
    },
    get misscheduled() {
      return counts.misscheduled;
    },
    updated: (hash) => first.get(hash) ?? 0,
    isAll: (hash) => every.size === (every.has(hash) ? 1 : 0),
    add: (site) => count(site, 1),
    remove: (site) => count(site, -1),
  };
}

function bump(counts: Counts, { pod, by }: { readonly pod: DaemonPod; readonly by: 1 | -1 }): void {
  const now = (counts.get(pod.hash) ?? 0) + by;
  if (now === 0) counts.delete(pod.hash);
  else counts.set(pod.hash, now);
}
