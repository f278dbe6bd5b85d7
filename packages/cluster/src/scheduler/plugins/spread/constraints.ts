import type { Pod, TopologySpreadConstraint } from '../../../api/generated/core-v1.ts';
import type { LabelSelector } from '../../../api/meta.ts';
import { compileSelector, isEmptySelector, type LabelMatcher } from '../../../api/selector/selector.ts';
import { untolerated } from '../../../api/tolerations.ts';
import type { Counted } from '../../counting/live-count.ts';
import { labelOf } from '../../counting/pod-terms.ts';
import type { NodeView } from '../../node-view.ts';
import type { PodView } from '../../pod-view.ts';
import { matchesNodeSelection } from '../node-affinity.ts';

/** One demand, or wish, of even numbers. */
export interface Constraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number | undefined;
  readonly selector: LabelSelector;
  readonly selects: LabelMatcher;
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
}

/** Those of the pod that are demands, or those that are wishes. */
export function constraintsOf(
  { spec, metadata }: Pod,
  whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway',
): readonly Constraint[] {
  const given = spec.topologySpreadConstraints;
  if (given === undefined) return none;
  return given
    .filter((each) => each.whenUnsatisfiable === whenUnsatisfiable)
    .map((each) => constraintOf(each, withOwnValues(each, metadata.labels ?? {})));
}

const none: readonly never[] = [];

/** A constraint of the cluster is about the pods that `selector` says. */
export function constraintOf(given: TopologySpreadConstraint, selector: LabelSelector): Constraint {
  return {
    topologyKey: given.topologyKey,
    maxSkew: given.maxSkew,
    minDomains: given.minDomains,
    selector,
    // Who selects nothing in particular counts nobody.
    selects: isEmptySelector(selector) ? nobody : compileSelector(selector),
    honorsAffinity: (given.nodeAffinityPolicy ?? 'Honor') === 'Honor',
    honorsTaints: given.nodeTaintsPolicy === 'Honor',
  };
}

const nobody: LabelMatcher = () => false;

/** `matchLabelKeys`: only pods that have the same values there as this one. */
function withOwnValues(
  { labelSelector, matchLabelKeys }: TopologySpreadConstraint,
  labels: Readonly<Record<string, string>>,
): LabelSelector {
  const selector = labelSelector ?? nothing;
  const own = (matchLabelKeys ?? none).filter((key) => Object.hasOwn(labels, key));
  if (labelSelector === undefined || own.length === 0) return selector;
  const wanted = own.map((key) => ({ key, operator: 'In', values: [labels[key] ?? ''] }));
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? none), ...wanted] };
}

const nothing: LabelSelector = { matchExpressions: [{ key: 'never', operator: 'In', values: [] }] };

/**
 * What one of the constraints counts: pods that are not going, on nodes that have the `keys`, and that the pod could use as
 * far as the policies say. Pods that ask alike share a count.
 */
export function countedBy(
  constraint: Constraint,
  { pod, keys }: { readonly pod: PodView; readonly keys: readonly string[] },
): Counted {
  const { topologyKey, selector, selects, honorsAffinity, honorsTaints } = constraint;
  const { namespace } = pod;
  const affinity = honorsAffinity && (pod.nodeSelector !== undefined || pod.requiredTerms !== undefined);
  const id = [
    topologyKey,
    namespace,
    selector,
    keys,
    affinity ? [pod.nodeSelector ?? null, pod.requiredTerms ?? null] : null,
    honorsTaints ? pod.tolerations : null,
  ];
  return {
    id: `spread ${JSON.stringify(id)}`,
    topologyKey,
    namespace,
    label: labelOf(selector),
    looksAtNamespaces: false,
    countsPod: (other) =>
      other.namespace === namespace && other.pod.metadata.deletionTimestamp === undefined && selects(other.labels),
    countsNode: (node) =>
      hasKeys(node, keys) &&
      (!affinity || matchesNodeSelection(pod, node)) &&
      (!honorsTaints || untolerated(node.node.spec.taints, pod.tolerations, hard).length === 0),
  };
}

export function hasKeys({ labels }: NodeView, keys: readonly string[]): boolean {
  for (const key of keys) if (labels[key] === undefined) return false;
  return true;
}

const hard = ['NoSchedule', 'NoExecute'];
