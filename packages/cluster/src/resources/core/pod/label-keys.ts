import type {
  Affinity,
  Pod,
  PodAffinityTerm,
  PodSpec,
  TopologySpreadConstraint,
  WeightedPodAffinityTerm,
} from '../../../api/generated/core-v1.ts';
import type { LabelSelector, LabelSelectorRequirement } from '../../../api/meta.ts';

type Labels = Readonly<Record<string, string>>;

/**
 * `matchLabelKeys` and `mismatchLabelKeys` become part of their selectors when a pod is made, with the values that its labels
 * have then. Where nothing names such keys the spec stays what it is.
 */
export function withLabelKeys(pod: Pod): PodSpec {
  const { spec } = pod;
  const { affinity, topologySpreadConstraints } = spec;
  if (!namesKeys(affinity) && topologySpreadConstraints?.some(hasKeys) !== true) return spec;
  const labels = pod.metadata.labels ?? {};
  return {
    ...spec,
    ...(affinity !== undefined && { affinity: withKeys(affinity, labels) }),
    ...(topologySpreadConstraints !== undefined && {
      topologySpreadConstraints: topologySpreadConstraints.map((each) => selecting(each, labels)),
    }),
  };
}

type Keyed = Pick<PodAffinityTerm, 'labelSelector' | 'matchLabelKeys' | 'mismatchLabelKeys'>;

function hasKeys({ matchLabelKeys = [], mismatchLabelKeys = [] }: Keyed): boolean {
  return matchLabelKeys.length > 0 || mismatchLabelKeys.length > 0;
}

function namesKeys(affinity: Affinity | undefined): boolean {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].some(
    (part) =>
      part?.requiredDuringSchedulingIgnoredDuringExecution?.some(hasKeys) === true ||
      part?.preferredDuringSchedulingIgnoredDuringExecution?.some(({ podAffinityTerm }) => hasKeys(podAffinityTerm)) ===
        true,
  );
}

interface PodAffinityPart {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[];
}

function withKeys(affinity: Affinity, labels: Labels): Affinity {
  const partOf = <T extends PodAffinityPart>(part: T): T => {
    const required = part.requiredDuringSchedulingIgnoredDuringExecution;
    const preferred = part.preferredDuringSchedulingIgnoredDuringExecution;
    return {
      ...part,
      ...(required !== undefined && {
        requiredDuringSchedulingIgnoredDuringExecution: required.map((term) => selecting(term, labels)),
      }),
      ...(preferred !== undefined && {
        preferredDuringSchedulingIgnoredDuringExecution: preferred.map((each) => ({
          ...each,
          podAffinityTerm: selecting(each.podAffinityTerm, labels),
        })),
      }),
    };
  };
  const { podAffinity, podAntiAffinity } = affinity;
  return {
    ...affinity,
    ...(podAffinity !== undefined && { podAffinity: partOf(podAffinity) }),
    ...(podAntiAffinity !== undefined && { podAntiAffinity: partOf(podAntiAffinity) }),
  };
}

function selecting<T extends PodAffinityTerm | TopologySpreadConstraint>(term: T, labels: Labels): T {
  const { labelSelector, matchLabelKeys, mismatchLabelKeys }: Keyed = term;
  if (labelSelector === undefined) return term;
  const added = [
    ...requirements(matchLabelKeys, { operator: 'In', labels }),
    ...requirements(mismatchLabelKeys, { operator: 'NotIn', labels }),
  ];
  if (added.length === 0) return term;
  const selector: LabelSelector = {
    ...labelSelector,
    matchExpressions: [...(labelSelector.matchExpressions ?? []), ...added],
  };
  return { ...term, labelSelector: selector };
}

/** Keys that the pod has no label of say nothing. */
function requirements(
  keys: readonly string[] | undefined,
  { operator, labels }: { readonly operator: 'In' | 'NotIn'; readonly labels: Labels },
): readonly LabelSelectorRequirement[] {
  return (keys ?? []).flatMap((key) => {
    const value = labels[key];
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
}
