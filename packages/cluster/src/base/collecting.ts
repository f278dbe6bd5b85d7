/** When V8 collects garbage. A process says it of itself; nothing in this package does so unasked. */
import type { Clock } from './clock.ts';
import { type EngineFlag, setEngineFlag } from './engine-flags.ts';

const delay = { usual: '--gc-memory-reducer-start-delay-ms=8000' };
const growth = { usual: '--heap-growing-percent=0' };

/** What the JavaScript of a process takes. */
export interface Used {
  /** Processor time since its start, all threads. */
  cpuMs(): number;
  /** Garbage included. */
  usedBytes(): number;
}

export interface Surroundings {
  readonly used: Used;
  readonly clock: Clock;
  readonly say?: (flag: EngineFlag) => void;
}

const lookEveryMs = 5_000;
/** Less than a seventh of the time is rest: what is done then is a fleet's signs of life. */
const restShareMax = 0.15;
/** The garbage between two collections may be as much as this, */
const garbageBytesMax = 256 * 1024 * 1024;
/** or as this much of what is in use where that is more: all of it is looked through each time. */
const percentMin = 40;
/** It is never more than what is in use at rest, and three times as much under load: there V8 goes no further either. */
const percentMax = { atRest: 100, underLoad: 300 };

/**
 * Garbage is collected when it is much, and not also every few seconds where little happens. For who makes a little of it all the time:
 * V8 lets a heap that grows slowly grow by a tenth alone, and would look through all of a large fleet at rest for a few megabytes;
 * one that grows fast it lets become four times as large. Returns how to take all of that back.
 */
export function collectWhenMuch(engine: string, { used, clock, say = setEngineFlag }: Surroundings): () => void {
  // Of Node.js 20; later engines were not measured.
  if (!engine.startsWith('11.')) return () => undefined;
  say({ ...delay, set: '--gc-memory-reducer-start-delay-ms=2000000000' });
  let spentMs = used.cpuMs();
  let said = 0;
  const look = (): void => {
    const nowMs = used.cpuMs();
    const percent = growthPercent((nowMs - spentMs) / lookEveryMs, used.usedBytes());
    spentMs = nowMs;
    if (percent !== said) say({ ...growth, set: `--heap-growing-percent=${percent}` });
    said = percent;
    cancel = clock.after(lookEveryMs, look);
  };
  let cancel = clock.after(lookEveryMs, look);
  return () => {
    cancel();
    say({ ...delay, set: delay.usual });
    say({ ...growth, set: growth.usual });
  };
}

/** In steps, for nobody has to hear of every megabyte. */
function growthPercent(share: number, usedBytes: number): number {
  const max = share < restShareMax ? percentMax.atRest : percentMax.underLoad;
  return Math.min(max, Math.max(percentMin, 10 * Math.floor((10 * garbageBytesMax) / usedBytes)));
}
