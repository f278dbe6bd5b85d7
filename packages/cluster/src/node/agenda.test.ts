import { expect, test } from 'vitest';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { createAgenda } from './agenda.ts';

function setUp() {
  const clock = createVirtualClock({ startMs: 0 });
  const agenda = createAgenda(clock);
  const ending = new AbortController();
  const seen: string[] = [];
  const loop = (async () => {
    while (!ending.signal.aborted)
      for (const name of await agenda.due({ signal: ending.signal })) seen.push(`${name}@${clock.nowMs()}`);
  })();
  return { clock, agenda, ending, seen, loop };
}

test('appointments come in the order of their time', async () => {
  const { clock, agenda, seen } = setUp();
  agenda.set('b', 20);
  agenda.set('a', 10);
  await clock.advance(15);
  agenda.set('c', 16);
  await clock.advance(100);
  expect(seen).toEqual(['a@10', 'c@16', 'b@20']);
});

test('a new appointment replaces the old one, earlier or later', async () => {
  const { clock, agenda, seen } = setUp();
  agenda.set('a', 10);
  agenda.set('a', 30);
  agenda.set('b', 30);
  agenda.set('b', 5);
  await clock.advance(100);
  expect(seen).toEqual(['b@5', 'a@30']);
});

test('a cancelled appointment does not take place', async () => {
  const { clock, agenda, seen } = setUp();
  agenda.set('a', 10);
  agenda.cancel('a');
  await clock.advance(100);
  expect(seen).toEqual([]);
});

test('the wait ends with the signal', async () => {
  const { clock, agenda, ending, loop } = setUp();
  agenda.set('a', 1_000);
  await clock.settle();
  ending.abort();
  await clock.settle();
  await loop;
});

test('it tells how late those are that are taken', async () => {
  const { clock, agenda, seen } = setUp();
  expect(agenda.lateMs).toBe(0);
  agenda.set('in time', 10);
  await clock.advance(50);
  expect(agenda.lateMs).toBe(0);
  agenda.set('late', 20);
  await clock.settle();
  expect(seen).toEqual(['in time@10', 'late@50']);
  expect(agenda.lateMs).toBe(30);
});
