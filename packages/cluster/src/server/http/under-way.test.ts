import { expect, test } from 'vitest';
import { createVirtualClock } from '../../testing/virtual-clock.ts';
import { createUnderWay } from './under-way.ts';

const timeoutMs = 5_000;

test('what lasts is ended, also when it begins to last late, and the rest is waited for', async () => {
  const clock = createVirtualClock();
  const underWay = createUnderWay();
  const [watch, late, write] = [new AbortController(), new AbortController(), new AbortController()];
  for (const request of [watch, late, write]) underWay.add(request);
  underWay.lasts(watch);
  let finished = false;
  const finishing = underWay.finish({ clock, timeoutMs }).then(() => {
    finished = true;
  });
  underWay.lasts(late);
  expect([watch, late, write].map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
  for (const request of [watch, late]) underWay.remove(request);
  await clock.settle();
  expect(finished).toBe(false);
  underWay.remove(write);
  await finishing;
});

test('nobody is waited for beyond the limit, and no time where nothing is under way', async () => {
  const clock = createVirtualClock();
  await createUnderWay().finish({ clock, timeoutMs });
  const underWay = createUnderWay();
  underWay.add(new AbortController());
  const finishing = underWay.finish({ clock, timeoutMs });
  await clock.advance(timeoutMs);
  await finishing;
});
