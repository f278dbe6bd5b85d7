import type { VirtualClock } from '@signalbox/cluster/testing';

/** A virtual clock whose time of day can leap forward, as a computer's does when it wakes or is set right. */
export interface JumpingClock extends VirtualClock {
  /** Timers keep waiting for as long as they would have. */
  jump(deltaMs: number): void;
}

export function createJumpingClock(clock: VirtualClock): JumpingClock {
  let aheadMs = 0;
  return {
    ...clock,
    nowMs: () => clock.nowMs() + aheadMs,
    jump(deltaMs) {
      aheadMs += deltaMs;
    },
  };
}
