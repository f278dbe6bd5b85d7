import { expect, test } from 'vitest';
import { Lately } from './lately.ts';

test('what is found again stays, whatever comes once in the meantime', () => {
  const lately = new Lately<string>();
  lately.add('again');
  for (let index = 0; index < 100; index++) {
    lately.add(`once ${index}`);
    if (index % 2 === 0) expect(lately.find((each) => each === 'again')).toBe('again');
  }
});

test('few are remembered, the newest among them', () => {
  const lately = new Lately<number>();
  for (let index = 0; index < 100; index++) lately.add(index);
  let seen = 0;
  lately.find(() => {
    seen += 1;
    return false;
  });
  expect(seen).toBe(8);
  expect(lately.find((each) => each === 99)).toBe(99);
  expect(lately.find((each) => each === 50)).toBeUndefined();
});

test('a new way comes to stay when it is found while it is on probation', () => {
  const lately = new Lately<string>();
  for (let index = 0; index < 20; index++) lately.add(`old ${index}`);
  lately.add('new');
  expect(lately.find((each) => each === 'new')).toBe('new');
  for (let index = 0; index < 20; index++) lately.add(`once ${index}`);
  expect(lately.find((each) => each === 'new')).toBe('new');
});
