import { expect, test } from 'vitest';
import { createJournal, type Journal } from './journal.ts';

const few = (): Journal => createJournal(() => 3);

test('it tells what has changed since a mark, in order', () => {
  const journal = few();
  const { mark, keys } = journal.since(undefined);
  expect(keys).toBeUndefined();
  for (const key of ['a', 'b', 'a']) journal.note(key);
  const next = journal.since(mark);
  expect(next.keys).toEqual(['a', 'b', 'a']);
  expect(journal.since(next.mark).keys).toEqual([]);
  journal.note('c');
  expect(journal.since(next.mark).keys).toEqual(['c']);
  expect(journal.since(mark).keys).toEqual(['a', 'b', 'a', 'c']);
});

test('it remembers nothing of before the first question', () => {
  const journal = few();
  journal.note('a');
  const { mark } = journal.since(undefined);
  journal.note('b');
  expect(journal.since(mark).keys).toEqual(['b']);
});

const changeOften = (journal: Journal, times: number): void => {
  for (let number = 0; number < times; number++) journal.note(`key-${number}`);
};

test('it forgets the oldest, and says so', () => {
  const journal = few();
  const { mark } = journal.since(undefined);
  changeOften(journal, 1_024);
  expect(journal.since(mark).keys).toHaveLength(1_024);
  changeOften(journal, 2_048);
  expect(journal.since(mark).keys).toBeUndefined();
  const now = journal.since(mark);
  journal.note('last');
  expect(journal.since(now.mark).keys).toEqual(['last']);
});

test('of more objects it remembers more', () => {
  const journal = createJournal(() => 10_000);
  const { mark } = journal.since(undefined);
  changeOften(journal, 10_000);
  expect(journal.since(mark).keys).toHaveLength(10_000);
});
