import type { LabelSelector } from '@signalbox/cluster';
import { drop, keep, labelName, type RelabelRule } from '../../../../relabel/rule.ts';
import type { Leaf } from '../../../../scrape/leaf.ts';

/**
 * A label selector as relabelling rules on what discovery found. `kind` is the part of the discovery labels' names:
 * `service` for `__meta_kubernetes_service_label_…`.
 */
export function selectorRules(
  selector: LabelSelector | undefined,
  kind: 'service' | 'pod' | 'ingress',
  { leaf, at }: { readonly leaf: Leaf; readonly at: string },
): readonly RelabelRule[] {
  const label = (key: string): string => `__meta_kubernetes_${kind}_label_${labelName(key)}`;
  const isPresent = (key: string): string => `__meta_kubernetes_${kind}_labelpresent_${labelName(key)}`;
  const equalities = Object.keys(selector?.matchLabels ?? {})
    .sort()
    .map((key) => keep(label(key), selector?.matchLabels?.[key] ?? ''));
  const expressions = (selector?.matchExpressions ?? []).flatMap(({ key, operator, values = [] }, index) => {
    switch (operator) {
      case 'In':
        return [keep(label(key), values.join('|'))];
      case 'NotIn':
        return [drop(label(key), values.join('|'))];
      case 'Exists':
        return [keep(isPresent(key), 'true')];
      case 'DoesNotExist':
        return [drop(isPresent(key), 'true')];
      default:
        leaf.reject('InvalidField', `${at}.matchExpressions[${index}].operator`, `"${operator}" is no operator`);
        return [];
    }
  });
  return [...equalities, ...expressions];
}
