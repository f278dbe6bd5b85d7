import { assert } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';

/** How much history is kept. Whichever limit is reached first. */
export interface CompactionLimits {
  readonly revisionsMax: number;
  /** What is younger is kept; what is a tenth older is gone. */
  readonly ageMsMax: number;
  /** What was superseded and may still be held on to, by history, watches or lists under way, in bytes. */
  readonly bytesMax: number;
}

const marksPerBudget = 16;

/**
 * Finds the revision behind which nobody may stay, so that all that was superseded since weighs `bytesMax` at most. Works on
 * the running total of what was ever superseded, of which it notes a mark for each sixteenth of the budget: whoever holds what
 * could be read at a revision holds no more superseded bytes than came after it, and all such holders together hold them once.
 */
export interface ByteHorizon {
  /** To be told after each step; returns the revision, which never goes back. */
  advance(revision: number, supersededBytes: number): number;
}

export function createByteHorizon({ bytesMax }: { readonly bytesMax: number }): ByteHorizon {
  const marks: { readonly revision: number; readonly supersededBytes: number }[] = [];
  let horizon = 0;
  return {
    advance(revision, supersededBytes) {
      const isDue = supersededBytes - (marks.at(-1)?.supersededBytes ?? 0) >= bytesMax / marksPerBudget;
      if (isDue) marks.push({ revision, supersededBytes });
      if (supersededBytes <= bytesMax) return horizon;
      for (let oldest = marks[0]; oldest !== undefined; oldest = marks[0]) {
        horizon = Math.max(horizon, oldest.revision);
        if (supersededBytes - oldest.supersededBytes <= bytesMax) return horizon;
        marks.shift();
      }
      return horizon;
    },
  };
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
