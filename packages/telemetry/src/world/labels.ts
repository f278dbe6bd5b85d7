import {
  compileUnmet,
  type LabelSelector,
  type LabelSelectorRequirement,
  type Labels,
  type Requirement,
} from '@signalbox/cluster';

/** Undefined when the labels match; otherwise the first requirement that they miss, in words. */
export type LabelReason = (labels: Labels) => string | undefined;

/** Throws a {@link SelectorError} when the selector is no valid one. An empty selector matches everything. */
export function labelReason(selector: LabelSelector): LabelReason {
  for (const expression of selector.matchExpressions ?? []) checkExpression(expression);
  const unmetBy = compileUnmet(selector);
  return (labels) => {
    const unmet = unmetBy(labels);
    return unmet === undefined ? undefined : inWords(unmet, labels);
  };
}

/** Every requirement that labels miss, in words: how near a miss is. Throws as {@link labelReason} does. */
export function labelMisses(selector: LabelSelector): (labels: Labels) => readonly string[] {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const each = [
    ...Object.entries(matchLabels).map(([key, value]) => labelReason({ matchLabels: { [key]: value } })),
    ...matchExpressions.map((expression) => labelReason({ matchExpressions: [expression] })),
  ];
  return (labels) => each.map((reasonOf) => reasonOf(labels)).filter((reason) => reason !== undefined);
}

/** The selector cannot be evaluated; the message says why. */
export class SelectorError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SelectorError';
  }
}

function checkExpression({ key, operator, values = [] }: LabelSelectorRequirement): void {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) throw new SelectorError(`operator ${operator} of "${key}" needs values`);
      return;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) throw new SelectorError(`operator ${operator} of "${key}" takes no values`);
      return;
    default:
      throw new SelectorError(`"${operator}" is no label selector operator`);
  }
}

function inWords({ key, operator, values = [] }: Requirement, labels: Labels): string {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  const found = value === undefined ? `label ${key} is absent` : `label ${key} is "${value}"`;
  switch (operator) {
    case 'In':
      return `${found}, wanted ${values.length === 1 ? '' : 'one of '}${quoted(values)}`;
    case 'NotIn':
      return `${found}, wanted none of ${quoted(values)}`;
    case 'DoesNotExist':
      return `${found}, wanted it absent`;
    default:
      return found;
  }
}

function quoted(values: readonly string[]): string {
  return values.map((value) => `"${value}"`).join(', ');
}
