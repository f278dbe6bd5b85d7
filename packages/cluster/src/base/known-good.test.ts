import { expect, test } from 'vitest';
import { isKnownGood, noteGood } from './known-good.ts';

test('what is known to be good stays as it is, and what is only equal is not known', () => {
  const value = { a: { b: 1 } };
  expect(isKnownGood(value)).toBe(false);
  noteGood(value);
  expect(isKnownGood(value)).toBe(true);
  expect(Object.isFrozen(value.a)).toBe(true);
  expect(isKnownGood({ a: { b: 1 } })).toBe(false);
});
