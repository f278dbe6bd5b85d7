/** Mistakes in what a text that is written out is formatted with, as far as its list is written out as well. */
import type { Problem } from '../syntax/problem.ts';
import type { Call, Expression } from '../syntax/tree.ts';
import type { Kind, Type } from '../types/type.ts';

interface Clause {
  readonly takes: ReadonlySet<Kind>;
  readonly words: string;
}

function clause(words: string, ...kinds: readonly Kind[]): Clause {
  return { takes: new Set<Kind>(['dyn', 'error', 'parameter', ...kinds]), words };
}

const doubles: readonly Kind[] = ['double', 'string'];
const hex = clause(
  'only integers, byte buffers, and strings can be formatted as hex',
  ...(['int', 'uint', 'string', 'bytes'] as const),
);
const clauses: ReadonlyMap<string, Clause> = new Map([
  [
    's',
    clause(
      'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
      ...(['string', 'bool', 'bytes', 'int', 'uint', 'double', 'null', 'map', 'list', 'type'] as const),
      ...(['duration', 'timestamp'] as const),
    ),
  ],
  ['d', clause('decimal clause can only be used on integers', 'int', 'uint')],
  ['f', clause('fixed-point clause can only be used on doubles', ...doubles)],
  ['e', clause('scientific clause can only be used on doubles', ...doubles)],
  ['b', clause('only integers and bools can be formatted as binary', 'int', 'uint', 'bool')],
  ['x', hex],
  ['X', hex],
  ['o', clause('octal clause can only be used on integers', 'int', 'uint')],
]);

const marks = /%(?:%|(?:\.(\d*))?(.?))/gsu;

/** Only the first one. */
export function* formatProblems(
  { target, args: [list], at }: Call,
  typeOf: (expression: Expression) => Type,
): Iterable<Problem> {
  if (target?.kind !== 'constant' || typeof target.value !== 'string' || list?.kind !== 'list') return;
  let next = 0;
  for (const [mark, , verb = ''] of target.value.matchAll(marks)) {
    if (mark === '%%') continue;
    if (verb === '') return yield { at, text: 'unexpected end of string' };
    const element = list.elements[next];
    if (element === undefined) return yield { at, text: `index ${next} out of range` };
    next++;
    const known = clauses.get(verb);
    if (known === undefined) {
      const text = `could not parse formatting clause: unrecognized formatting clause ${JSON.stringify(verb)}`;
      return yield { at, text };
    }
    const wrong = wrongPart(element, known, typeOf);
    if (wrong !== undefined) {
      const text = `error during formatting: ${known.words}, was given ${typeOf(wrong).name}`;
      return yield { at: wrong.at, text };
    }
  }
  const { length } = list.elements;
  if (length > next)
    yield { at, text: `too many arguments supplied to string.format (expected ${next}, got ${length})` };
}

function wrongPart(
  element: Expression,
  known: Clause,
  typeOf: (expression: Expression) => Type,
): Expression | undefined {
  if (!known.takes.has(typeOf(element).kind)) return element;
  if (element.kind !== 'list') return undefined;
  for (const inner of element.elements) {
    const wrong = wrongPart(inner, known, typeOf);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
