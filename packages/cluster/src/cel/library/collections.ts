import { comparesAll } from '../costs/list-rules.ts';
import { matches } from '../costs/rules.ts';
import { bool, int, listOf, mapOf, parameter, string } from '../types/type.ts';
import { Entries, Values, valuesOf } from '../values/collections.ts';
import { EvaluationError, type List, type Value } from '../values/value.ts';
import { isIn } from './operators.ts';
import { fn, integer, list, mapping, member, type Overload, required, text } from './overload.ts';
import { type Pattern, patternOf } from './pattern.ts';

const a = parameter('A');
const b = parameter('B');
const pair = [listOf(a), listOf(a)];

function containsAll(container: List, parts: List): boolean {
  return valuesOf(parts).every((part) => isIn(part, container));
}

const sets: readonly Overload[] = [
  fn('sets.contains', { parameters: pair, result: bool, costs: comparesAll(1) }, ([x, y]) =>
    containsAll(list(x), list(y)),
  ),
  fn(
    'sets.equivalent',
    { parameters: pair, result: bool, costs: comparesAll(2) },
    ([x, y]) => containsAll(list(x), list(y)) && containsAll(list(y), list(x)),
  ),
  fn('sets.intersects', { parameters: pair, result: bool, costs: comparesAll(1) }, ([x, y]) =>
    valuesOf(list(x)).some((value) => isIn(value, y)),
  ),
];

function pattern(value: Value | undefined): Pattern {
  const found = patternOf(text(value));
  if ('problem' in found) throw new EvaluationError(`Illegal regex: ${found.problem}`);
  return found;
}

const finding = { parameters: [string, string], costs: matches({ givesParts: true }) };

const patterns: readonly Overload[] = [
  member('find', { ...finding, result: string }, ([x, y]) => pattern(y).find(text(x)) ?? ''),
  member('findAll', { ...finding, result: listOf(string) }, ([x, y]) => new Values(pattern(y).findAll(text(x), -1))),
  member(
    'findAll',
    { ...finding, parameters: [string, string, int], result: listOf(string) },
    ([x, y, count]) => new Values(pattern(y).findAll(text(x), Number(integer(count)))),
  ),
];

/** The map that a macro makes, with one more entry. */
function inserted(made: Value | undefined, entries: Iterable<readonly [Value, Value]>): Value {
  const before = mapping(made);
  if (before instanceof Entries) {
    for (const [key, value] of entries) before.insert(key, value);
    return before;
  }
  return new Entries([...entriesOf(before), ...entries]);
}

function* entriesOf(value: Value | undefined): Iterable<readonly [Value, Value]> {
  const map = mapping(value);
  for (const key of map.keys()) yield [key, required(map.get(key))];
}

const insertions: readonly Overload[] = [
  fn('cel.@mapInsert', { parameters: [mapOf(a, b), a, b], result: mapOf(a, b) }, ([made, key, value]) =>
    inserted(made, [[required(key), required(value)]]),
  ),
  fn('cel.@mapInsert', { parameters: [mapOf(a, b), mapOf(a, b)], result: mapOf(a, b) }, ([made, other]) =>
    inserted(made, entriesOf(other)),
  ),
];

export const collections: readonly Overload[] = [...sets, ...patterns, ...insertions];
