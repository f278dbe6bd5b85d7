import { assert, present } from '../base/assert.ts';
import { createKeyIndex } from './key-index.ts';
import type { Expired, StoreEvent, StoreList, StoreListOptions } from './store.ts';
import type { Version } from './version.ts';

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
  /** The newest version, unless it is a deletion. */
  get(key: string): Version | undefined;
  list(prefix: string, options?: StoreListOptions): StoreList | Expired;
  /** Takes the version of the next revision. */
  append(version: Version): StoreEvent;
  /** The event of a revision that is reached and not compacted. */
  eventAt(revision: number): StoreEvent;
  /** Forgets everything that only reads before `revision` could see; at most up to the newest. */
  compact(revision: number): void;
}

interface Entry {
  readonly key: string;
  newest: Version;
}

/** What was there before counts as compacted. */
export function createLog(revision: number, versions: Iterable<Version> = []): Log {
  return new MemoryLog(revision, versions);
}

class MemoryLog implements Log {
  revision: number;
  compactedRevision: number;
  readonly #entries = new Map<string, Entry>();
  readonly #index = createKeyIndex<Entry>();
  readonly #history: History = createHistory();

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
    const items: Version[] = [];
    let remaining = 0;
    this.#index.scan(after > prefix ? after : prefix, (entry) => {
      if (!entry.key.startsWith(prefix)) return false;
      const version = entry.key === after ? undefined : versionAt(entry, at);
      if (version === undefined) return true;
      if (items.length < limit) items.push(version);
      else remaining += 1;
      return true;
    });
    return { items, revision: at, remaining };
  }

  append(version: Version): StoreEvent {
    assert(version.revision === this.revision + 1, 'revisions follow each other', {
      revision: this.revision,
      next: version.revision,
    });
    this.revision = version.revision;
    this.#history.push(version);
    const entry = this.#entries.get(version.key);
    if (entry === undefined) this.#add(version);
    else {
      version.older = entry.newest;
      entry.newest = version;
    }
    return toEvent(version);
  }

  eventAt(revision: number): StoreEvent {
    return toEvent(present(this.#history.at(revision - this.compactedRevision - 1), `revision ${revision} in history`));
  }

  compact(revision: number): void {
    const until = Math.min(revision, this.revision);
    while (this.compactedRevision < until) {
      const version = present(this.#history.shift(), 'the oldest revision in history');
      this.compactedRevision += 1;
      version.older = undefined;
      if (version.deleted && this.#entries.get(version.key)?.newest === version) {
        this.#entries.delete(version.key);
        this.#index.remove(version.key);
      }
    }
  }

  #add(version: Version): void {
    const entry: Entry = { key: version.key, newest: version };
    this.#entries.set(version.key, entry);
    this.#index.insert(entry);
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

/** First in, first out, with access by position. */
interface History {
  push(version: Version): void;
  shift(): Version | undefined;
  at(position: number): Version | undefined;
}

function createHistory(): History {
  const versions: (Version | undefined)[] = [];
  let first = 0;
  return {
    push: (version) => void versions.push(version),
    at: (position) => versions[first + position],
    shift() {
      const version = versions[first];
      if (version === undefined) return undefined;
      versions[first] = undefined;
      first += 1;
      // Moving the rest only when it is the smaller half makes a shift cheap on average.
      if (first > 64 && first * 2 > versions.length) {
        versions.splice(0, first);
        first = 0;
      }
      return version;
    },
  };
}
