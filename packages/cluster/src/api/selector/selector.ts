import type { FieldPath, Issue } from '../issue.ts';
import type { LabelSelector, LabelSelectorRequirement } from '../meta.ts';
import { labelValueProblems, qualifiedNameProblems } from '../names.ts';
import { type LabelMatcher, matcherOf, type Requirement, type UnmetFinder, unmetOf } from './requirement.ts';

// Callers find everything about selectors here; the parts are files of their own.
export {
  type LabelMatcher,
  type Labels,
  matchesNodeSelectorTerms,
  matchesRequirement,
  type Requirement,
  type UnmetFinder,
} from './requirement.ts';
export { type FieldRequirement, parseFieldSelector, parseLabelSelector } from './text.ts';

/**
 * A selector as a function. Absent matches nothing, empty matches everything. Frozen selectors are compiled once. An
 * unknown operator matches nothing; {@link validateSelector} refuses it at the door.
 */
export function compileSelector(selector: LabelSelector | undefined | null): LabelMatcher {
  if (selector === undefined || selector === null) return matchesNothing;
  const known = compiled.get(selector);
  if (known !== undefined) return known;
  const matcher = matcherOf(requirementsOf(selector));
  if (Object.isFrozen(selector)) compiled.set(selector, matcher);
  return matcher;
}

const compiled = new WeakMap<LabelSelector, LabelMatcher>();
const matchesNothing: LabelMatcher = () => false;

/**
 * As {@link compileSelector}, for who has to say why not: `matchLabels`, by key, come before `matchExpressions`, so that the
 * same requirement is named however the selector was written. Those of `matchLabels` come back as `In` with one value.
 */
export function compileUnmet(selector: LabelSelector): UnmetFinder {
  const { matchLabels } = selector;
  if (matchLabels === undefined) return unmetOf(requirementsOf(selector));
  const sorted = Object.fromEntries(Object.entries(matchLabels).sort(([a], [b]) => (a < b ? -1 : 1)));
  return unmetOf(requirementsOf({ ...selector, matchLabels: sorted }));
}

function requirementsOf({ matchLabels, matchExpressions }: LabelSelector): readonly Requirement[] {
  const equalities = Object.entries(matchLabels ?? {}).map(([key, value]) => ({
    key,
    operator: 'In',
    values: [value],
  }));
  return [...equalities, ...(matchExpressions ?? [])];
}

/** True for `{}`, which matches every object. */
export function isEmptySelector({ matchLabels, matchExpressions }: LabelSelector): boolean {
  for (const _ in matchLabels) return false;
  return matchExpressions === undefined || matchExpressions.length === 0;
}

/** The string form that clients and `/scale` use, sorted by key: `a=b,c in (x,y),!d`. Empty selects everything. */
export function formatSelector(selector: LabelSelector | undefined | null): string {
  if (selector === undefined || selector === null) return '';
  const equalities = Object.entries(selector.matchLabels ?? {}).map(
    ([key, value]) => [key, `${key}=${value}`] as const,
  );
  const expressions = (selector.matchExpressions ?? []).map((each) => [each.key, formatExpression(each)] as const);
  return [...equalities, ...expressions]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, text]) => text)
    .join(',');
}

function formatExpression({ key, operator, values = [] }: LabelSelectorRequirement): string {
  const list = `(${[...values].sort().join(',')})`;
  switch (operator) {
    case 'In':
      return `${key} in ${list}`;
    case 'NotIn':
      return `${key} notin ${list}`;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return key;
  }
}

/** What is wrong with a label selector, as upstream words it. */
export function* validateSelector(selector: LabelSelector | undefined | null, at: FieldPath): Iterable<Issue> {
  if (selector === undefined || selector === null) return;
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    const place = at('matchLabels');
    for (const problem of qualifiedNameProblems(key)) yield place.invalid(key, problem);
    for (const problem of labelValueProblems(value)) yield place.invalid(value, problem);
  }
  for (const [index, expression] of (selector.matchExpressions ?? []).entries()) {
    yield* validateExpression(expression, at('matchExpressions', index));
  }
}

function* validateExpression({ key, operator, values = [] }: LabelSelectorRequirement, at: FieldPath): Iterable<Issue> {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) yield at('values').required("must be specified when `operator` is 'In' or 'NotIn'");
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) {
        yield at('values').forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      }
      break;
    default:
      yield at('operator').invalid(operator, 'not a valid selector operator');
  }
  for (const problem of qualifiedNameProblems(key)) yield at('key').invalid(key, problem);
  for (const [index, value] of values.entries()) {
    for (const problem of labelValueProblems(value)) yield at('values', index).invalid(value, problem);
  }
}
