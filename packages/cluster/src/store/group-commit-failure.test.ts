import { beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../base/clock.ts';
import { freeze } from '../base/freeze.ts';
import { NothingWrittenError } from './backend.ts';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import { createLog, type Log } from './log.ts';

/** Time that passes when told to. */
interface Hand extends Clock {
  passed(ms: number): Promise<void>;
}

function createHand(): Hand {
  let now = 0;
  let waiting: { readonly at: number; readonly work: () => void }[] = [];
  return {
    nowMs: () => now,
    after(delayMs, work) {
      const timer = { at: now + delayMs, work };
      waiting.push(timer);
      return () => {
        waiting = waiting.filter((each) => each !== timer);
      };
    },
    turn: settled,
    async passed(ms) {
      now += ms;
      const due = waiting.filter(({ at }) => at <= now);
      waiting = waiting.filter(({ at }) => at > now);
      for (const { work } of due) work();
      await settled();
    },
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('after a write that failed', () => {
  let clock: Hand;
  let log: Log;
  let committer: GroupCommit;
  let disk: { revision: number; write: Error | undefined; recover: Error | undefined; lands: boolean };
  let asked: number;
  let told: string[];
  beforeEach(() => {
    clock = createHand();
    log = createLog(0);
    disk = { revision: 0, write: undefined, recover: undefined, lands: false };
    asked = 0;
    told = [];
    committer = createGroupCommit({
      clock,
      durable: log,
      failed: ({ message }) => told.push(message),
      applied: (versions) => versions.forEach((version) => void log.append(version)),
      backend: {
        async write({ revision }) {
          if (disk.write === undefined || disk.lands) disk.revision = revision;
          if (disk.write !== undefined) throw disk.write;
        },
        async recover() {
          asked += 1;
          if (disk.recover !== undefined) throw disk.recover;
          return disk.revision;
        },
      },
    });
  });

  const write = (key: string, expected = 0): Promise<string> =>
    committer.commit({ key, expect: expected, kind: 'put', make: (revision) => freeze({ revision }) }).then(
      (outcome) => (outcome.ok ? `ok ${outcome.stored.revision}` : 'refused'),
      (error: Error & { readonly outcome: string }) => `${error.outcome}: ${error.message}`,
    );

  test('what did not reach the disk is refused, and the next write goes on', async () => {
    await write('/a');
    disk.write = new Error('EIO');
    expect(await write('/b')).toBe('nothing: nothing was written: EIO');
    expect(committer.failure).toBeUndefined();
    disk.write = undefined;
    expect(await write('/b')).toBe('ok 2');
  });

  test('what did reach the disk is acknowledged after all', async () => {
    disk.write = new Error('EIO');
    disk.lands = true;
    expect(await write('/a')).toBe('ok 1');
    expect([log.revision, committer.failure]).toEqual([1, undefined]);
  });

  test.each([
    ['reached the disk, it is published late', true, 1, 'ok 2'],
    ['did not, it is as if it never was', false, 0, 'ok 1'],
  ])('nothing is taken while nobody knows what the disk has; if the write %s', async (_, lands, revision, next) => {
    Object.assign(disk, { write: new Error('EIO'), recover: new Error('still EIO'), lands });
    expect(await write('/a')).toBe('unknown: nobody knows yet whether it was written: EIO');
    expect(await write('/b')).toMatch(/^nothing: no write is taken until it is known what the disk has: /);
    expect(committer.failure).toMatchObject({ permanent: false });
    await clock.passed(1_000);
    expect([asked, log.revision]).toEqual([2, 0]);
    Object.assign(disk, { write: undefined, recover: undefined });
    await clock.passed(10_000);
    expect([log.revision, committer.failure]).toEqual([revision, undefined]);
    expect(await write('/b')).toBe(next);
  });

  test('a full disk is looked at again without anybody writing', async () => {
    disk.write = new NothingWrittenError('the disk is full');
    disk.recover = new Error('the disk is still full');
    expect(await write('/a')).toBe('nothing: nothing was written: the disk is full');
    expect(told).toEqual(['nothing was written: the disk is full']);
    await clock.passed(1_000);
    expect(committer.failure).toMatchObject({ message: 'the disk is still full', permanent: false });
    disk.recover = undefined;
    await clock.passed(10_000);
    expect(committer.failure).toBeUndefined();
  });

  test('a revision on the disk that nobody here wrote ends the writes', async () => {
    await write('/a');
    disk.write = new Error('EIO');
    disk.revision = 7;
    expect(await write('/a', 1)).toMatch(/^unknown: .* the disk has revision 7, which this process has not written/);
    expect(committer.failure).toMatchObject({ permanent: true });
    expect(await write('/b')).toMatch(/^unknown: /);
  });

  test('while it is blocked nothing is written', async () => {
    committer.block('the folder is gone');
    expect(await write('/a')).toBe('nothing: the folder is gone');
    expect(committer.failure?.message).toBe('the folder is gone');
    committer.block(undefined);
    expect(await write('/a')).toBe('ok 1');
  });

  test('nothing is asked after the end', async () => {
    disk.write = new Error('EIO');
    disk.recover = new Error('EIO');
    await write('/a');
    await committer.close();
    await clock.passed(60_000);
    expect(asked).toBe(1);
  });
});
