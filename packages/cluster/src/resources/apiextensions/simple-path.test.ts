import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSimplePath, valueAt, withValueAt } from './simple-path.ts';

test.each([
  ['.spec.replicas', ['spec', 'replicas']],
  ['.spec.a\\.b', ['spec', 'a.b']],
  [".spec['a.b']", ['spec', 'a.b']],
  ['spec', undefined],
  ['', undefined],
  ['.', undefined],
  ['.spec[0]', undefined],
  ['.spec..a', undefined],
  ['.spec[*]', undefined],
  ['.spec.a b', undefined],
])('%j', (path, expected) => expect(parseSimplePath(path)).toEqual(expected));

test('what is set is found, and nothing else changes', () => {
  const names = fc.array(fc.constantFrom('a', 'b', '__proto__', 'constructor'), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(names, fc.integer(), (path, value) => {
      const object = Object.freeze({ kept: 1 });
      const next = withValueAt<object>(object, path, value);
      expect(valueAt(next, path)).toBe(value);
      expect(next).toMatchObject({ kept: 1 });
      expect(object).toEqual({ kept: 1 });
      expect(Object.getPrototypeOf(next)).toBe(Object.prototype);
    }),
  );
});

test('inherited names are no fields', () => {
  expect(valueAt({}, ['constructor'])).toBeUndefined();
  expect(valueAt({ a: null }, ['a', 'b'])).toBeUndefined();
});
