import type { Pod, PodAffinityTerm, PodSpec } from '../../../api/generated/core-v1.ts';

/**
 * `matchLabelKeys` and `mismatchLabelKeys` become part of their selectors when a pod is made, with the values that its labels
 * have then. Where nothing names such keys the spec stays what it is.
 */
export function withLabelKeys({ spec, metadata: { labels = {} } }: Pod): PodSpec {
  const { affinity, topologySpreadConstraints } = spec;
  if (affinity === undefined && topologySpreadConstraints === undefined) return spec;
  const terms = { ...(affinity && { affinity }), ...(topologySpreadConstraints && { topologySpreadConstraints }) };
  return /atchLabelKeys":\["/.test(JSON.stringify(terms)) ? { ...spec, ...keyed(terms, labels) } : spec;
}

/** Terms lie at different depths; what has a topology key is one. */
function keyed<T>(value: T, labels: Readonly<Record<string, string>>): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => keyed(each, labels)) as T;
  if ('topologyKey' in value) return { ...value, ...selecting(value as Partial<PodAffinityTerm>, labels) };
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, keyed(part, labels)])) as T;
}

/** Keys that the pod has no label of say nothing. */
function selecting(
  { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] }: Partial<PodAffinityTerm>,
  labels: Readonly<Record<string, string>>,
): Partial<PodAffinityTerm> {
  if (labelSelector === undefined) return {};
  const wanted = (keys: readonly string[], operator: string) =>
    keys.flatMap((key) => (labels[key] === undefined ? [] : [{ key, operator, values: [labels[key]] }]));
  const added = [...wanted(matchLabelKeys, 'In'), ...wanted(mismatchLabelKeys, 'NotIn')];
  const matchExpressions = [...(labelSelector.matchExpressions ?? []), ...added];
  return added.length === 0 ? {} : { labelSelector: { ...labelSelector, matchExpressions } };
}
