import type { Clock } from '@signalbox/cluster';

/** How much the event loop is held up: by how much too late its timers come. */
export interface Heartbeat {
  /** Of the last beat, or of one that is due. */
  lateMs(): number;
  stop(): void;
}

const everyMs = 5_000;

export function startHeartbeat(clock: Clock): Heartbeat {
  let dueMs = clock.nowMs() + everyMs;
  let lastLateMs = 0;
  let cancel = clock.after(everyMs, beat);
  function beat(): void {
    lastLateMs = Math.max(0, clock.nowMs() - dueMs);
    dueMs = clock.nowMs() + everyMs;
    cancel = clock.after(everyMs, beat);
  }
  return { lateMs: () => Math.max(lastLateMs, clock.nowMs() - dueMs), stop: () => cancel() };
}
