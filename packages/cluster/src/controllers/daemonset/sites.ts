import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { type Key, keyOf } from '../../api/meta.ts';
import { byRank, type DaemonPod, daemonPod, isOver } from './daemon-pod.ts';
import type { Verdict } from './eligibility.ts';
import { Places } from './places.ts';
import { Ripening } from './ripening.ts';
import type { Rolling, Rollout } from './rollout.ts';
import type { Tally } from './tally.ts';

/** One node as one DaemonSet sees it. */
export interface Site {
  readonly node: string;
  readonly verdict: Verdict;
  /** The DaemonSet's pods on or meant for the node; the one that counts first. */
  readonly pods: readonly DaemonPod[];
}

/** What a plan reads of the nodes. Most of them are as they should be, and are only counted. */
export interface Sites {
  /** How many nodes there are. */
  readonly size: number;
  /** In the order of the nodes. */
  all(): readonly Site[];
  /** Those that are not at rest: no pod where one should be, pods where none may stay, more than one, or one that ends or has ended. In the order of the nodes. */
  unsettled(): readonly Site[];
  /** What a rollout to this revision looks at, at this moment. */
  rolling(to: Pick<Rollout, 'hash' | 'nowMs'>): Rolling;
  /** Until the next pod has been ready for long enough. */
  soonestAvailableInMs(nowMs: number): number | undefined;
  /** Not yet bound pods whose node is gone: nobody else would ever delete them. By name. */
  strays(): readonly DaemonPod[];
  readonly tally: Tally;
  /** All of the DaemonSet's, wherever they are. */
  pods(): Iterable<DaemonPod>;
}

/** Sites that follow nodes and pods one by one, so that a plan need not look at all of them again. */
export interface KeptSites extends Sites {
  /** Undefined: it is gone. */
  node(name: string, node: Node | undefined): void;
  /** Undefined: it is gone, or no pod of the DaemonSet any more. */
  pod(key: Key, pod: Pod | undefined): void;
}

const noPods: readonly DaemonPod[] = Object.freeze([]);

export interface Judging {
  judge(node: Node): Verdict;
  /** How long a pod has to be ready before it is available. */
  readonly minReadySeconds: number;
}

export function createSites({ judge, minReadySeconds }: Judging): KeptSites {
  const ripening = new Ripening(minReadySeconds);
  const places = new Places((pod) => ripening.isAvailable(pod));
  const known = new Map<Key, DaemonPod>();
  /** By the name of the node, whether it is there or not. */
  const there = new Map<string, readonly DaemonPod[]>();
  const unbound = new Set<DaemonPod>();

  const change = (target: string, to: (pods: readonly DaemonPod[]) => readonly DaemonPod[]): void => {
    const pods = to(there.get(target) ?? noPods);
    if (pods.length === 0) there.delete(target);
    else there.set(target, pods);
    const site = places.at(target);
    if (site !== undefined) places.put({ node: target, verdict: site.verdict, pods });
  };
  const move = (before: Placed | undefined, after: Placed | undefined): void => {
    if (before !== undefined) {
      if (!before.bound) unbound.delete(before);
      if (before.target !== after?.target) change(before.target, (pods) => pods.filter((pod) => pod !== before));
    }
    if (after === undefined) return;
    if (!after.bound) unbound.add(after);
    change(after.target, (pods) => ranked([...pods.filter((pod) => pod !== before), after]));
  };

  const goTo = (nowMs: number): void => {
    for (const { target } of ripening.goTo(nowMs, known.values())) if (target !== undefined) places.fileAgain(target);
  };

  return {
    get size() {
      return places.size;
    },
    tally: places.tally,
    pods: () => known.values(),
    all: () => places.all(),
    unsettled: () => places.unsettled(),
    rolling({ hash, nowMs }) {
      goTo(nowMs);
      return places.rolling(hash);
    },
    soonestAvailableInMs(nowMs) {
      goTo(nowMs);
      return ripening.soonestInMs();
    },
    strays() {
      const strays = [...unbound].filter(
        ({ target, terminating }) => !terminating && target !== undefined && places.at(target) === undefined,
      );
      return strays.sort(byRank);
    },
    node(name, node) {
      if (node === undefined) places.remove(name);
      else places.put({ node: name, verdict: judge(node), pods: there.get(name) ?? noPods }, node.metadata.uid);
    },
    pod(key, pod) {
      const before = known.get(key);
      if (before?.pod === pod) return;
      const after = pod && daemonPod(pod);
      if (before !== undefined) ripening.delete(before);
      if (after === undefined) known.delete(key);
      else {
        known.set(key, after);
        ripening.add(after);
      }
      move(placed(before), placed(after));
    },
  };
}

/** All at once. */
export function sitesOf(
  nodes: Iterable<Node>,
  { pods, ...judging }: Judging & { readonly pods: Iterable<Pod> },
): Sites {
  const sites = createSites(judging);
  for (const pod of pods) sites.pod(keyOf(pod), pod);
  for (const node of nodes) sites.node(node.metadata.name, node);
  return sites;
}

type Placed = DaemonPod & { readonly target: string };

/** A pod that is over and only waits for its finalizers does not keep the node's place. */
function placed(pod: DaemonPod | undefined): Placed | undefined {
  return pod === undefined || pod.target === undefined || (pod.terminating && isOver(pod))
    ? undefined
    : (pod as Placed);
}

function ranked(pods: DaemonPod[]): readonly DaemonPod[] {
  return pods.length > 1 ? pods.sort(byRank) : pods;
}
