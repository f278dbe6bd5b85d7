/** What the process and its store hold, in bytes. */
export interface MemoryFacts {
  /** What the process may hold. */
  readonly limitBytes: number;
  /** What it holds of the machine's memory and the system cannot take back. */
  readonly residentBytes: number;
  /** What is in use, garbage included, of the heap and of buffers beside it. */
  readonly usedBytes: number;
  /** The same right after garbage was last collected. */
  readonly usedAfterCollectionBytes: number;
  readonly heapUsedBytes: number;
  /** Where the engine ends the process. */
  readonly heapLimitBytes: number;
  /** Superseded versions that the store keeps. */
  readonly historyBytes: number;
  /** What was decided before: a door that was closed opens only a little below the mark, so that it does not flap. */
  readonly refuses: Refuses;
}

/**
 * `growth`: users create nothing and make nothing larger; the cluster's own parts go on. `all`: nor do they, and nobody gets
 * everything at once. Deleting is never refused.
 */
export type Refuses = 'nothing' | 'growth' | 'all';

export interface MemoryPlan {
  /** Let go of the past: of history, of watches and lists that are behind. */
  readonly forget: boolean;
  /** Find out what of it is garbage. What is refused is decided anew after that. */
  readonly collect: boolean;
  readonly refuses: Refuses;
}

/** Shares of the limit. Between them is room for what requests under way still need. */
const marks = { collect: 0.5, forget: 0.6, growth: 0.7, all: 0.8 } as const;
const hysteresis = 0.05;
/** Less garbage than this share of the limit is not worth a pause. */
const garbageShareMin = 1 / 16;
/** What the program itself takes beside heap and buffers. */
const programBytes = 40 * 2 ** 20;

export function planMemory(facts: MemoryFacts): MemoryPlan {
  const { limitBytes, usedBytes, usedAfterCollectionBytes, historyBytes } = facts;
  const pressure = pressureOf(facts);
  const isGarbageLikely = usedBytes - usedAfterCollectionBytes > limitBytes * garbageShareMin;
  const isResidentHigh = facts.residentBytes > limitBytes * marks.collect;
  const forget = pressure > marks.forget && historyBytes > limitBytes * garbageShareMin;
  return {
    forget,
    collect: (pressure > marks.collect || isResidentHigh) && (isGarbageLikely || forget),
    refuses: refusalOf(pressure, facts.refuses),
  };
}

/**
 * How full it is, as a share. By what is in use, because memory that was given back by the program and not yet to the system is
 * used again first; by what is resident only once that is about to pass the limit itself.
 */
export function pressureOf({
  limitBytes,
  residentBytes,
  usedBytes,
  heapUsedBytes,
  heapLimitBytes,
}: Omit<MemoryFacts, 'refuses'>): number {
  const used = (usedBytes + programBytes) / limitBytes;
  const heap = heapUsedBytes / heapLimitBytes;
  const resident = residentBytes / limitBytes;
  return Math.max(used, heap, resident > marks.all + hysteresis ? resident : 0);
}

function refusalOf(pressure: number, before: Refuses): Refuses {
  const slack = (kept: boolean): number => (kept ? hysteresis : 0);
  if (pressure > marks.all - slack(before === 'all')) return 'all';
  return pressure > marks.growth - slack(before !== 'nothing') ? 'growth' : 'nothing';
}

/** What somebody wants to do that takes memory. */
export interface MemoryRequest {
  readonly does: 'create' | 'change' | 'list everything';
  /** One of the cluster's own parts, or somebody who keeps a lead. */
  readonly isSystem: boolean;
  /** By how much the object becomes larger, for a change. */
  readonly growthBytes: number;
}

/** A change may always add so much: a mark of deletion, a condition. */
const growthBytesFree = 1024;

export function isAdmitted(refuses: Refuses, { does, isSystem, growthBytes }: MemoryRequest): boolean {
  switch (refuses) {
    case 'nothing':
      return true;
    case 'growth':
      return isSystem || does === 'list everything' || (does === 'change' && growthBytes <= growthBytesFree);
    case 'all':
      return does === 'change' ? growthBytes <= growthBytesFree : does === 'list everything' && isSystem;
    default:
      return refuses satisfies never;
  }
}
