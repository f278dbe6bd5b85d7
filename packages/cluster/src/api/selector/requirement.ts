/** Labels as they stand in `metadata.labels`. */
export type Labels = Readonly<Record<string, string>>;
export type LabelMatcher = (labels: Labels | undefined) => boolean;

/** One condition on one key, the common form of label selectors and node selectors. */
export interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** All requirements must hold; no requirement matches everything. */
export function matcherOf(requirements: readonly Requirement[]): LabelMatcher {
  const [first, ...others] = requirements.map(predicate);
  if (first === undefined) return matchesEverything;
  if (others.length === 0) return (labels) => first(labels ?? noLabels);
  const all = [first, ...others];
  return (labels) => {
    const given = labels ?? noLabels;
    for (const each of all) if (!each(given)) return false;
    return true;
  };
}

/** The first requirement that the labels miss; undefined when they match. */
export type UnmetFinder = (labels: Labels | undefined) => Requirement | undefined;

/** The same judgement as {@link matcherOf}, for who has to say why not. */
export function unmetOf(requirements: readonly Requirement[]): UnmetFinder {
  const judged = requirements.map((requirement) => ({ requirement, holds: predicate(requirement) }));
  return (labels) => {
    const given = labels ?? noLabels;
    for (const { requirement, holds } of judged) if (!holds(given)) return requirement;
    return undefined;
  };
}

const matchesEverything: LabelMatcher = () => true;
const noLabels: Labels = Object.freeze({});

/** Whether the labels (or fields) meet one requirement. Operators: In, NotIn, Exists, DoesNotExist, Gt, Lt. */
export function matchesRequirement(requirement: Requirement, labels: Labels | undefined): boolean {
  const { key, operator, values = [] } = requirement;
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt': {
      const left = integer(value);
      const right = values.length === 1 ? integer(values[0]) : undefined;
      if (left === undefined || right === undefined) return false;
      return operator === 'Gt' ? left > right : left < right;
    }
    default:
      return false;
  }
}

function integer(text: string | undefined): bigint | undefined {
  return text !== undefined && /^[+-]?\d{1,19}$/.test(text) ? BigInt(text.replace('+', '')) : undefined;
}

/** Equality is what nearly every selector asks for, so it has its own path. */
function predicate(requirement: Requirement): (labels: Labels) => boolean {
  const { key, operator, values = [] } = requirement;
  const [only] = values;
  if (operator === 'In' && values.length === 1) return (labels) => labels[key] === only && Object.hasOwn(labels, key);
  return (labels) => matchesRequirement(requirement, labels);
}

/** One term of a node selector. */
export interface SelectorTerm {
  readonly matchExpressions?: readonly Requirement[];
  readonly matchFields?: readonly Requirement[];
}

/** Terms are alternatives; within one, everything must hold. No terms, and a term without conditions, match nothing. */
export function matchesNodeSelectorTerms(
  terms: readonly SelectorTerm[] | undefined,
  node: { readonly labels: Labels | undefined; readonly fields: Labels },
): boolean {
  if (terms === undefined) return false;
  return terms.some(({ matchExpressions = [], matchFields = [] }) => {
    if (matchExpressions.length === 0 && matchFields.length === 0) return false;
    return (
      matchFields.every((each) => matchesRequirement(each, node.fields)) &&
      matchExpressions.every((each) => matchesRequirement(each, node.labels))
    );
  });
}
