/**
 * An API server that cannot be reached fails everything that follows it, with each try, and what is not allowed is refused with
 * each try. Either is told of once and then rarely; the other lines are for those who want to see all.
 */
import { type Clock, isStatusError, isUnreachable } from '@signalbox/cluster';
import type { Log, LogLine } from './log.ts';

const tellEveryMs = 10 * 60_000;
/** Tries are a minute apart at most: whoever is silent for longer has reached it meanwhile. */
const overAfterMs = 120_000;
/** More refusals than there are resources are of single objects; then some are told more often. */
const refusalsMax = 1_000;

/** Somebody has to grant something before it goes better. */
export function isRefusal(error: unknown): boolean {
  return isStatusError(error, 'Forbidden') || isStatusError(error, 'Unauthorized');
}

export function tellingOutagesOnce(log: Log, clock: Pick<Clock, 'nowMs'>): Log {
  let toldMs = -Infinity;
  let failedMs = -Infinity;
  const refusals = new Map<string, number>();
  const isNewRefusal = ({ component, message }: LogLine): boolean => {
    const [what, nowMs] = [`${component} ${message}`, clock.nowMs()];
    if (nowMs - (refusals.get(what) ?? -Infinity) <= tellEveryMs) return false;
    if (refusals.size >= refusalsMax) refusals.clear();
    refusals.set(what, nowMs);
    return true;
  };
  return {
    write(line) {
      if (isRefusal(line.error)) return log.write(isNewRefusal(line) ? line : { ...line, level: 'debug' });
      if (!isUnreachable(line.error)) return log.write(line);
      const nowMs = clock.nowMs();
      const isNew = nowMs - failedMs > overAfterMs || nowMs - toldMs > tellEveryMs;
      failedMs = nowMs;
      if (isNew) toldMs = nowMs;
      log.write(isNew ? line : { ...line, level: 'debug' });
    },
  };
}
