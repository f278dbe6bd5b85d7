import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { isPodTerminal } from '../../resources/core/pod-facts.ts';
import { isTerminating } from '../pods/phase.ts';
import type { Verdict } from './eligibility.ts';
import { isBound, targetNode } from './pod.ts';

/** One node as one DaemonSet sees it. */
export interface Site {
  readonly node: string;
  readonly verdict: Verdict;
  /** The DaemonSet's pods on or meant for the node; the one that counts first. */
  readonly pods: readonly Pod[];
}

export interface Sites {
  readonly sites: readonly Site[];
  /** Not yet bound pods whose node is gone: nobody else would ever delete them. */
  readonly strays: readonly Pod[];
}

const noPods: readonly Pod[] = Object.freeze([]);

export function sitesOf(
  nodes: readonly Node[],
  { pods, judge }: { readonly pods: readonly Pod[]; readonly judge: (node: Node) => Verdict },
): Sites {
  const byNode = groupByTarget(pods);
  const sites = nodes.map((node): Site => {
    const { name } = node.metadata;
    const there = byNode.get(name);
    byNode.delete(name);
    return { node: name, verdict: judge(node), pods: there ?? noPods };
  });
  const strays: Pod[] = [];
  for (const left of byNode.values())
    for (const pod of left) if (!isBound(pod) && !isTerminating(pod)) strays.push(pod);
  return { sites, strays };
}

/** A pod that is over and only waits for its finalizers does not keep the node's place. */
function groupByTarget(pods: readonly Pod[]): Map<string, Pod[]> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    if (isTerminating(pod) && isPodTerminal(pod)) continue;
    const target = targetNode(pod);
    if (target === undefined) continue;
    const there = byNode.get(target);
    if (there === undefined) byNode.set(target, [pod]);
    else there.push(pod);
  }
  for (const there of byNode.values()) if (there.length > 1) there.sort(byRank);
  return byNode;
}

/** Bound before unbound, then older before younger, then by name. */
export function byRank(a: Pod, b: Pod): number {
  if (isBound(a) !== isBound(b)) return isBound(a) ? -1 : 1;
  const { creationTimestamp: createdA, name: nameA } = a.metadata;
  const { creationTimestamp: createdB, name: nameB } = b.metadata;
  if (createdA !== createdB) return createdA < createdB ? -1 : 1;
  return nameA < nameB ? -1 : 1;
}
