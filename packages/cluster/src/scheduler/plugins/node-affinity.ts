import type { NodeSelectorTerm, PreferredSchedulingTerm } from '../../api/generated/core-v1.ts';
import { labellingHelps, labelMend } from '../../api/node-labels.ts';
import { matchesNodeSelectorTerms } from '../../api/selector/selector.ts';
import { describeUnmetTerms } from '../../api/selector/words.ts';
import type { Detail } from '../detail.ts';
import type { NodeView } from '../node-view.ts';
import { fits, rejectsForGood, type SchedulerPlugin } from '../plugin.ts';
import type { PodView } from '../pod-view.ts';

export interface NodeAffinityArgs {
  /** What all pods of the profile demand and prefer besides their own. */
  readonly addedAffinity:
    | {
        readonly requiredDuringSchedulingIgnoredDuringExecution?: {
          readonly nodeSelectorTerms: readonly NodeSelectorTerm[];
        };
        readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredSchedulingTerm[];
      }
    | undefined;
}

/**
 * `nodeSelector`, and the required and preferred terms of node affinity. A pod whose terms name its nodes looks at those
 * nodes only: that is what makes a daemon pod cheap to place in a large cluster.
 */
export function nodeAffinity({ addedAffinity }: NodeAffinityArgs): SchedulerPlugin {
  const enforced = addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const preferred = addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return {
    name: 'NodeAffinity',
    looksAt: 'demands',
    wakesOn: ['node/added', 'node/updated'],
    weight: 2,
    prepare: ({ pinnedTo, nodeSelector, requiredTerms }) => ({
      state: undefined,
      ...(pinnedTo !== undefined && { onlyNodes: pinnedTo }),
      abstains: enforced === undefined && nodeSelector === undefined && requiredTerms === undefined,
    }),
    filter(pod, node) {
      if (enforced !== undefined && !matchesNodeSelectorTerms(enforced, factsOf(node))) return foreign;
      return matchesNodeSelection(pod, node) ? fits : unmatched;
    },
    details(pod, node) {
      const forced = enforced && describeUnmetTerms(enforced, factsOf(node));
      const profile = 'all pods of this profile of the scheduler have to go to nodes with';
      return [...(forced === undefined ? [] : [{ text: `${profile} ${forced}` }]), ...unmet(pod, node)];
    },
    isIndifferent: (pod) => preferred.length === 0 && pod.preferredTerms.length === 0,
    rank(pod, nodes) {
      const terms = preferred.length === 0 ? pod.preferredTerms : [...pod.preferredTerms, ...preferred];
      return terms.length === 0 ? undefined : toHundred(nodes.map((node) => sumOf(terms, node)));
    },
  };
}

const unmatched = rejectsForGood("node(s) didn't match Pod's node affinity/selector");
const foreign = rejectsForGood("node(s) didn't match scheduler-enforced node affinity");

/** Whether the pod's selector and its required terms allow the node. */
export function matchesNodeSelection(pod: PodView, node: NodeView): boolean {
  return matchesSelector(pod, node) && matchesTerms(pod, node);
}

function matchesSelector({ nodeSelector }: PodView, { labels }: NodeView): boolean {
  if (nodeSelector === undefined) return true;
  for (const key in nodeSelector) if (labels[key] !== nodeSelector[key]) return false;
  return true;
}

function matchesTerms({ requiredTerms }: PodView, node: NodeView): boolean {
  return requiredTerms === undefined || matchesNodeSelectorTerms(requiredTerms, factsOf(node));
}

function unmet({ nodeSelector = {}, requiredTerms }: PodView, node: NodeView): readonly Detail[] {
  const labels = Object.entries(nodeSelector).filter(([key, value]) => node.labels[key] !== value);
  const terms = requiredTerms && describeUnmetTerms(requiredTerms, factsOf(node));
  const canBeLabelled = labellingHelps({ nodeSelector, terms: requiredTerms }, factsOf(node));
  return [
    ...labels.map(([key, value]) => ({
      text: `its nodeSelector wants the label ${key}=${value}`,
      mend: canBeLabelled
        ? labelMend({ key, value, has: node.labels[key] }, 'change the nodeSelector')
        : 'change the nodeSelector',
    })),
    ...(terms === undefined
      ? []
      : [
          {
            text: `its required node affinity wants ${terms}`,
            mend: canBeLabelled ? 'label nodes accordingly, or change the affinity' : 'change the affinity',
          },
        ]),
  ];
}

function factsOf({ labels, name }: NodeView): {
  readonly labels: NodeView['labels'];
  readonly fields: Readonly<Record<string, string>>;
} {
  return { labels, fields: { 'metadata.name': name } };
}

function sumOf(terms: readonly PreferredSchedulingTerm[], node: NodeView): number {
  let sum = 0;
  for (const { weight, preference } of terms) if (matchesNodeSelectorTerms([preference], factsOf(node))) sum += weight;
  return sum;
}

/** The highest becomes 100. */
function toHundred(raw: readonly number[]): readonly number[] | undefined {
  let highest = 0;
  for (const value of raw) highest = Math.max(highest, value);
  return highest === 0 ? undefined : raw.map((value) => Math.trunc((100 * value) / highest));
}
