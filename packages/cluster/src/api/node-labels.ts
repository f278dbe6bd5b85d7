import { matchesRequirement, type Requirement, type SelectorTerm } from './selector/requirement.ts';
import type { Labels } from './selector/selector.ts';

/** By these a node says what it is. Its kubelet owns them, and sets them back. */
const kubeletLabels: ReadonlySet<string> = new Set([
  ...['kubernetes.io/hostname', 'kubernetes.io/os', 'kubernetes.io/arch'],
  ...['beta.kubernetes.io/os', 'beta.kubernetes.io/arch'],
]);

/** Whether nobody but the kubelet can say so of its node: no rule is met by a label of that name that somebody sets. */
export function isKubeletLabel(key: string): boolean {
  return kubeletLabels.has(key);
}

interface LabelWanted {
  readonly key: string;
  readonly value?: string;
  /** What the node has in its place. */
  readonly has?: string | undefined;
}

/** What gives nodes a label that a rule wants, with NODE for their name; else, where kubelets own the label, only what helps besides. */
export function labelMend(wanted: LabelWanted, otherwise: string): string {
  return isKubeletLabel(wanted.key) ? otherwise : `label nodes (${labelCommand(wanted)}), or ${otherwise}`;
}

/** kubectl changes no label that is there unless it is told to. */
export function labelCommand({ key, value = 'VALUE', has }: LabelWanted): string {
  return `kubectl label nodes NODE ${key}=${value}${has === undefined ? '' : ' --overwrite'}`;
}

export interface WantedOfNodes {
  readonly nodeSelector?: Labels | undefined;
  /** Alternatives. */
  readonly terms?: readonly SelectorTerm[] | undefined;
}

/** Whether a node could be what is wanted once people have labelled it so. */
export function labellingHelps(
  { nodeSelector = {}, terms }: WantedOfNodes,
  { labels, fields }: { readonly labels: Labels | undefined; readonly fields: Labels },
): boolean {
  const canHold = (each: Requirement): boolean => !isKubeletLabel(each.key) || matchesRequirement(each, labels);
  return (
    Object.entries(nodeSelector).every(([key, value]) => canHold({ key, operator: 'In', values: [value] })) &&
    (terms === undefined ||
      terms.some(
        ({ matchExpressions = [], matchFields = [] }) =>
          matchExpressions.length + matchFields.length > 0 &&
          matchExpressions.every(canHold) &&
          matchFields.every((each) => matchesRequirement(each, fields)),
      ))
  );
}
