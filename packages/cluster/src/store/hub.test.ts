import { expect, test } from 'vitest';
import { readyOf } from '../base/eager.ts';
import { type EventReader, take } from '../testing/store/contract.ts';
import { createHub, type Hub } from './hub.ts';
import { createLog, type Log } from './log.ts';
import type { Expired, StoreEvent } from './store.ts';
import { Version } from './version.ts';

interface World {
  readonly log: Log;
  readonly hub: Hub;
  write(...keys: readonly string[]): void;
  follow(prefix: string, options?: { readonly from?: number; readonly signal?: AbortSignal }): EventReader;
}

function createWorld({ bufferMax = 3 } = {}): World {
  const log = createLog(0);
  const hub = createHub({ log, bufferMax });
  return {
    log,
    hub,
    write: (...keys) =>
      hub.publish(
        keys.map((key) => {
          const revision = log.revision + 1;
          return log.append(new Version({ key, value: {}, revision, createdRevision: revision, deleted: false }));
        }),
      ),
    follow: (prefix, { from = log.revision, signal = new AbortController().signal } = {}) =>
      hub.subscribe({ prefix, from, signal })[Symbol.asyncIterator](),
  };
}

test.each([
  ['', ['put /a/x 1', 'put /a/x/1 2', 'put /ab 3', 'put b 4']],
  ['/', ['put /a/x 1', 'put /a/x/1 2', 'put /ab 3']],
  ['/a', ['put /a/x 1', 'put /a/x/1 2', 'put /ab 3']],
  ['/a/', ['put /a/x 1', 'put /a/x/1 2']],
  ['/a/x', ['put /a/x 1', 'put /a/x/1 2']],
  ['/a/x/', ['put /a/x/1 2']],
  ['/a/x/1', ['put /a/x/1 2']],
  ['/a/x/12', []],
])('a reader of %j sees what begins so, live and replayed', async (prefix, expected) => {
  const { hub, write, follow } = createWorld({ bufferMax: 10 });
  const live = follow(prefix);
  write('/a/x', '/a/x/1', '/ab', 'b');
  const replayed = follow(prefix, { from: 0 });
  hub.close();
  expect(await take(live, expected.length + 1)).toEqual([...expected, 'end']);
  expect(await take(replayed, expected.length + 1)).toEqual([...expected, 'end']);
});

test('a full buffer expires its reader and nobody else', async () => {
  const { hub, write, follow } = createWorld({ bufferMax: 2 });
  const slow = follow('/a/');
  const other = follow('/b/');
  write('/a/1', '/a/2', '/b/1');
  expect(hub.size).toBe(2);
  write('/a/3', '/b/2');
  expect(hub.size).toBe(1);
  expect(await take(slow, 2)).toEqual(['expired 0', 'end']);
  expect(await take(other, 2)).toEqual(['put /b/1 3', 'put /b/2 5']);
});

test('a reader that keeps up never expires, however much is written', async () => {
  const { hub, write, follow } = createWorld({ bufferMax: 2 });
  const reader = follow('/');
  for (let round = 1; round <= 500; round++) {
    write('/a', '/b');
    expect(await take(reader, 2)).toEqual([
      `put /a ${round * 2 - 1}${round > 1 ? `<${round * 2 - 3}` : ''}`,
      `put /b ${round * 2}${round > 1 ? `<${round * 2 - 2}` : ''}`,
    ]);
  }
  expect(hub.size).toBe(1);
});

test('a replay may be longer than the buffer, and what comes meanwhile follows it', async () => {
  const { write, follow } = createWorld({ bufferMax: 2 });
  write('/1', '/2', '/3', '/4', '/5');
  const reader = follow('/', { from: 1 });
  expect(await take(reader, 1)).toEqual(['put /2 2']);
  write('/6', '/7');
  expect(await take(reader, 5)).toEqual(['put /3 3', 'put /4 4', 'put /5 5', 'put /6 6', 'put /7 7']);
});

test('a replay whose history is compacted under it expires', async () => {
  const { log, write, follow } = createWorld();
  write('/1', '/2', '/3', '/4');
  const overtaken = follow('/', { from: 1 });
  const ahead = follow('/', { from: 1 });
  await take(overtaken, 1);
  await take(ahead, 2);
  log.compact(3);
  expect(await take(overtaken, 2)).toEqual(['expired 3', 'end']);
  expect(await take(ahead, 1)).toEqual(['put /4 4']);
});

test('the compacted revision itself can be followed, the one before cannot', async () => {
  const { hub, log, write, follow } = createWorld();
  write('/1', '/2', '/3');
  log.compact(2);
  expect(await take(follow('/', { from: 2 }), 1)).toEqual(['put /3 3']);
  expect(await take(follow('/', { from: 1 }), 2)).toEqual(['expired 2', 'end']);
  expect(hub.size).toBe(1);
});

test('a reader of a future revision sees nothing early', async () => {
  const { write, follow } = createWorld();
  const reader = follow('/', { from: 2 });
  const first = take(reader, 1);
  write('/1', '/2', '/3');
  expect(await first).toEqual(['put /3 3']);
});

test('several reads at once are answered in order', async () => {
  const { write, follow } = createWorld();
  const reader = follow('/');
  const reads = [take(reader, 1), take(reader, 1)];
  write('/1', '/2');
  expect(await Promise.all(reads)).toEqual([['put /1 1'], ['put /2 2']]);
});

test('an abort ends a waiting reader, drops what is buffered and forgets the reader', async () => {
  const { hub, write, follow } = createWorld();
  const controller = new AbortController();
  const waiting = take(follow('/a/', { signal: controller.signal }), 1);
  const buffered = follow('/b/', { signal: controller.signal });
  write('/b/1');
  expect(hub.size).toBe(2);
  controller.abort();
  expect(await waiting).toEqual(['end']);
  expect(await take(buffered, 1)).toEqual(['end']);
  expect(hub.size).toBe(0);
  expect(await take(follow('/', { from: 0, signal: controller.signal }), 1)).toEqual(['end']);
});

test('a reader that leaves takes nothing away from one with a prefix as long', async () => {
  const { write, follow } = createWorld();
  const staying = follow('/a');
  const leaving = follow('/b');
  await leaving.return?.();
  write('/b', '/a');
  expect(await take(staying, 1)).toEqual(['put /a 2']);
});

test('leaving a loop forgets the reader', async () => {
  const { hub, write } = createWorld();
  const events = hub.subscribe({ prefix: '/', from: 0, signal: new AbortController().signal });
  write('/1', '/2');
  for await (const _ of events) break;
  expect(hub.size).toBe(0);
});

test('close ends readers after what they have not read yet', async () => {
  const { hub, write, follow } = createWorld();
  const waiting = follow('/');
  write('/1');
  await take(waiting, 1);
  const end = take(waiting, 1);
  const behind = follow('/', { from: 0 });
  hub.close();
  expect(await end).toEqual(['end']);
  expect(await take(behind, 3)).toEqual(['put /1 1', 'end', 'end']);
});

test('one event costs the same with ten readers and with ten thousand elsewhere', () => {
  const { hub, write, follow } = createWorld();
  let compared = 0;
  const key = '/core/pods/default/web';
  for (let number = 0; number < 10_000; number++) follow(`/core/pods/namespace-${number}/`);
  const reader = follow('/core/pods/default/');
  const { startsWith, slice } = String.prototype;
  try {
    String.prototype.startsWith = function (...given) {
      compared += 1;
      return startsWith.apply(this, given);
    };
    String.prototype.slice = function (...given) {
      compared += 1;
      return slice.apply(this, given);
    };
    write(key);
  } finally {
    Object.assign(String.prototype, { startsWith, slice });
  }
  expect(compared).toBeLessThan(10);
  expect([hub.size, reader === undefined]).toEqual([10_001, false]);
});

test('what is there can be had without waiting, in order with what was waited for', async () => {
  const { hub, write, follow } = createWorld({ bufferMax: 10 });
  write('/a/1', '/b/1');
  const reader = follow('/a/', { from: 0 });
  write('/a/2', '/a/3');
  const keys = (event: StoreEvent | Expired | undefined): string | undefined =>
    event === undefined || 'expired' in event ? undefined : event.key;
  expect([1, 2].map(() => keys(readyOf(reader)))).toEqual(['/a/1', '/a/2']);
  expect(await take(reader, 1)).toEqual(['put /a/3 4']);
  expect(readyOf(reader)).toBeUndefined();
  const waited = reader.next();
  write('/a/4', '/a/5');
  expect(await waited).toMatchObject({ value: { key: '/a/4' } });
  expect(keys(readyOf(reader))).toBe('/a/5');
  // Who waits is served first.
  const next = reader.next();
  expect(readyOf(reader)).toBeUndefined();
  hub.close();
  expect(await next).toMatchObject({ done: true });
  expect(readyOf(reader)).toBeUndefined();
});

test('of what is forgotten nothing is ready: the wait tells', async () => {
  const { log, write, follow } = createWorld();
  write('/a/1', '/a/2');
  const reader = follow('/a/', { from: 0 });
  log.compact(2);
  expect(readyOf(reader)).toBeUndefined();
  expect(await take(reader, 2)).toEqual(['expired 2', 'end']);
});
