import { expect, test } from 'vitest';
import { xxhash64 } from './xxhash64.ts';

// Values of xxhsum, the program of the specification's own project.
test.each([
  ['', 'ef46db3751d8e999'],
  ['a', 'd24ec4f1a98c6e5b'],
  ['abc', '44bc2cf5ad770999'],
  ['Nobody inspects the spammish repetition', 'fbcea83c8a378bf1'],
])('the hash of %j is %s', (text, expected) => {
  expect(xxhash64(text).toString(16)).toBe(expected);
});
