import { type LabelSelector, rootPath, validateSelector } from '@signalbox/cluster';
import { drop, keep, labelName, type RelabelRule } from '../../../../relabel/rule.ts';
import type { Section } from '../../../../scrape/http.ts';
import type { Leaf } from '../../../../scrape/leaf.ts';

type Kind = 'ingress' | 'pod' | 'service';

interface Spot {
  readonly leaf: Leaf;
  readonly at: string;
}

/**
 * A label selector as relabelling rules on what discovery found. A label that is absent and one that is empty look alike
 * to Prometheus, so each rule also looks at whether the label is there.
 */
export function selectorRules(
  selector: LabelSelector | undefined,
  kind: Kind,
  { leaf, at }: Spot,
): readonly RelabelRule[] {
  const label = (key: string): string => `__meta_kubernetes_${kind}_label_${labelName(key)}`;
  const isPresent = (key: string): string => `__meta_kubernetes_${kind}_labelpresent_${labelName(key)}`;
  const both = (key: string): readonly string[] => [label(key), isPresent(key)];
  const oneOf = (values: readonly string[]): string => `(${values.map(quoted).join('|')});true`;
  const equalities = Object.entries(selector?.matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => keep(both(key), oneOf([value])));
  const expressions = (selector?.matchExpressions ?? []).flatMap(({ key, operator, values = [] }) => {
    switch (operator) {
      case 'In':
        return [keep(both(key), oneOf(values))];
      case 'NotIn':
        return [drop(both(key), oneOf(values))];
      case 'Exists':
        return [keep(isPresent(key), 'true')];
      case 'DoesNotExist':
        return [drop(isPresent(key), 'true')];
      default:
        return [];
    }
  });
  checkSelector(selector, { leaf, at });
  return [...equalities, ...expressions];
}

/** The selector in the API server's own words, so that only the objects that it picks are ever watched. */
export function roleSelectors(
  selector: LabelSelector | undefined,
  roles: readonly string[],
  spot: Spot,
): readonly Section[] {
  checkSelector(selector, spot);
  const label = selectorText(selector);
  return label === '' ? [] : roles.map((role) => ({ role, label }));
}

function checkSelector(selector: LabelSelector | undefined, { leaf, at }: Spot): void {
  for (const { field, message } of validateSelector(selector, rootPath(...at.split('.'))))
    leaf.reject('InvalidField', field, message);
}

/** `a=b,c in (d,e),!f` */
export function selectorText(selector: LabelSelector | undefined): string {
  const equalities = Object.entries(selector?.matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`);
  const expressions = (selector?.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    switch (operator) {
      case 'In':
        return `${key} in (${values.join(',')})`;
      case 'NotIn':
        return `${key} notin (${values.join(',')})`;
      case 'DoesNotExist':
        return `!${key}`;
      default:
        return key;
    }
  });
  return [...equalities, ...expressions].join(',');
}

/** A dot stands for itself in a label's value. */
function quoted(value: string): string {
  return value.replaceAll('.', '\\.');
}
