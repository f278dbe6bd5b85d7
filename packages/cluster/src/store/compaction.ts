import { assert } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';

/** How much history is kept. Whichever is reached first. */
export interface CompactionLimits {
  readonly revisionsMax: number;
  /** What is younger is kept; what is a tenth older is gone. */
  readonly ageMsMax: number;
}

export interface AgeCompactionOptions {
  readonly clock: Clock;
  readonly ageMsMax: number;
  /** The newest revision. */
  revision(): number;
  compact(revision: number): void;
}

const marksPerAge = 10;

/**
 * Notes the revision ten times per age and forgets up to the note that is that old. Age is counted in ticks and not read off
 * the clock, so that a clock that jumps ahead does not expire every watch. Returns how to stop it.
 */
export function compactByAge({ clock, ageMsMax, revision, compact }: AgeCompactionOptions): () => void {
  assert(ageMsMax > 0, 'the age of compaction is positive', { ageMsMax });
  if (ageMsMax === Infinity) return () => undefined;
  const intervalMs = Math.max(1, Math.ceil(ageMsMax / marksPerAge));
  const marks = [revision()];
  const tick = (): void => {
    marks.push(revision());
    if (marks.length > marksPerAge) compact(marks.shift() ?? 0);
    cancel = clock.after(intervalMs, tick);
  };
  let cancel = clock.after(intervalMs, tick);
  return () => cancel();
}
