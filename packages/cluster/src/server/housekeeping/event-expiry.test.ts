import { expect, test } from 'vitest';
import { configmaps, events } from '../../api/generated/kinds.ts';
import { configMap, createTestServer, type TestServer } from '../../testing/api-server.ts';

const minuteMs = 60_000;
const event = (name: string): object => ({ metadata: { name }, involvedObject: { kind: 'Pod', namespace: 'default' } });
const names = async ({ list }: TestServer): Promise<readonly string[]> =>
  (await list(events)).items.map(({ metadata }) => metadata.name);

test('events live for an hour after their last write', async () => {
  const server = await createTestServer();
  await server.create(events, event('a'));
  await server.clock.advance(30 * minuteMs);
  await server.create(events, event('b'));
  await server.merge(events, 'a', { body: { count: 2 } });
  await server.create(events, event('c'));
  await server.clock.advance(20 * minuteMs);
  await server.merge(events, 'c', { body: { count: 2 } });
  await server.clock.advance(40 * minuteMs - 1);
  expect(await names(server)).toEqual(['a', 'b', 'c']);
  await server.clock.advance(1);
  expect(await names(server)).toEqual(['c']);
  await server.clock.advance(20 * minuteMs);
  expect(await names(server)).toEqual([]);
});

test('watchers see them go', async () => {
  const server = await createTestServer();
  const seen = server.watch(events, { timeoutMs: 10 * 60 * minuteMs });
  await server.clock.settle();
  await server.create(events, event('a'));
  await server.clock.advance(60 * minuteMs);
  expect(seen.lines()).toEqual(['ADDED a', 'DELETED a']);
  seen.stop();
});

test('other objects stay', async () => {
  const server = await createTestServer();
  await server.create(configmaps, configMap('a'));
  await server.clock.advance(120 * minuteMs);
  expect(await server.get(configmaps, 'a')).toBeDefined();
});

test('events that a restart finds live for another hour', async () => {
  const first = await createTestServer();
  await first.create(events, event('a'));
  await first.server.close();
  await first.store.close();
  const second = await createTestServer({ backend: first.backend });
  await second.clock.advance(60 * minuteMs - 1);
  expect(await names(second)).toEqual(['a']);
  await second.clock.advance(1);
  expect(await names(second)).toEqual([]);
});

test('a closed server removes nothing any more', async () => {
  const server = await createTestServer();
  await server.create(events, event('a'));
  await server.server.close();
  await server.clock.advance(61 * minuteMs);
  expect(await names(server)).toEqual(['a']);
});

test('thousands of events cost one timer', async () => {
  let timers = 0;
  const { clock } = await createTestServer();
  const counted = {
    ...clock,
    after(delayMs: number, work: () => void) {
      timers++;
      return clock.after(delayMs, work);
    },
  };
  const server = await createTestServer({ clock: counted });
  timers = 0;
  for (let index = 0; index < 2_000; index++) await server.create(events, event(`e${index}`));
  expect(timers).toBe(1);
  await clock.advance(60 * minuteMs);
  expect(await names(server)).toEqual([]);
});

/** A page of text, so that a few of them weigh something. */
const heavy = (name: string, type: 'Normal' | 'Warning' = 'Normal'): object => ({
  ...event(name),
  ...{ type, message: 'x'.repeat(1_000) },
});

test('beyond their weight the oldest go first, and warnings last', async () => {
  const server = await createTestServer({ limits: { eventBytesMax: 8_000 } });
  await server.create(events, heavy('warning', 'Warning'));
  for (let index = 0; index < 20; index++) await server.create(events, heavy(`e${String(index).padStart(2, '0')}`));
  await server.clock.settle();
  const left = await names(server);
  expect(left.length).toBeGreaterThan(2);
  expect(left.length).toBeLessThan(9);
  expect(left.at(-1)).toBe('warning');
  expect(left.at(-2)).toBe('e19');
  expect(server.server.eventsGivenUp()).toBe(21 - left.length);
});

test('where nothing but warnings is left, the oldest of them go', async () => {
  const server = await createTestServer({ limits: { eventBytesMax: 8_000 } });
  for (let index = 10; index < 30; index++) await server.create(events, heavy(`w${index}`, 'Warning'));
  await server.clock.settle();
  const left = await names(server);
  expect(left.length).toBeGreaterThan(2);
  expect(left.length).toBeLessThan(9);
  expect(left.at(-1)).toBe('w29');
  expect(left).not.toContain('w10');
});

test('what goes by itself, and what is written again, weighs no more than it does', async () => {
  const server = await createTestServer({ limits: { eventBytesMax: 8_000 } });
  await server.create(events, heavy('kept'));
  for (let index = 0; index < 20; index++) await server.merge(events, 'kept', { body: { count: index + 2 } });
  for (let index = 0; index < 20; index++) {
    await server.create(events, heavy('short'));
    await server.delete(events, 'short');
  }
  await server.clock.settle();
  expect(await names(server)).toEqual(['kept']);
  expect(server.server.eventsGivenUp()).toBe(0);
});
