import { toTimestamp } from '../../base/clock.ts';
import type { Finding } from './blocked.ts';

/** Stands in `status.conditions` only while it is true, as `RolloutBlocked` does. */
export const backingOffType = 'FailedPodsBackOff';

/** A failed pod that is left alone for a while. */
export interface BackingOff {
  readonly node: string;
  readonly pod: string;
  /** From the last failure on that node on. */
  readonly delayMs: number;
  readonly untilMs: number;
}

/** Shorter ones are over before anybody has read of them, and of a failing fleet each would be a write. */
const toldFromMs = 10_000;
/** The most that a message names. */
const namedMax = 3;

/** Which nodes have no pod that serves because failed ones are replaced ever more slowly; the next one first. */
export function whyBackingOff(all: readonly BackingOff[]): Finding | undefined {
  const told = all.filter(({ delayMs }) => delayMs >= toldFromMs);
  if (told.length === 0) return undefined;
  const named = [...told].sort((a, b) => a.untilMs - b.untilMs || (a.node < b.node ? -1 : 1)).slice(0, namedMax);
  const each = named.map(({ node, pod, untilMs }) => `${node} (pod ${pod} is replaced at ${toTimestamp(untilMs)})`);
  const more = told.length > named.length ? ` and ${told.length - named.length} more` : '';
  const count = told.length === 1 ? '1 node waits' : `${told.length} nodes wait`;
  return { reason: 'BackOff', message: `${count} with a failed pod: ${each.join(', ')}${more}` };
}
