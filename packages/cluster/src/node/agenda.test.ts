import { expect, test } from 'vitest';
import type { Clock } from '../base/clock.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { type Agenda, createAgenda } from './agenda.ts';

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

test('of those that are due at one time each comes once, in the order in which they were set', async () => {
  const { clock, agenda, seen } = setUp();
  for (const name of ['a', 'b', 'c', 'a']) agenda.set(name, 10);
  agenda.set('c', 20);
  agenda.set('b', 20);
  agenda.set('c', 10);
  agenda.cancel('b');
  await clock.advance(100);
  expect(seen).toEqual(['a@10', 'c@10']);
  agenda.set('a', 10);
  await clock.settle();
  expect(seen).toEqual(['a@10', 'c@10', 'a@100']);
});

test('of very many at one time the rest comes with the next question', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const agenda = createAgenda(clock);
  for (let at = 0; at < 300; at++) agenda.set(`n${at}`, 10);
  await clock.advance(10);
  const { signal } = new AbortController();
  const taken = [];
  for (let round = 0; round < 2; round++) {
    const due = agenda.due({ signal });
    await clock.settle();
    taken.push(await due);
  }
  expect(taken.map(({ length }) => length)).toEqual([256, 44]);
  expect(new Set(taken.flat()).size).toBe(300);
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

test('what gives way waits for a quiet moment, is taken a few at a time, and does not wait for ever', async () => {
  // Every turn of others takes ten milliseconds of this clock, until they have nothing to do.
  let nowMs = 0;
  let busyTurns = 3;
  const clock: Clock = {
    nowMs: () => nowMs,
    after: () => () => undefined,
    async turn() {
      if (busyTurns-- > 0) nowMs += 10;
      await Promise.resolve();
    },
  };
  const agenda = createAgenda(clock, { patienceMs: 100 });
  for (let at = 0; at < 300; at++) agenda.set(`n${at}`, 0);
  const { signal } = new AbortController();
  expect((await agenda.due({ signal })).length).toBe(32);
  expect(nowMs).toBe(30);
  busyTurns = Infinity;
  expect((await agenda.due({ signal })).length).toBe(256);
  expect(nowMs).toBe(100);
  expect(await agenda.due({ signal })).toHaveLength(12);
});

test('who does not give way is not held up by a busy loop', async () => {
  let nowMs = 0;
  const clock: Clock = {
    nowMs: () => nowMs,
    after: () => () => undefined,
    async turn() {
      nowMs += 10;
      await Promise.resolve();
    },
  };
  const agenda = createAgenda(clock);
  agenda.set('a', 0);
  expect(await agenda.due({ signal: new AbortController().signal })).toEqual(['a']);
  expect(nowMs).toBe(10);
});

/** A loop that is never quiet. */
function busyClock(): Clock & { onTurn: () => void } {
  let nowMs = 0;
  const clock = {
    nowMs: () => nowMs,
    after: () => () => undefined,
    onTurn: (): void => undefined,
    async turn() {
      nowMs += 10;
      clock.onTurn();
      await Promise.resolve();
    },
  };
  return clock;
}

test('whoever is told of again and again does not wait for ever', async () => {
  const clock = busyClock();
  const agenda = createAgenda(clock, { patienceMs: 100 });
  clock.onTurn = () => {
    if (clock.nowMs() < 1_000) agenda.set('a', clock.nowMs());
  };
  agenda.set('a', 0);
  expect(await agenda.due({ signal: new AbortController().signal })).toEqual(['a']);
  expect(clock.nowMs()).toBe(100);
});

test.each([
  ['nothing is due', () => undefined],
  ['something is due', (agenda: Agenda) => agenda.set('a', 0)],
])('an end at any moment of a wait ends it: %s', async (_, prepare) => {
  // After so many microtasks.
  for (let after = 0; after < 30; after++) {
    const agenda = createAgenda(busyClock(), { patienceMs: 1_000 });
    prepare(agenda);
    const ending = new AbortController();
    const due = agenda.due({ signal: ending.signal });
    for (let task = 0; task < after; task++) await Promise.resolve();
    ending.abort();
    expect(await due).toEqual([]);
  }
});

test('what is cancelled in a busy moment is waited for no longer', async () => {
  const clock = busyClock();
  const agenda = createAgenda(clock, { patienceMs: 1_000 });
  const ending = new AbortController();
  clock.onTurn = () => {
    agenda.cancel('a');
    queueMicrotask(() => ending.abort());
  };
  agenda.set('a', 0);
  expect(await agenda.due({ signal: ending.signal })).toEqual([]);
});
