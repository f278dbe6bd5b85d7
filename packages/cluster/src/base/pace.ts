import type { Clock } from './clock.ts';

/**
 * Lets others have their turn in work of several steps. Where the steps are short, as nearly always, nothing waits; on a
 * virtual clock no step takes any time, so nothing ever does.
 */
export interface Pace {
  /** Undefined when the work has not taken long since its last rest; otherwise to be awaited before the next step. */
  rest(): Promise<void> | undefined;
}

const longMs = 20;

export function createPace(clock: Clock): Pace {
  let sinceMs = clock.nowMs();
  return {
    rest() {
      if (clock.nowMs() - sinceMs < longMs) return undefined;
      return clock.turn().then(() => {
        sinceMs = clock.nowMs();
      });
    },
  };
}
