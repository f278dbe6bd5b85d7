import type { TopologyCount } from '../../counting/live-count.ts';
import type { PodCounts } from '../../counting/pod-counts.ts';
import type { NodeView } from '../../node-view.ts';
import type { PodView } from '../../pod-view.ts';
import { type Constraint, countedBy, hasKeys } from './constraints.ts';

export interface EvennessOptions {
  readonly pod: PodView;
  readonly constraints: readonly Constraint[];
  readonly counts: PodCounts;
  /** Whether a node without one of the labels is out of the question; else the constraint does not count there. */
  readonly needsAllKeys: boolean;
}

const hostname = 'kubernetes.io/hostname';

/** 0 to 100 for each node: the fewer alike pods in its domains the better. A domain that is one of few counts less. */
export function evenness(nodes: readonly NodeView[], options: EvennessOptions): readonly number[] {
  const { pod, constraints, counts, needsAllKeys } = options;
  const keys = needsAllKeys ? [...new Set(constraints.map(({ topologyKey }) => topologyKey))].sort() : [];
  const isCounted = (node: NodeView): boolean => keys.length === 0 || hasKeys(node, keys);
  const counted = nodes.filter(isCounted);
  const parts = constraints.map((constraint): Part => {
    const { topologyKey, maxSkew } = constraint;
    // Nodes without the label are one domain more, as upstream has it.
    const domains =
      topologyKey === hostname ? counted.length : new Set(counted.map(({ labels }) => labels[topologyKey])).size;
    const count = counts.count(countedBy(constraint, { pod, keys }));
    return { topologyKey, maxSkew, count, weight: Math.log(domains + 2) };
  });
  const raw = nodes.map((node) => (isCounted(node) ? Math.round(rawScore(node, parts)) : ignored));
  return normalized(raw);
}

interface Part {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly count: TopologyCount;
  readonly weight: number;
}

function rawScore(node: NodeView, parts: readonly Part[]): number {
  let score = 0;
  for (const { topologyKey, maxSkew, count, weight } of parts) {
    const value = node.labels[topologyKey];
    if (value === undefined) continue;
    const pods = topologyKey === hostname ? count.podsOn(node.name) : (count.domains.get(value) ?? 0);
    score += pods * weight + (maxSkew - 1);
  }
  return score;
}

const ignored = -1;

function normalized(raw: readonly number[]): readonly number[] {
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  for (const value of raw) {
    if (value === ignored) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return raw.map((value) => {
    if (value === ignored) return 0;
    return most === 0 ? 100 : Math.trunc((100 * (most + least - value)) / most);
  });
}
