import { createVirtualClock } from '@signalbox/cluster/testing';
import { expect, test } from 'vitest';
import { untilLeft } from './orphan.ts';

const launcher = { pid: 2, parentId: 3 };

test.each<[string, { readonly parentId: number; readonly names: Readonly<Record<number, string>> }]>([
  ['npm ends and its shell stays', { parentId: 3, names: {} }],
  ['another process is given its id', { parentId: 3, names: { 2: '2.later' } }],
  ['the shell ends', { parentId: 1, names: { 2: '2.started' } }],
])('%s: it is noticed within a second', async (_, then) => {
  const clock = createVirtualClock();
  const { signal } = new AbortController();
  let now: typeof then = { parentId: 3, names: { 2: '2.started' } };
  let isLeft = false;
  const waiting = untilLeft(launcher, {
    table: { parentId: () => now.parentId },
    nameOf: (pid) => Promise.resolve(now.names[pid] ?? 'none'),
    clock,
    signal,
  }).then(() => {
    isLeft = true;
  });
  await clock.advance(60_000);
  expect(isLeft).toBe(false);
  now = then;
  await clock.advance(1_000);
  expect(isLeft).toBe(true);
  await waiting;
});

test.each([launcher, 'gone' as const])('who had ended before the watch began is not waited for: %o', async (found) => {
  const { signal } = new AbortController();
  const table = { parentId: () => 3 };
  const watching = { table, nameOf: () => Promise.resolve('none'), clock: createVirtualClock(), signal };
  await expect(untilLeft(found, watching)).resolves.toBeUndefined();
});
