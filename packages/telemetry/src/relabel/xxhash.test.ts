import { expect, test } from 'vitest';
import { xxhash64 } from './xxhash.ts';

// The published vectors; the long one goes through all lanes.
test.each([
  ['', 'ef46db3751d8e999'],
  ['a', 'd24ec4f1a98c6e5b'],
  ['abc', '44bc2cf5ad770999'],
  ['Nobody inspects the spammish repetition', 'fbcea83c8a378bf1'],
])('of %j', (text, sum) => {
  expect(xxhash64(text).toString(16)).toBe(sum);
});

test.each([
  ['127.0.0.1:1', 221],
  ['127.0.0.1:18429', 53],
])('vmagent 1.79 puts %s into slot %i of 512', (address, slot) => {
  expect(Number(xxhash64(address) % 512n)).toBe(slot);
});
