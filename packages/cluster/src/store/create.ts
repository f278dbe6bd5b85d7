import { assert, InvariantError } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import { type CompactionLimits, compactByAge, createByteHorizon } from './compaction.ts';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import { createHolds } from './holds.ts';
import { createHub } from './hub.ts';
import { createLog, type Log } from './log.ts';
import type { Backend, BackendRecord, Store, StoreFailure } from './store.ts';
import { Version } from './version.ts';

export interface StoreOptions {
  readonly backend: Backend;
  readonly clock: Clock;
  readonly compaction: CompactionLimits;
  /**
   * Events waiting for one reader before it expires. Events are shared, so this costs one reference each. In process a
   * burst of commits is published before any reader gets a turn: choose no less than the largest burst.
   */
  readonly watcherBufferMax: number;
  /** Called with every write that failed as a whole, and when all are blocked. */
  readonly failed?: (failure: StoreFailure) => void;
}

/** Loads what the backend holds and takes it over: closing the store closes the backend, as does failing to load. */
export async function createStore(options: StoreOptions): Promise<Store> {
  const { backend, clock, compaction, watcherBufferMax } = options;
  assert(
    compaction.revisionsMax >= 1 && compaction.bytesMax >= 1 && watcherBufferMax >= 1,
    'the limits of a store are positive',
    { ...compaction, watcherBufferMax },
  );
  const log = await load(backend);
  const hub = createHub({ log, bufferMax: watcherBufferMax });
  const holds = createHolds();
  const horizon = createByteHorizon({ bytesMax: compaction.bytesMax });
  const forget = forgetsIn([log.compact.bind(log), hub.expire, holds.expire]);
  const committer = createGroupCommit({
    backend,
    clock,
    durable: log,
    failed: (failure) => options.failed?.(failure),
    applied(versions) {
      hub.publish(versions.map((version) => log.append(version)));
      log.compact(log.revision - compaction.revisionsMax);
      forget(horizon.advance(log.revision, log.supersededBytes));
    },
  });
  const stopCompaction = compactByAge({
    clock,
    ageMsMax: compaction.ageMsMax,
    revision: () => log.revision,
    compact: (revision) => log.compact(revision),
  });
  const stopLooking = lookForTrouble({ backend, clock, block: (reason) => committer.block(reason) });
  const close = async (): Promise<void> => {
    stopCompaction();
    stopLooking();
    await committer.close();
    hub.close();
    await backend.close();
  };
  let closing: Promise<void> | undefined;
  return {
    get revision() {
      return log.revision;
    },
    get compactedRevision() {
      return log.compactedRevision;
    },
    get failure() {
      return committer.failure;
    },
    get: (key) => log.get(key),
    list: (prefix, listOptions) => log.list(prefix, listOptions),
    count: (prefix, countOptions) => log.count(prefix, countOptions),
    ...committing(committer),
    encodes: backend.encodes === true,
    subscribe: (subscribeOptions) => hub.subscribe(subscribeOptions),
    async compact(revision) {
      log.compact(revision);
    },
    forget,
    hold: (revision, letGo) => holds.add(revision, letGo),
    weigh: (groupOf) => log.weigh(groupOf),
    get usage() {
      return { liveBytes: log.liveBytes, historyBytes: log.historyBytes };
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

function committing(committer: GroupCommit): Pick<Store, 'commit' | 'commitEach'> {
  return {
    commit: (write) => committer.commit(write),
    commitEach: (writes) => committer.commitEach(writes),
  };
}

const lookEveryMs = 2_000;

interface Looking {
  readonly backend: Backend;
  readonly clock: Clock;
  block(reason: string | undefined): void;
}

/** What is committed to a file that was removed is lost, and nothing fails: somebody has to look. Returns how to stop it. */
function lookForTrouble({ backend, clock, block }: Looking): () => void {
  if (backend.trouble === undefined) return () => undefined;
  let isStopped = false;
  let cancel: () => void = () => undefined;
  const look = async (): Promise<void> => {
    const reason = await backend.trouble?.();
    if (isStopped) return;
    block(reason);
    cancel = clock.after(lookEveryMs, () => void look());
  };
  cancel = clock.after(lookEveryMs, () => void look());
  return () => {
    isStopped = true;
    cancel();
  };
}

/** Each revision is forgotten once. */
function forgetsIn(places: readonly ((revision: number) => void)[]): (revision: number) => void {
  let forgotten = 0;
  return (revision) => {
    if (revision <= forgotten) return;
    forgotten = revision;
    for (const place of places) place(revision);
  };
}

async function load(backend: Backend): Promise<Log> {
  try {
    const { revision, records } = await backend.load();
    const versions: Version[] = [];
    // Waiting for each of very many that are at hand would take longer than all the rest.
    if (Symbol.iterator in records) for (const record of records) versions.push(toVersion(record));
    else for await (const record of records) versions.push(toVersion(record));
    return createLog(revision, versions);
  } catch (error) {
    await backend.close();
    throw error instanceof InvariantError ? notOurs(error) : error;
  }
}

/** It was not written like this by this version, so it is the user who has to mend it. */
function notOurs(cause: InvariantError): Error {
  const mend = 'restore a backup (signalbox restore FILE --data DIR), or begin with an empty folder';
  return new Error(`what is stored cannot be loaded: ${cause.message}; ${mend}`, { cause });
}

function toVersion({ key, revision, createdRevision, bytes }: BackendRecord): Version {
  // A text takes less room than a buffer and is what has to be parsed in the end.
  return new Version({ key, value: bytes.toString('utf8'), revision, createdRevision, deleted: false });
}
