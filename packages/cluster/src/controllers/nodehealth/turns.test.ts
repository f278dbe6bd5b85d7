import { expect, test } from 'vitest';
import { createTurns, type Turns } from './turns.ts';

const everyMs = 10_000;
let nowMs = 0;
function setUp(gatherMs = 0): Turns {
  nowMs = 0;
  return createTurns({ nowMs: () => nowMs, gatherMs, everyMs });
}

/** What each is answered that asks at a moment. */
function asked(turns: Turns, atMs: number, ...nodes: readonly string[]): readonly string[] {
  nowMs = atMs;
  return nodes.map((node) => {
    const turn = turns.ask(node);
    return turn.is === 'later' ? `${turn.atMs}` : turn.is === 'now' ? `now, then ${turn.next ?? 'nobody'}` : '?';
  });
}

test('one after the other, in the order in which they asked', () => {
  const turns = setUp();
  expect(asked(turns, 0, 'a', 'b', 'c', 'a')).toEqual(['now, then nobody', '10000', '?', 'now, then nobody']);
  expect(asked(turns, 10_500, 'c', 'b', 'c')).toEqual(['?', 'now, then c', '20500']);
});

test('who leaves before its turn gives its place to the next one', () => {
  const turns = setUp();
  asked(turns, 0, 'a', 'b', 'c', 'd');
  expect(['c', 'b', 'never there'].map((node) => turns.leave(node))).toEqual([undefined, 'd', undefined]);
  expect(asked(turns, 1_000, 'd')).toEqual(['10000']);
  expect(turns.leave('d')).toBe(undefined);
  expect(asked(turns, 60_000, 'e')).toEqual(['now, then nobody']);
});

test('nobody has a turn at once, so that many that fall together are judged together', () => {
  const turns = setUp(1_000);
  expect(asked(turns, 0, 'a')).toEqual(['1000']);
  expect(asked(turns, 999, 'a', 'b')).toEqual(['1000', '?']);
  expect(asked(turns, 1_000, 'a', 'b')).toEqual(['now, then b', '11000']);
});

test('a stop takes turns back, and after it there is a whole pause first', () => {
  const turns = setUp();
  asked(turns, 0, 'a', 'b');
  expect(turns.setPace(undefined)).toBe(undefined);
  expect(asked(turns, 50_000, 'b', 'a')).toEqual(['?', '?']);
  expect(turns.setPace(100_000)).toBe('b');
  expect(turns.setPace(100_000)).toBe(undefined);
  expect(asked(turns, 50_000, 'b')).toEqual(['150000']);
  expect(asked(turns, 150_000, 'b')).toEqual(['now, then a']);
});

test('another pace begins with a whole pause where a turn was just taken', () => {
  const turns = setUp();
  asked(turns, 0, 'a', 'b');
  nowMs = 3_000;
  turns.setPace(100_000);
  expect(asked(turns, 3_000, 'b')).toEqual(['103000']);
  const fresh = setUp();
  fresh.setPace(100_000);
  expect(asked(fresh, 0, 'a')).toEqual(['now, then nobody']);
});

test('a stop that is over before anybody had a turn does not count', () => {
  const turns = setUp(1_000);
  asked(turns, 0, 'a');
  turns.setPace(undefined);
  nowMs = 500;
  turns.setPace(everyMs);
  expect(asked(turns, 500, 'a')).toEqual(['1000']);
});

test('whoever leaves and asks again is last, also while nobody has turns', () => {
  const turns = setUp(1_000);
  turns.setPace(undefined);
  asked(turns, 0, 'a', 'b');
  expect(turns.setPace(everyMs)).toBe('a');
  turns.setPace(undefined);
  turns.leave('a');
  asked(turns, 0, 'a');
  expect(turns.setPace(everyMs)).toBe('b');
  expect(['b', 'a'].map((node) => turns.leave(node))).toEqual(['a', undefined]);
  asked(turns, 0, 'c', 'd');
  expect(turns.leave('c')).toBe('d');
});

test('a large zone comes back one node after the other, and nobody passes all those who have left', () => {
  const turns = setUp(1_000);
  const nodes = Array.from({ length: 200_000 }, (_, index) => `node-${index}`);
  asked(turns, 0, ...nodes);
  // Half a second; with a walk past all of them a quarter of a minute.
  expect(nodes.map((node) => turns.leave(node)).lastIndexOf(undefined)).toBe(199_999);
  expect(asked(turns, 1_000, 'late')).toEqual(['2000']);
}, 5_000);
