import { expect, test } from 'vitest';
import { type ListFacts, seatsOfList } from './width.ts';

const list: ListFacts = { stored: 0, limit: undefined, isSelected: false };

test.each<[what: string, facts: Partial<ListFacts>, nominal: number, seats: number]>([
  ['nothing', {}, 100, 1],
  ['a hundred', { stored: 100 }, 100, 1],
  ['one more', { stored: 101 }, 100, 2],
  ['a page of many', { stored: 50_000, limit: 500 }, 100, 5],
  ['a page that is larger than all', { stored: 150, limit: 500 }, 100, 2],
  ['some of many, which are all looked through', { stored: 700, limit: 10, isSelected: true }, 100, 7],
  ['everything', { stored: 50_000 }, 100, 10],
  ['everything at a small level', { stored: 50_000 }, 20, 3],
  ['everything at a level without a share', { stored: 50_000 }, 0, 1],
])('a list of %s', (_, facts, nominal, seats) => {
  expect(seatsOfList({ ...list, ...facts }, nominal)).toBe(seats);
});
