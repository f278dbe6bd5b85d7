import { expect, test } from 'vitest';
import { createVirtualClock } from '../../testing/virtual-clock.ts';
import { within } from './within.ts';

const forever = (): Promise<never> => new Promise(() => undefined);

test('work that takes too long is told to stop, and answered for', async () => {
  const clock = createVirtualClock();
  const controller = new AbortController();
  const waiting = within(1_000, { clock, controller, work: forever });
  const judged = expect(waiting).rejects.toMatchObject({ status: { code: 504 } });
  await clock.advance(1_000);
  await judged;
  expect(controller.signal.aborted).toBe(true);
});

test('whoever aborts the work need not wait for it', async () => {
  const controller = new AbortController();
  const waiting = within(1_000, { clock: createVirtualClock(), controller, work: forever });
  controller.abort(new Error('the client has gone'));
  await expect(waiting).rejects.toThrow('the client has gone');
});

test('what is done in time is not aborted later', async () => {
  const clock = createVirtualClock();
  const controller = new AbortController();
  expect(await within(1_000, { clock, controller, work: async () => 'done' })).toBe('done');
  const failing = within(1_000, { clock, controller, work: () => Promise.reject(new Error('it broke')) });
  await expect(failing).rejects.toThrow('it broke');
  await clock.advance(2_000);
  expect(controller.signal.aborted).toBe(false);
});
