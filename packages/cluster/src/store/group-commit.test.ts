import { expect, test } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { freeze } from '../base/freeze.ts';
import { NothingWrittenError } from './backend.ts';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import { createLog, type Log } from './log.ts';
import type { BackendBatch, CommitOutcome } from './store.ts';

interface World {
  readonly log: Log;
  readonly committer: GroupCommit;
  /** What reached the backend: `4: /a@4 /b@3 -/c`. */
  readonly batches: readonly string[];
  /** Lets the batch under way become durable, or fail. */
  finish(error?: Error): Promise<void>;
}

function createWorld({ batchMax = 100, encodes = false } = {}): World {
  const log = createLog(0);
  const batches: string[] = [];
  let underWay: { resolve(): void; reject(error: Error): void } | undefined;
  const committer = createGroupCommit({
    batchMax,
    backend: {
      encodes,
      write(batch) {
        if (underWay !== undefined) throw new Error('two batches under way');
        batches.push(batchLine(batch));
        return new Promise((resolve, reject) => {
          underWay = { resolve, reject };
        });
      },
    },
    clock: systemClock,
    durable: log,
    applied: (versions) => versions.forEach((version) => void log.append(version)),
  });
  const finish = async (error?: Error): Promise<void> => {
    await settled();
    const batch = underWay;
    if (batch === undefined) throw new Error('no batch is under way');
    underWay = undefined;
    if (error === undefined) batch.resolve();
    else batch.reject(error);
    await settled();
  };
  return { log, committer, batches, finish };
}

function batchLine({ revision, puts, deletes }: BackendBatch): string {
  const changes = [...puts.map(({ key, revision: at }) => `${key}@${at}`), ...deletes.map((key) => `-${key}`)];
  return `${revision}: ${changes.join(' ')}`;
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Tracked {
  /** `pending`, `ok 3`, `refused 2` or the error. */
  state: string;
}

function commit({ committer }: World, key: string, change: { expect: number; kind?: 'put' | 'delete' }): Tracked {
  const tracked: Tracked = { state: 'pending' };
  const make = (revision: number): object => freeze({ revision });
  committer.commit({ key, expect: change.expect, kind: change.kind ?? 'put', make }).then(
    (outcome) => {
      tracked.state = outcomeLine(outcome);
    },
    (error: Error) => {
      tracked.state = `${error.name}: ${error.message}`;
    },
  );
  return tracked;
}

function outcomeLine(outcome: CommitOutcome): string {
  return outcome.ok ? `ok ${outcome.stored.revision}` : `refused ${outcome.current?.revision ?? 'nothing'}`;
}

const states = (tracked: readonly Tracked[]): readonly string[] => tracked.map(({ state }) => state);

test('what is committed while a batch is under way shares the next one', async () => {
  const world = createWorld();
  const first = commit(world, '/a', { expect: 0 });
  await settled();
  const others = ['/b', '/c', '/d'].map((key) => commit(world, key, { expect: 0 }));
  await world.finish();
  expect(states([first, ...others])).toEqual(['ok 1', 'pending', 'pending', 'pending']);
  await world.finish();
  expect(states(others)).toEqual(['ok 2', 'ok 3', 'ok 4']);
  expect(world.batches).toEqual(['1: /a@1', '4: /b@2 /c@3 /d@4']);
});

test('nothing is to be read before it is durable', async () => {
  const world = createWorld();
  commit(world, '/a', { expect: 0 });
  await settled();
  expect([world.log.revision, world.log.get('/a')]).toEqual([0, undefined]);
  await world.finish();
  expect([world.log.revision, world.log.get('/a')?.revision]).toEqual([1, 1]);
});

test('a write may follow one that is still on its way, and only its end reaches the disk', async () => {
  const world = createWorld();
  const chain = [
    commit(world, '/a', { expect: 0 }),
    commit(world, '/a', { expect: 1 }),
    commit(world, '/a', { expect: 2, kind: 'delete' }),
    commit(world, '/a', { expect: 0 }),
    commit(world, '/b', { expect: 0 }),
    commit(world, '/b', { expect: 5, kind: 'delete' }),
  ];
  await world.finish();
  expect(states(chain)).toEqual(['ok 1', 'ok 2', 'ok 3', 'ok 4', 'ok 5', 'ok 6']);
  expect(world.batches).toEqual(['6: /a@4 -/b']);
  expect(world.log.get('/a')?.createdRevision).toBe(4);
});

test('a write may follow one in the next batch after the one before became durable', async () => {
  const world = createWorld();
  commit(world, '/a', { expect: 0 });
  await settled();
  commit(world, '/a', { expect: 1 });
  await world.finish();
  const third = commit(world, '/a', { expect: 2 });
  const stale = commit(world, '/a', { expect: 1 });
  await world.finish();
  await world.finish();
  expect(states([third, stale])).toEqual(['ok 3', 'refused 3']);
});

test('a loser hears of it once the write that won is durable', async () => {
  const world = createWorld();
  const blocker = commit(world, '/x', { expect: 0 });
  await settled();
  const winner = commit(world, '/a', { expect: 0 });
  const loser = commit(world, '/a', { expect: 0 });
  await world.finish();
  expect(states([blocker, winner, loser])).toEqual(['ok 1', 'pending', 'pending']);
  await world.finish();
  expect(states([winner, loser])).toEqual(['ok 2', 'refused 2']);
  const stale = commit(world, '/a', { expect: 1 });
  await settled();
  expect(stale.state).toBe('refused 2');
});

test('who loses against a deletion on its way hears of it once the key is gone', async () => {
  const world = createWorld();
  commit(world, '/a', { expect: 0 });
  await world.finish();
  commit(world, '/a', { expect: 1, kind: 'delete' });
  const loser = commit(world, '/a', { expect: 1 });
  await settled();
  expect(loser.state).toBe('pending');
  await world.finish();
  expect(loser.state).toBe('refused nothing');
});

test('batches are bounded', async () => {
  const world = createWorld({ batchMax: 2 });
  const all = ['/a', '/b', '/c', '/d', '/e'].map((key) => commit(world, key, { expect: 0 }));
  for (let round = 0; round < 3; round++) await world.finish();
  expect(world.batches).toEqual(['2: /a@1 /b@2', '4: /c@3 /d@4', '5: /e@5']);
  expect(states(all)).toEqual(['ok 1', 'ok 2', 'ok 3', 'ok 4', 'ok 5']);
});

test('when the disk fails, everything on its way is rejected and later writes are too, until a restart', async () => {
  const world = createWorld();
  commit(world, '/a', { expect: 0 });
  await world.finish();
  const failed = [commit(world, '/a', { expect: 1 }), commit(world, '/a', { expect: 0 })];
  await settled();
  const queued = [commit(world, '/b', { expect: 0 }), commit(world, '/a', { expect: 2 })];
  await world.finish(new Error('EIO'));
  const later = [commit(world, '/c', { expect: 0 })];
  await settled();
  const message = 'StoreWriteError: the store takes no more writes until it is opened again: EIO';
  expect(states([...failed, ...queued, ...later])).toEqual([message, message, message, message, message]);
  expect([world.log.revision, world.log.get('/a')?.revision, world.batches.length]).toEqual([1, 1, 2]);
  expect(world.committer.failure).toMatchObject({ permanent: true });
  await world.committer.close();
});

test('when the disk is full, what is on its way is rejected and the next write goes on with the same revision', async () => {
  const world = createWorld();
  const failed = commit(world, '/a', { expect: 0 });
  await settled();
  const queued = commit(world, '/a', { expect: 1 });
  await world.finish(new NothingWrittenError('the disk is full'));
  const message = 'StoreWriteError: nothing was written: the disk is full';
  expect(states([failed, queued])).toEqual([message, message]);
  expect(world.committer.failure).toMatchObject({ message: 'nothing was written: the disk is full', permanent: false });
  const later = commit(world, '/a', { expect: 0 });
  await world.finish();
  expect([later.state, world.log.get('/a')?.value]).toEqual(['ok 1', { revision: 1 }]);
  expect(world.committer.failure).toBeUndefined();
});

test('a write that cannot be made takes no revision', async () => {
  const world = createWorld();
  const make = (): object => {
    throw new Error('no');
  };
  await expect(world.committer.commit({ key: '/a', expect: 0, kind: 'put', make })).rejects.toThrow('no');
  const next = commit(world, '/a', { expect: 0 });
  await world.finish();
  expect(next.state).toBe('ok 1');
});

test('close waits for what is on its way', async () => {
  const world = createWorld();
  const last = commit(world, '/a', { expect: 0 });
  let closed = false;
  const closing = world.committer.close().then(() => {
    closed = true;
  });
  const late = commit(world, '/b', { expect: 0 });
  await settled();
  expect([closed, late.state]).toEqual([false, 'StoreWriteError: the store is closed']);
  await world.finish();
  await closing;
  expect(last.state).toBe('ok 1');
});

test('what a backend has encoded is told with the outcome, and judged before anything is decided', async () => {
  const world = createWorld({ encodes: true });
  const write = {
    key: '/a',
    expect: 0,
    kind: 'put',
    make: (revision: number) => freeze({ revision }),
  } as const;
  const admit = (bytes: number): void => {
    throw new Error(`${bytes} bytes are too many`);
  };
  await expect(world.committer.commit({ ...write, admit })).rejects.toThrow('14 bytes are too many');
  const done = world.committer.commit({ ...write, wantsJson: true });
  await world.finish();
  const outcome = await done;
  expect(outcomeLine(outcome)).toBe('ok 1');
  const json = outcome.ok ? outcome.json : undefined;
  expect(json?.toString()).toBe('{"revision":1}');
  expect(world.batches).toEqual(['1: /a@1']);
  // What nobody wants is not told: its memory is used again.
  const next = world.committer.commit({ ...write, expect: 1 });
  await world.finish();
  expect(await next).not.toHaveProperty('json');
  expect(json?.toString()).toBe('{"revision":1}');
});

test('what was built on a write that fails, fails with it', async () => {
  const world = createWorld({ encodes: true });
  const make = (revision: number): object => freeze({ revision });
  const first = world.committer.commit({ key: '/a', expect: 0, kind: 'put', make }).catch(String);
  const second = [commit(world, '/a', { expect: 1, kind: 'delete' })];
  await world.finish(new NothingWrittenError('the disk is full'));
  const message = 'StoreWriteError: nothing was written: the disk is full';
  expect([await first, ...states(second)]).toEqual([message, message]);
});

function commitEach({ committer }: World, changes: readonly (readonly [key: string, expect: number])[]): string[] {
  const states = changes.map(() => 'pending');
  const make = (revision: number): object => freeze({ revision });
  committer.commitEach(changes.map(([key, expected]) => ({ key, expect: expected, kind: 'put', make }))).then(
    (outcomes) => {
      for (const [index, outcome] of outcomes.entries())
        states[index] = outcome instanceof Error ? `${outcome.name}: ${outcome.message}` : outcomeLine(outcome);
    },
    (error: Error) => states.fill(error.message),
  );
  return states;
}

test('each of many is decided for itself, and all wait for their batch as one', async () => {
  const world = createWorld();
  const first = commitEach(world, [
    ['/a', 0],
    ['/b', 7],
    ['/a', 0],
    ['/a', 1],
  ]);
  await settled();
  expect(first).toEqual(['pending', 'pending', 'pending', 'pending']);
  await world.finish();
  expect(first).toEqual(['ok 1', 'refused nothing', 'refused 2', 'ok 2']);
  expect(world.batches).toEqual(['2: /a@2']);
});

test('many that fill several batches are told when the last of them is durable, and what failed of each', async () => {
  const world = createWorld({ batchMax: 2 });
  const all = commitEach(world, [
    ['/a', 0],
    ['/b', 0],
    ['/c', 0],
  ]);
  await world.finish();
  expect(all).toEqual(['pending', 'pending', 'pending']);
  await world.finish(new NothingWrittenError('disk full'));
  expect(all.slice(0, 2)).toEqual(['ok 1', 'ok 2']);
  expect(all[2]).toContain('nothing was written: disk full');
});

test('what one of many is refused for is no matter of the others', async () => {
  const world = createWorld({ encodes: true });
  const make = (revision: number): object => freeze({ revision });
  const told = world.committer.commitEach([
    {
      ...({ key: '/a', expect: 0, kind: 'put', make } as const),
      admit: () => {
        throw new Error('too large');
      },
    },
    { key: '/b', expect: 0, kind: 'put', make },
  ]);
  await world.finish();
  expect(await told).toMatchObject([{ message: 'too large' }, { ok: true, stored: { key: '/b', revision: 1 } }]);
  await world.committer.close();
  await expect(world.committer.commitEach([{ key: '/c', expect: 0, kind: 'put', make }])).rejects.toThrow('closed');
});
