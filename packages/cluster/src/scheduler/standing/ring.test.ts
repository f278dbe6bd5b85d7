import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Contest } from './contest.ts';
import { Journal } from './journal.ts';
import { Ring, type Stretch } from './ring.ts';

const size = 13;
const stretch = fc.record({ start: fc.nat(size - 1), length: fc.nat(size) });
const around = ({ start, length }: Stretch): readonly number[] =>
  Array.from({ length }, (_, step) => (start + step) % size);

test('a ring finds marked places from any place on, as a walk does', () => {
  const steps = fc.array(fc.record({ place: fc.nat(size - 1), isMarked: fc.boolean() }), {
    maxLength: 40,
    size: 'max',
  });
  fc.assert(
    fc.property(steps, stretch, fc.nat(size), (given, on, nth) => {
      const ring = new Ring(size);
      const plain = new Set<number>();
      for (const { place, isMarked } of given) {
        if (isMarked) {
          ring.add(place);
          plain.add(place);
        } else {
          ring.remove(place);
          plain.delete(place);
        }
      }
      const turn = around({ start: on.start, length: size }).filter((place) => plain.has(place));
      const wanted = turn[nth];
      const steps = wanted === undefined ? undefined : (wanted - on.start + size) % size;
      expect(ring.stepsTo(on.start, nth)).toBe(steps);
      expect(ring.countIn(on)).toBe(around(on).filter((place) => plain.has(place)).length);
      expect([ring.count, ring.has(on.start)]).toEqual([plain.size, plain.has(on.start)]);
    }),
  );
});

test.each([0, 1])('a ring of %i places', (places) => {
  const ring = new Ring(places);
  expect(ring.stepsTo(0, 0)).toBeUndefined();
  for (let place = 0; place < places; place++) ring.add(place);
  expect([ring.count, ring.stepsTo(0, 0)]).toEqual(places === 0 ? [0, undefined] : [1, 0]);
});

test('a contest knows the first of the best on a stretch, and each that is as good, as a walk does', () => {
  const step = fc.record({ place: fc.nat(size - 1), worth: fc.option(fc.nat(3), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: 'max' }), stretch, (given, on) => {
      const worths = new Map<number, number>();
      const contest = new Contest(size, (a, b) => (worths.get(a) ?? 0) > (worths.get(b) ?? 0));
      for (const { place, worth } of given) {
        contest.leave(place);
        worths.delete(place);
        if (worth === undefined) continue;
        worths.set(place, worth);
        contest.enter(place);
      }
      const there = around(on).filter((place) => worths.has(place));
      const most = Math.max(...there.map((place) => worths.get(place) ?? 0));
      const best = there.filter((place) => worths.get(place) === most);
      const winners = contest.best(on);
      expect(winners).toEqual(best[0] === undefined ? undefined : { first: best[0], count: best.length });
      if (winners === undefined) return;
      const { first } = winners;
      expect(best.map((_, nth) => contest.nthBest(on, { first, nth }))).toEqual(best);
    }),
  );
});

test('a journal tells what came since, and says when it does not know any more', () => {
  const journal = new Journal<string>(2);
  const start = journal.end;
  journal.add('a');
  const later = journal.end;
  journal.add('b');
  expect([journal.from(start), journal.from(later), journal.from(journal.end)]).toEqual([['a', 'b'], ['b'], []]);
  for (const each of ['c', 'd']) journal.add(each);
  expect([journal.from(start), journal.from(later)]).toEqual([undefined, undefined]);
  expect(journal.from(2)).toEqual(['c', 'd']);
});
