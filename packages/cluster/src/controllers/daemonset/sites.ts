import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { byRank, type DaemonPod, daemonPod, isOver } from './daemon-pod.ts';
import type { Verdict } from './eligibility.ts';

/** One node as one DaemonSet sees it. */
export interface Site {
  readonly node: string;
  readonly verdict: Verdict;
  /** The DaemonSet's pods on or meant for the node; the one that counts first. */
  readonly pods: readonly DaemonPod[];
}

export interface Sites {
  readonly sites: readonly Site[];
  /** Not yet bound pods whose node is gone: nobody else would ever delete them. */
  readonly strays: readonly DaemonPod[];
}

const noPods: readonly DaemonPod[] = Object.freeze([]);

export function sitesOf(
  nodes: readonly Node[],
  { pods, judge }: { readonly pods: readonly Pod[]; readonly judge: (node: Node) => Verdict },
): Sites {
  const { byNode, unbound } = groupByTarget(pods);
  const sites = nodes.map((node): Site => {
    const { name } = node.metadata;
    return { node: name, verdict: judge(node), pods: byNode.get(name) ?? noPods };
  });
  return { sites, strays: unbound.length === 0 ? noPods : straysAmong(unbound, sites) };
}

function straysAmong(unbound: readonly DaemonPod[], sites: readonly Site[]): readonly DaemonPod[] {
  const names = new Set(sites.map(({ node }) => node));
  return unbound.filter(({ target, terminating }) => !terminating && target !== undefined && !names.has(target));
}

interface Groups {
  readonly byNode: ReadonlyMap<string, readonly DaemonPod[]>;
  readonly unbound: readonly DaemonPod[];
}

/** A pod that is over and only waits for its finalizers does not keep the node's place. */
function groupByTarget(pods: readonly Pod[]): Groups {
  const byNode = new Map<string, DaemonPod[]>();
  const unbound: DaemonPod[] = [];
  const shared = new Set<DaemonPod[]>();
  for (const each of pods) {
    const pod = daemonPod(each);
    if (pod.target === undefined || (pod.terminating && isOver(pod))) continue;
    if (!pod.bound) unbound.push(pod);
    const there = byNode.get(pod.target);
    if (there === undefined) byNode.set(pod.target, [pod]);
    else {
      there.push(pod);
      shared.add(there);
    }
  }
  for (const there of shared) there.sort(byRank);
  return { byNode, unbound };
}
