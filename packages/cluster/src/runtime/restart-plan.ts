import { type Backoff, backoffMs } from '../base/backoff.ts';
import type { Random } from '../base/random.ts';

/** What becomes of a part of the plane that died: it starts again, later each time, or it died too often. */
export type Restart =
  | { readonly do: 'restart'; readonly inMs: number }
  | { readonly do: 'giveUp'; readonly deaths: number };

const backoff: Backoff = { initialMs: 1_000, maxMs: 30_000, factor: 2, jitter: 0.5 };
/** Deaths count for so long: who dies once a day is not dying. */
export const deathWindowMs: number = 10 * 60_000;
export const deathsMax = 5;

/** Pure. `deathsMs` holds when it died, the last death included. */
export function planRestart(
  deathsMs: readonly number[],
  { nowMs, random }: { readonly nowMs: number; readonly random: Random },
): Restart {
  const deaths = deathsMs.filter((diedMs) => nowMs - diedMs < deathWindowMs).length;
  if (deaths >= deathsMax) return { do: 'giveUp', deaths };
  return { do: 'restart', inMs: backoffMs(backoff, { attempt: Math.max(1, deaths), random }) };
}
