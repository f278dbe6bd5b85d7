/**
 * An API server that cannot be reached fails everything that follows it, with each try. It is told of once and then rarely; the
 * other lines are for those who want to see all.
 */
import { type Clock, isUnreachable } from '@signalbox/cluster';
import type { Log } from './log.ts';

const tellEveryMs = 10 * 60_000;
/** Tries are a minute apart at most: whoever is silent for longer has reached it meanwhile. */
const overAfterMs = 120_000;

export function tellingOutagesOnce(log: Log, clock: Pick<Clock, 'nowMs'>): Log {
  let toldMs = -Infinity;
  let failedMs = -Infinity;
  return {
    write(line) {
      if (!isUnreachable(line.error)) return log.write(line);
      const nowMs = clock.nowMs();
      const isNew = nowMs - failedMs > overAfterMs || nowMs - toldMs > tellEveryMs;
      failedMs = nowMs;
      if (isNew) toldMs = nowMs;
      log.write(isNew ? line : { ...line, level: 'debug' });
    },
  };
}
