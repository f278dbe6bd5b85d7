import { assert, present } from '../base/assert.ts';
import { createHistory, type History } from './history.ts';
import { createKeyIndex, type KeyIndex } from './key-index.ts';
import type { Expired, StoreCountOptions, StoreEvent, StoreList, StoreListOptions, Weight } from './store.ts';
import type { Entry, Version } from './version.ts';

/**
 * All versions of all keys since the last compaction, in memory; knows nothing of disks and time.
 *
 * Every key has a chain of versions from its newest back. History is the same versions in the order of their revisions,
 * which have no holes, so the version of a revision is found by subtraction. Forgetting a revision touches that version
 * alone: what it replaced can no longer be read and is cut off, and a deletion that is still the newest leaves the index.
 */
export interface Log {
  readonly revision: number;
  readonly compactedRevision: number;
  /** What the newest versions weigh together. */
  readonly liveBytes: number;
  /** What has been superseded or deleted since the start, forgotten or not. */
  readonly supersededBytes: number;
  /** What of that is kept for those who read the past. */
  readonly historyBytes: number;
  weigh(groupOf: (key: string) => string): ReadonlyMap<string, Weight>;
  /** The newest version, unless it is a deletion. */
  get(key: string): Version | undefined;
  list(prefix: string, options?: StoreListOptions): StoreList | Expired;
  count(prefix: string, options?: StoreCountOptions): number | Expired;
  /** Takes the version of the next revision. */
  append(version: Version): StoreEvent;
  /** The event of a revision that is reached and not compacted. */
  eventAt(revision: number): StoreEvent;
  /** Forgets everything that only reads before `revision` could see; at most up to the newest. */
  compact(revision: number): void;
}

/** Each is looked at for every new key. */
const emptyPrefixesMax = 16;

/** What was there before counts as compacted. */
export function createLog(revision: number, versions: Iterable<Version> = []): Log {
  return new MemoryLog(revision, versions);
}

class MemoryLog implements Log {
  revision: number;
  compactedRevision: number;
  liveBytes = 0;
  supersededBytes = 0;
  historyBytes = 0;
  readonly #entries = new Map<string, Entry>();
  readonly #index = createKeyIndex<Entry>();
  /** Those of the index whose newest version is a deletion, so that what is left can be counted. */
  readonly #deleted = createKeyIndex<Entry>();
  readonly #history: History = createHistory();
  /** Prefixes that were listed and under which there is nothing: what most writes look for, as limits, is not there. */
  readonly #empty = new Set<string>();

  constructor(revision: number, versions: Iterable<Version>) {
    this.revision = revision;
    this.compactedRevision = revision;
    for (const version of versions) {
      assert(version.revision <= revision, 'what is stored was written at a revision given out', {
        key: version.key,
        written: version.revision,
        revision,
      });
      this.#add(version);
    }
  }

  get(key: string): Version | undefined {
    const newest = this.#entries.get(key)?.newest;
    return newest === undefined || newest.deleted ? undefined : newest;
  }

  list(
    prefix: string,
    { at = this.revision, after = '', limit = Infinity }: StoreListOptions = {},
  ): StoreList | Expired {
    assert(at <= this.revision, 'a list reads a revision that was reached', { at, revision: this.revision });
    if (at < this.compactedRevision) return { expired: true, compactedRevision: this.compactedRevision };
    if (this.#empty.has(prefix) && at === this.revision) return { items: [], revision: at, more: false };
    const items: Version[] = [];
    let more = false;
    this.#index.scan(startOf(prefix, after), (entry) => {
      if (!entry.key.startsWith(prefix)) return false;
      const version = versionAt(entry, at);
      if (version === undefined) return true;
      more = items.length >= limit;
      if (!more) items.push(version);
      return !more;
    });
    if (items.length === 0 && at === this.revision && after === '' && limit > 0) this.#noteEmpty(prefix);
    return { items, revision: at, more };
  }

  /** What is there now, less what came since, more what went. */
  count(prefix: string, { at = this.revision, after = '' }: StoreCountOptions = {}): number | Expired {
    assert(at <= this.revision, 'a count reads a revision that was reached', { at, revision: this.revision });
    if (at < this.compactedRevision) return { expired: true, compactedRevision: this.compactedRevision };
    const isInside = (key: string): boolean => key > after && key.startsWith(prefix);
    const start = startOf(prefix, after);
    const end = endOf(prefix);
    const countIn = ({ size, rank }: KeyIndex<Entry>): number =>
      Math.max(0, (end === undefined ? size : rank(end)) - rank(start));
    let count = countIn(this.#index) - countIn(this.#deleted);
    for (let revision = at + 1; revision <= this.revision; revision++) {
      const version = this.#versionOf(revision);
      const change = Number(!version.deleted) - Number(version.older !== undefined && !version.older.deleted);
      if (change !== 0 && isInside(version.key)) count -= change;
    }
    return count;
  }

  append(version: Version): StoreEvent {
    assert(version.revision === this.revision + 1, 'revisions follow each other', {
      revision: this.revision,
      next: version.revision,
    });
    this.revision = version.revision;
    this.#history.push(version);
    const entry = version.entry ?? this.#entries.get(version.key);
    if (entry === undefined) this.#add(version);
    else {
      this.#weigh(version, entry.newest);
      if (entry.newest.deleted) this.#fills(version.key);
      if (version.deleted) this.#deleted.insert(entry);
      else if (entry.newest.deleted) this.#deleted.remove(entry.key);
      version.older = entry.newest;
      version.entry = entry;
      entry.newest = version;
    }
    return toEvent(version);
  }

  eventAt(revision: number): StoreEvent {
    return toEvent(this.#versionOf(revision));
  }

  compact(revision: number): void {
    const until = Math.min(revision, this.revision);
    while (this.compactedRevision < until) {
      const version = present(this.#history.shift(), 'the oldest revision in history');
      this.compactedRevision += 1;
      if (version.older !== undefined) this.historyBytes -= version.older.weightBytes;
      version.older = undefined;
      if (version.deleted && version.entry?.newest === version) {
        this.historyBytes -= version.weightBytes;
        this.#entries.delete(version.key);
        this.#index.remove(version.key);
        this.#deleted.remove(version.key);
      }
    }
  }

  /** A deletion's last state is the past from the start. */
  #weigh(version: Version, previous: Version): void {
    const superseded = (previous.deleted ? 0 : previous.weightBytes) + (version.deleted ? version.weightBytes : 0);
    this.supersededBytes += superseded;
    this.historyBytes += superseded;
    this.liveBytes += (version.deleted ? 0 : version.weightBytes) - (previous.deleted ? 0 : previous.weightBytes);
  }

  weigh(groupOf: (key: string) => string): ReadonlyMap<string, Weight> {
    const weights = new Map<string, Weight>();
    for (const { key, newest } of this.#entries.values()) {
      if (newest.deleted) continue;
      const group = groupOf(key);
      const { count, bytes } = weights.get(group) ?? { count: 0, bytes: 0 };
      weights.set(group, { count: count + 1, bytes: bytes + newest.weightBytes });
    }
    return weights;
  }

  #noteEmpty(prefix: string): void {
    if (this.#empty.size >= emptyPrefixesMax) this.#empty.clear();
    this.#empty.add(prefix);
  }

  #fills(key: string): void {
    for (const prefix of this.#empty) if (key.startsWith(prefix)) this.#empty.delete(prefix);
  }

  #versionOf(revision: number): Version {
    return present(this.#history.at(revision - this.compactedRevision - 1), `revision ${revision} in history`);
  }

  #add(version: Version): void {
    const entry: Entry = { key: version.key, newest: version };
    version.entry = entry;
    this.#fills(version.key);
    this.#entries.set(version.key, entry);
    this.#index.insert(entry);
    this.liveBytes += version.weightBytes;
  }
}

function versionAt({ newest }: Entry, revision: number): Version | undefined {
  let version: Version | undefined = newest;
  while (version !== undefined && version.revision > revision) version = version.older;
  return version?.deleted ? undefined : version;
}

function toEvent(version: Version): StoreEvent {
  const { older } = version;
  return {
    type: version.deleted ? 'delete' : 'put',
    key: version.key,
    stored: version,
    previous: older?.deleted ? undefined : older,
  };
}

/** The first key behind `after` is `after` and the lowest character. */
function startOf(prefix: string, after: string): string {
  return after >= prefix && after !== '' ? `${after}\0` : prefix;
}

/** The first key after all that begin with the prefix; undefined when there is none. */
function endOf(prefix: string): string | undefined {
  for (let length = prefix.length; length > 0; length--) {
    const last = prefix.charCodeAt(length - 1);
    if (last < 0xffff) return prefix.slice(0, length - 1) + String.fromCharCode(last + 1);
  }
  return undefined;
}
