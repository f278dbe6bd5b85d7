import { expect, test } from 'vitest';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { type Clock, systemClock } from './clock.ts';
import { isQuiet } from './quiet.ts';

test('a turn that others needed is not quiet, and one that nobody needed is', async () => {
  const busy = isQuiet(systemClock);
  for (const endMs = performance.now() + 3; performance.now() < endMs; );
  expect(await busy).toBe(false);
  let tries = 0;
  while (!(await isQuiet(systemClock))) tries++;
  expect(tries).toBeLessThan(100);
});

test('in virtual time every turn is quiet, and is one turn', async () => {
  const virtual = createVirtualClock({ startMs: 5 });
  let turns = 0;
  const clock: Clock = {
    nowMs: virtual.nowMs,
    after: virtual.after,
    turn() {
      turns++;
      return virtual.turn();
    },
  };
  const quiet = isQuiet(clock);
  await virtual.settle();
  expect(await quiet).toBe(true);
  expect(turns).toBe(1);
});
