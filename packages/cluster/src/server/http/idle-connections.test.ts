import { beforeEach, expect, test } from 'vitest';
import { createVirtualClock, type VirtualClock } from '../../testing/virtual-clock.ts';
import { type Connection, createIdleConnections, type IdleConnections } from './idle-connections.ts';

let clock: VirtualClock;
let idle: IdleConnections;
let ended: string[];

beforeEach(() => {
  clock = createVirtualClock();
  ended = [];
  idle = createIdleConnections({ unusedTimeoutMs: 20_000, idleTimeoutMs: 90_000, crowded: 4 }, clock);
});

function opened(name: string): Connection {
  const connection = { end: () => void ended.push(name) };
  idle.opened(connection);
  return connection;
}

test('a connection on which nothing was ever asked ends soon, one that was used ends later', async () => {
  opened('silent');
  const used = opened('used');
  idle.busy(used);
  idle.free(used);
  await clock.advance(26_000);
  expect(ended).toEqual(['silent']);
  await clock.advance(60_000);
  expect(ended).toEqual(['silent']);
  await clock.advance(10_000);
  expect(ended).toEqual(['silent', 'used']);
});

test('a connection on which something is under way stands, as long as it takes and however many others end', async () => {
  const watching = opened('watching');
  idle.busy(watching);
  idle.busy(watching);
  idle.free(watching);
  await clock.advance(3_600_000);
  expect(ended).toEqual([]);
  idle.free(watching);
  await clock.advance(120_000);
  expect(ended).toEqual(['watching']);
});

test('where it is crowded, who comes takes the place of the one that never asked, then of the one that rests longest', () => {
  const resting = opened('resting');
  idle.busy(resting);
  const busy = opened('busy');
  idle.busy(busy);
  idle.free(resting);
  opened('first silent');
  opened('second silent');
  idle.busy(opened('fifth'));
  expect(ended).toEqual(['first silent']);
  idle.busy(opened('sixth'));
  idle.busy(opened('seventh'));
  expect(ended).toEqual(['first silent', 'second silent', 'resting']);
  opened('eighth');
  expect(ended).toHaveLength(3);
});

test('nothing is looked for while nothing waits', async () => {
  const connection = opened('gone');
  idle.closed(connection);
  await clock.advance(60_000);
  expect(ended).toEqual([]);
  idle.busy(connection);
  idle.free(connection);
  await clock.advance(600_000);
  expect(ended).toEqual([]);
});
