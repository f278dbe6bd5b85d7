import { expect, test } from 'vitest';
import { later } from './later.ts';

test('is loaded once, when somebody asks', async () => {
  let loads = 0;
  const part = later(async () => ++loads);
  expect(part.isHere).toBe(false);
  expect(() => part.now()).toThrow('a part is loaded before it is used');
  expect([await part.load(), await part.load()]).toEqual([1, 1]);
  expect([part.isHere, part.now()]).toEqual([true, 1]);
});

test('is tried again after a failure', async () => {
  let isBroken = true;
  const part = later(async () => {
    if (isBroken) throw new Error('no such file');
    return 'part';
  });
  await expect(part.load()).rejects.toThrow('no such file');
  isBroken = false;
  expect(await part.load()).toBe('part');
});
