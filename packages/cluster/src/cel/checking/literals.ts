/** Mistakes in literals that would be found only when an expression runs, and elements of different types side by side. */
import { patternOf } from '../library/pattern.ts';
import { childrenOf } from '../syntax/children.ts';
import type { Problem } from '../syntax/problem.ts';
import type { Expression } from '../syntax/tree.ts';
import { isSameType } from '../types/assign.ts';
import { dyn, first, formatType, type Type } from '../types/type.ts';
import { parseDuration, parseTimestamp } from '../values/time.ts';
import type { Found } from './checked.ts';
import { formatProblems } from './format-clauses.ts';

export function* literalProblems(expression: Expression, found: Found): Iterable<Problem> {
  if (expression.kind === 'call') {
    yield* callProblems(expression);
    if (expression.name === 'format') yield* formatProblems(expression, (part) => found.types.get(part) ?? dyn);
  }
  if (expression.kind === 'list') {
    const elements = expression.elements.map((element, index) => ({
      at: element.at,
      type: inner(found.types.get(element) ?? dyn, expression.optional.has(index)),
    }));
    yield* mixedTypes(elements);
  }
  if (expression.kind === 'map') {
    yield* mixedTypes(expression.entries.map(({ key }) => ({ at: key.at, type: found.types.get(key) ?? dyn })));
    yield* mixedTypes(
      expression.entries.map(({ value, optional }) => ({
        at: value.at,
        type: inner(found.types.get(value) ?? dyn, optional),
      })),
    );
  }
  // What is formatted may be of any types, side by side.
  const children = expression.kind === 'call' && expression.name === 'format' ? [] : childrenOf(expression);
  for (const child of children) yield* literalProblems(child, found);
}

function inner(type: Type, isOptional: boolean): Type {
  return isOptional && type.kind === 'optional' ? first(type) : type;
}

function* callProblems({ name, args }: Expression & { readonly kind: 'call' }): Iterable<Problem> {
  const [argument, second] = args;
  if (name === 'matches') {
    const pattern = args.length === 2 ? second : argument;
    if (pattern?.kind === 'constant' && typeof pattern.value === 'string' && 'problem' in patternOf(pattern.value))
      yield { at: pattern.at, text: 'invalid matches argument' };
  }
  if (argument?.kind !== 'constant' || typeof argument.value !== 'string') return;
  if (name === 'duration' && parseDuration(argument.value) === undefined)
    yield { at: argument.at, text: 'invalid duration argument' };
  if (name === 'timestamp' && parseTimestamp(argument.value) === undefined)
    yield { at: argument.at, text: 'invalid timestamp argument' };
}

interface Typed {
  readonly at: number;
  readonly type: Type;
}

function* mixedTypes([head, ...rest]: readonly Typed[]): Iterable<Problem> {
  if (head === undefined) return;
  const wanted = head.type;
  for (const { at, type } of rest) {
    // What may be anything is of another type than a text.
    if (isSameType(wanted, type)) continue;
    yield { at, text: `expected type '${formatType(wanted)}' but found '${formatType(type)}'` };
    return;
  }
}
