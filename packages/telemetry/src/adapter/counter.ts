/** What a counter or gauge said, and when. */
export interface Sample {
  readonly atMs: number;
  readonly value: number;
}

export interface Rate {
  /** A second. */
  readonly value: number;
  readonly atMs: number;
  /** What it is measured over. */
  readonly overMs: number;
}

/**
 * How fast a counter grew from the first to the last of these samples, in time order. A smaller value than before means that
 * it began anew at zero. Undefined with fewer than two: nobody knows yet. Pure.
 */
export function rateOf(samples: readonly Sample[]): Rate | undefined {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.atMs <= first.atMs) return undefined;
  let grown = 0;
  let before = first.value;
  for (const { value } of samples) {
    grown += value >= before ? value - before : value;
    before = value;
  }
  const overMs = last.atMs - first.atMs;
  return { value: (grown * 1_000) / overMs, atMs: last.atMs, overMs };
}

/** With the new sample, without those that are older than the window; one that is as old or older stays, to measure from. */
export function keptSamples(samples: readonly Sample[], added: Sample, windowMs: number): readonly Sample[] {
  const fromMs = added.atMs - windowMs;
  const first = samples.findLastIndex(({ atMs }) => atMs <= fromMs);
  return [...samples.slice(Math.max(0, first)), added];
}
