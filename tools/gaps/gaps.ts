/** What raw `up` samples tell about sharding: how long nobody looked at a target, and when two shards did at once. */

/** One attempt to scrape a target, as one shard of one replica made it. */
export interface Scrape {
  /** What tells the target from others; the same whoever scrapes it. */
  readonly target: string;
  readonly replica: string;
  readonly shard: string;
  readonly atMs: number;
  readonly isUp: boolean;
}

/** A target as one replica saw it. Each replica has to see every target, by one shard. */
export interface TargetGaps {
  readonly target: string;
  readonly replica: string;
  /** In the order of their first scrapes. */
  readonly shards: readonly string[];
  readonly scrapes: number;
  /** Those that got no answer; they are scrapes all the same. */
  readonly failed: number;
  readonly longestGap: Gap;
  /** Of those at whose end another shard scraped it; undefined: none did. */
  readonly longestChange: Gap | undefined;
  readonly doubles: readonly Double[];
}

export interface Gap {
  readonly fromMs: number;
  readonly ms: number;
  readonly before: string;
  /** Undefined: nobody has come again until the end. */
  readonly after: string | undefined;
}

/** A time in which two shards of one replica both scraped the target. */
export interface Double {
  readonly shards: readonly [string, string];
  readonly fromMs: number;
  readonly toMs: number;
  /** How many were too many. */
  readonly scrapes: number;
}

export interface GapsReport {
  readonly fromMs: number;
  readonly toMs: number;
  /** Those with the longest gaps first. */
  readonly targets: readonly TargetGaps[];
}

/** A shard that was away for longer than so many of the usual distances has stopped in between. */
const distancesMax = 2.5;

export function findGaps(scrapes: readonly Scrape[]): GapsReport {
  const times = scrapes.map(({ atMs }) => atMs);
  const fromMs = times.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);
  const toMs = times.reduce((most, each) => Math.max(most, each), Number.NEGATIVE_INFINITY);
  const groups = grouped(scrapes, ({ target, replica }) => JSON.stringify([target, replica]));
  const targets = groups.flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [targetGaps(first, group, toMs)];
  });
  return { fromMs, toMs, targets: targets.toSorted((a, b) => b.longestGap.ms - a.longestGap.ms) };
}

function targetGaps({ target, replica }: Scrape, group: readonly Scrape[], toMs: number): TargetGaps {
  const scrapes = group.toSorted((a, b) => a.atMs - b.atMs);
  const gaps = gapsBetween(scrapes, toMs);
  const changes = gaps.filter(({ before, after }) => after !== undefined && after !== before);
  return {
    ...{ target, replica },
    shards: [...new Set(scrapes.map(({ shard }) => shard))],
    scrapes: scrapes.length,
    failed: scrapes.filter(({ isUp }) => !isUp).length,
    longestGap: longestOf(gaps) ?? { fromMs: toMs, ms: 0, before: '', after: undefined },
    longestChange: longestOf(changes),
    doubles: doubles(scrapes),
  };
}

/** The time from the last scrape to the end counts: a target that was lost for good has the longest of all. */
function gapsBetween(scrapes: readonly Scrape[], toMs: number): readonly Gap[] {
  return scrapes.map(({ atMs, shard }, index): Gap => {
    const next = scrapes[index + 1];
    return { fromMs: atMs, ms: (next?.atMs ?? toMs) - atMs, before: shard, after: next?.shard };
  });
}

function longestOf(gaps: readonly Gap[]): Gap | undefined {
  return gaps.toSorted((a, b) => b.ms - a.ms)[0];
}

/** A time without a break in which one shard scraped the target. */
interface Run {
  readonly shard: string;
  readonly times: readonly number[];
}

function doubles(scrapes: readonly Scrape[]): readonly Double[] {
  const runs = grouped(scrapes, ({ shard }) => shard)
    .flatMap((own) => runsOf(own))
    .toSorted((a, b) => firstOf(a) - firstOf(b));
  return runs.flatMap((one, index) =>
    runs.slice(index + 1).flatMap((other) => {
      const [fromMs, toMs] = [firstOf(other), Math.min(lastOf(one), lastOf(other))];
      if (one.shard === other.shard || fromMs > toMs) return [];
      const surplus = other.times.filter((atMs) => atMs <= toMs).length;
      return [{ shards: [one.shard, other.shard] as const, fromMs, toMs, scrapes: surplus }];
    }),
  );
}

function runsOf(scrapes: readonly Scrape[]): readonly Run[] {
  const times = scrapes.map(({ atMs }) => atMs);
  const distances = times.slice(1).map((atMs, index) => atMs - (times[index] ?? atMs));
  const usualMs = distances.toSorted((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 0;
  const starts = [0, ...distances.flatMap((ms, index) => (ms > usualMs * distancesMax ? [index + 1] : []))];
  const shard = scrapes[0]?.shard ?? '';
  return starts.map((start, index) => ({ shard, times: times.slice(start, starts[index + 1]) }));
}

const firstOf = ({ times }: Run): number => times[0] ?? 0;
const lastOf = ({ times }: Run): number => times.at(-1) ?? 0;

function grouped<T>(values: readonly T[], keyOf: (value: T) => string): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return [...groups.values()];
}
