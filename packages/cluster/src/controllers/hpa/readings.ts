import type { MetricIdentifier } from '../../api/generated/autoscaling-v2.ts';

/** What the API of custom or external metrics said of one metric. Amounts are thousandths. */
export type Reading =
  | { readonly ok: true; readonly of: 'pods'; readonly milliByPod: ReadonlyMap<string, number> }
  /** Of one object, or the sum of what an external metric has. */
  | { readonly ok: true; readonly of: 'value'; readonly milli: number }
  | { readonly ok: false; readonly message: string };

/** By the place of the metric in the spec; those of other APIs are not there. */
export type Readings = ReadonlyMap<number, Reading>;

/** A selector as upstream's messages spell it, which people search for. */
export function selectorText({ selector }: MetricIdentifier): string {
  if (selector === undefined) return 'nil';
  const labels = Object.entries(selector.matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`)
    .join('');
  const expressions = (selector.matchExpressions ?? [])
    .map(
      ({ key, operator, values = [] }) =>
        `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
    )
    .join('');
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}
