import fc from 'fast-check';
import { expect, test } from 'vitest';
import { freeze } from '../../base/freeze.ts';
import type { JsonObject } from '../record.ts';
import { applyMergePatch } from './merge.ts';

test.each<[JsonObject, JsonObject, JsonObject]>([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  [{ a: 'x' }, { a: { b: 1, c: null } }, { a: { b: 1 } }],
])('%j with %j is %j (RFC 7386)', (object, patch, expected) => {
  expect(applyMergePatch(freeze(object), freeze(patch))).toEqual(expected);
});

test.each([[[]], ['x'], [1], [undefined]])('%j is no merge patch of an object', (patch) => {
  expect(() => applyMergePatch({}, patch)).toThrow('error decoding patch: json: cannot unmarshal');
});

test('neither is null', () => expect(() => applyMergePatch({}, null)).toThrow('Invalid JSON Patch'));

test('untouched parts are shared, and nothing to change is the object itself', () => {
  const object = freeze({ metadata: { labels: { a: '1' } }, spec: { x: [1] } });
  expect(applyMergePatch(object, { metadata: { labels: { b: '2' } } })['spec']).toBe(object.spec);
  expect(applyMergePatch(object, { metadata: { labels: { a: '1', c: null } } })).toBe(object);
});

test('a key named __proto__ is data', () => {
  const patch = JSON.parse('{"__proto__":{"polluted":true},"a":{"__proto__":1}}') as unknown;
  const next = applyMergePatch({}, patch);
  expect(Object.getPrototypeOf(next)).toBe(Object.prototype);
  expect(JSON.stringify(next)).toBe('{"__proto__":{"polluted":true},"a":{"__proto__":1}}');
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('applying a patch twice is applying it once', () =>
  fc.assert(
    fc.property(fc.object({ maxDepth: 3 }), fc.object({ maxDepth: 3, withNullPrototype: false }), (object, patch) => {
      const plain = JSON.parse(JSON.stringify(object)) as JsonObject;
      const change = JSON.parse(JSON.stringify(patch)) as JsonObject;
      const once = applyMergePatch(plain, change);
      expect(applyMergePatch(once, change)).toEqual(once);
    }),
  ));
