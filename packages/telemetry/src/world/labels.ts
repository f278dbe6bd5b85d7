import type { LabelSelector, LabelSelectorRequirement } from '@signalbox/cluster';

export type Labels = Readonly<Record<string, string>>;

/** Undefined when the labels match; otherwise the first requirement that they miss, in words. */
export type LabelMatcher = (labels: Labels) => string | undefined;

/** Throws a {@link SelectorError} when the selector is no valid one. An empty selector matches everything. */
export function labelMatcher(selector: LabelSelector): LabelMatcher {
  const requirements = [
    ...Object.entries(selector.matchLabels ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => equals(key, value)),
    ...(selector.matchExpressions ?? []).map(requirement),
  ];
  return (labels) => {
    for (const unmet of requirements) {
      const reason = unmet(labels);
      if (reason !== undefined) return reason;
    }
    return undefined;
  };
}

/** The selector cannot be evaluated; the message says why. */
export class SelectorError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SelectorError';
  }
}

function equals(key: string, value: string): LabelMatcher {
  return (labels) => (labelOf(labels, key) === value ? undefined : `label ${shown(labels, key)}, wanted "${value}"`);
}

function requirement({ key, operator, values = [] }: LabelSelectorRequirement): LabelMatcher {
  switch (operator) {
    case 'In':
      if (values.length === 0) throw new SelectorError(`operator In of "${key}" needs values`);
      return (labels) => {
        const value = labelOf(labels, key);
        return value !== undefined && values.includes(value)
          ? undefined
          : `label ${shown(labels, key)}, wanted one of ${quoted(values)}`;
      };
    case 'NotIn':
      if (values.length === 0) throw new SelectorError(`operator NotIn of "${key}" needs values`);
      return (labels) => {
        const value = labelOf(labels, key);
        return value === undefined || !values.includes(value)
          ? undefined
          : `label ${shown(labels, key)}, wanted none of ${quoted(values)}`;
      };
    case 'Exists':
      if (values.length > 0) throw new SelectorError(`operator Exists of "${key}" takes no values`);
      return (labels) => (labelOf(labels, key) !== undefined ? undefined : `label ${key} is absent`);
    case 'DoesNotExist':
      if (values.length > 0) throw new SelectorError(`operator DoesNotExist of "${key}" takes no values`);
      return (labels) =>
        labelOf(labels, key) === undefined ? undefined : `label ${shown(labels, key)}, wanted it absent`;
    default:
      throw new SelectorError(`"${operator}" is no label selector operator`);
  }
}

function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function shown(labels: Labels, key: string): string {
  const value = labelOf(labels, key);
  return value === undefined ? `${key} is absent` : `${key} is "${value}"`;
}

function quoted(values: readonly string[]): string {
  return values.map((value) => `"${value}"`).join(', ');
}
