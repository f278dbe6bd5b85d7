import { type Labels, matchesRequirement, type Requirement, type SelectorTerm } from './requirement.ts';

/** What a requirement wants, for people: `disk=ssd`, `zone in (a, b)`, `no label gpu`. */
export function describeRequirement({ key, operator, values = [] }: Requirement): string {
  const list = `(${values.join(', ')})`;
  switch (operator) {
    case 'In':
      return values.length === 1 ? `${key}=${values[0]}` : `${key} in ${list}`;
    case 'NotIn':
      return values.length === 1 ? `${key} other than ${values[0]}` : `${key} not in ${list}`;
    case 'Exists':
      return `a label ${key}`;
    case 'DoesNotExist':
      return `no label ${key}`;
    case 'Gt':
    case 'Lt':
      return `${key} ${operator === 'Gt' ? '>' : '<'} ${values.join()}`;
    default:
      return `${key} ${operator} ${list}`;
  }
}

/** What each of the alternatives wants first that the node does not have; undefined where one of them is met. */
export function describeUnmetTerms(
  terms: readonly SelectorTerm[],
  node: { readonly labels: Labels | undefined; readonly fields: Labels },
): string | undefined {
  const wanted = new Set<string>();
  for (const { matchExpressions = [], matchFields = [] } of terms) {
    const unmet =
      matchFields.find((each) => !matchesRequirement(each, node.fields)) ??
      matchExpressions.find((each) => !matchesRequirement(each, node.labels));
    if (unmet !== undefined) wanted.add(describeRequirement(unmet));
    // A term without conditions matches nothing.
    else if (matchExpressions.length + matchFields.length > 0) return undefined;
  }
  return wanted.size === 0 ? 'a term with conditions' : [...wanted].join(', or ');
}

/** All that one of the alternatives wants: `zone=a and disk=ssd, or zone=b`. */
export function describeTerms(terms: readonly SelectorTerm[]): string {
  const each = terms.map(({ matchExpressions = [], matchFields = [] }) =>
    [...matchExpressions, ...matchFields].map(describeRequirement).join(' and '),
  );
  return each.filter((text) => text !== '').join(', or ');
}
