import { matchesNodeSelectorTerms } from '../../api/selector/selector.ts';
import type { NodeView } from '../node-view.ts';
import { fits, rejectsForGood, type SchedulerPlugin } from '../plugin.ts';
import type { PodView } from '../pod-view.ts';

/**
 * `nodeSelector`, and the required and preferred terms of node affinity. A pod whose terms name its nodes looks at those
 * nodes only: that is what makes a daemon pod cheap to place in a large cluster.
 */
export const nodeAffinity: SchedulerPlugin = {
  name: 'NodeAffinity',
  wakesOn: ['node/added', 'node/updated'],
  weight: 2,
  normalize: 'spread',
  prepare: ({ pinnedTo }) =>
    pinnedTo === undefined ? { state: undefined } : { state: undefined, onlyNodes: pinnedTo },
  filter: (pod, node) =>
    matchesSelector(pod, node) && matchesTerms(pod, node)
      ? fits
      : rejectsForGood("node(s) didn't match Pod's node affinity/selector"),
  score: ({ preferredTerms }, node) => {
    let sum = 0;
    for (const { weight, preference } of preferredTerms)
      if (matchesNodeSelectorTerms([preference], factsOf(node))) sum += weight;
    return sum;
  },
};

function matchesSelector({ nodeSelector }: PodView, { labels }: NodeView): boolean {
  if (nodeSelector === undefined) return true;
  for (const key in nodeSelector) if (labels[key] !== nodeSelector[key]) return false;
  return true;
}

function matchesTerms({ requiredTerms }: PodView, node: NodeView): boolean {
  return requiredTerms === undefined || matchesNodeSelectorTerms(requiredTerms, factsOf(node));
}

function factsOf({ labels, name }: NodeView): {
  readonly labels: NodeView['labels'];
  readonly fields: Readonly<Record<string, string>>;
} {
  return { labels, fields: { 'metadata.name': name } };
}
