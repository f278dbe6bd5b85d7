import type { Clock } from './clock.ts';

/**
 * Takes a turn of the loop and tells whether nobody else needed it: it was over within the millisecond. Who has time asks again until it is, and
 * works while others wait for their disk or network. Where time stands still, as in virtual time, every turn is quiet.
 */
export async function isQuiet(clock: Clock): Promise<boolean> {
  const beforeMs = clock.nowMs();
  await clock.turn();
  return clock.nowMs() === beforeMs;
}
