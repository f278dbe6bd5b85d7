import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { equal } from '../../base/equal.ts';
import { decodeFieldSet } from './decode.ts';
import { showStep } from './element.ts';
import {
  difference,
  type FieldSet,
  inOrder,
  intersection,
  isEmpty,
  isIn,
  noFields,
  partOf,
  pathsOf,
  recursiveDifference,
  union,
} from './field-set.ts';

const steps = ['f:a', 'f:b', 'f:spec', 'k:{"name":"x"}', 'k:{"port":80,"protocol":"TCP"}', 'v:"s"', 'v:1', 'i:0'];

/** A set from some of its paths. */
function setOf(paths: readonly (readonly string[])[]): FieldSet {
  const put = (set: FieldSet, [first, ...rest]: readonly string[]): FieldSet => {
    if (first === undefined) return set;
    const part = set[first];
    const { '.': itself, ...under } = part ?? noFields;
    const wasMember = part !== undefined && (itself !== undefined || isEmpty(part));
    const next = partOf(put(under, rest), wasMember || rest.length === 0);
    return next === undefined ? set : { ...set, [first]: next };
  };
  return inOrder(paths.reduce(put, noFields));
}

const path = fc.array(fc.constantFrom(...steps), { minLength: 1, maxLength: 4 });
const anySet = fc.array(path, { maxLength: 12 }).map((paths) => ({ set: setOf(paths), paths }));
const texts = (set: FieldSet): readonly string[] => [...pathsOf(set)].map((each) => each.join('/')).sort();
const unique = (paths: readonly (readonly string[])[]): readonly string[] =>
  [...new Set(paths.map((each) => each.join('/')))].sort();

describe('laws', () => {
  test('a set is its paths', () => {
    fc.assert(
      fc.property(anySet, path, ({ set, paths }, other) => {
        expect(texts(set)).toEqual(unique(paths));
        expect(isIn(set, other)).toBe(paths.some((each) => each.join('/') === other.join('/')));
      }),
    );
  });

  test('union, difference and intersection are those of the paths', () => {
    fc.assert(
      fc.property(anySet, anySet, (a, b) => {
        const mine = unique(a.paths);
        const theirs = new Set(unique(b.paths));
        expect(texts(union(a.set, b.set))).toEqual(unique([...a.paths, ...b.paths]));
        expect(texts(difference(a.set, b.set))).toEqual(mine.filter((each) => !theirs.has(each)));
        expect(texts(intersection(a.set, b.set))).toEqual(mine.filter((each) => theirs.has(each)));
        const under = (each: string): boolean => [...theirs].some((top) => each === top || each.startsWith(`${top}/`));
        expect(texts(recursiveDifference(a.set, b.set))).toEqual(mine.filter((each) => !under(each)));
      }),
    );
  });

  test('what is read back is what was written', () => {
    fc.assert(
      fc.property(anySet, ({ set }) => {
        const read = decodeFieldSet(JSON.parse(JSON.stringify(set)));
        expect(equal(read, set)).toBe(true);
        expect(JSON.stringify(read)).toBe(JSON.stringify(set));
      }),
    );
  });

  test('operations leave what they do not change the very same', () => {
    fc.assert(
      fc.property(anySet, ({ set }) => {
        expect(union(set, set)).toBe(set);
        expect(union(set, noFields)).toBe(set);
        expect(difference(set, noFields)).toBe(set);
        expect(isEmpty(difference(set, set))).toBe(true);
        expect(texts(intersection(set, set))).toEqual(texts(set));
      }),
    );
  });
});

test.each<[string, unknown]>([
  ['the root itself', { '.': {} }],
  ['no object', []],
  ['a step of no kind', { spec: {} }],
  ['a key that is no JSON', { 'k:{x': {} }],
  ['a key without a name', { 'k:{}': {} }],
  ['a place that is no number', { 'i:x': {} }],
  ['a value under it that is none', { 'f:a': 'x' }],
])('%s is no set', (_what, value) => {
  expect(decodeFieldSet(value)).toBeUndefined();
});

test('what others write in another order reads the same; kinds of steps that we do not know are left out', () => {
  const read = decodeFieldSet({ 'k:{"protocol":"TCP","port":80}': { 'f:b': {}, '.': {}, 'f:a': {} }, 'z:new': {} });
  expect(JSON.stringify(read)).toBe(
    JSON.stringify({ 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:a': {}, 'f:b': {} } }),
  );
});

test('steps are shown as upstream shows them', () => {
  expect(steps.map(showStep)).toEqual([
    '.a',
    '.b',
    '.spec',
    '[name="x"]',
    '[port=80,protocol="TCP"]',
    '[="s"]',
    '[=1]',
    '[0]',
  ]);
});
