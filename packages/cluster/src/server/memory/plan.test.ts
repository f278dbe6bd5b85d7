import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isAdmitted, type MemoryFacts, planMemory, type Refuses } from './plan.ts';

const mebibyte = 2 ** 20;

/** In MiB, of a limit of 1000. */
function plan(facts: Partial<MemoryFacts> = {}): string {
  const inMebibytes = {
    limitBytes: 1_000,
    residentBytes: (facts.usedBytes ?? 0) + 50,
    usedBytes: 0,
    usedAfterCollectionBytes: 0,
    heapUsedBytes: 0,
    heapLimitBytes: 4_000,
    historyBytes: 0,
    ...facts,
  };
  const entries = Object.entries(inMebibytes).filter(([name]) => name !== 'refuses');
  const bytes = Object.fromEntries(entries.map(([name, value]) => [name, Number(value) * mebibyte]));
  const { forget, collect, refuses } = planMemory({
    ...(bytes as unknown as Omit<MemoryFacts, 'refuses'>),
    refuses: facts.refuses ?? 'nothing',
  });
  return [forget && 'forget', collect && 'collect', refuses !== 'nothing' && `refuse ${refuses}`]
    .filter((part) => part !== false)
    .join(', ');
}

test.each<[string, Partial<MemoryFacts>, string]>([
  ['an idle process', { usedBytes: 100 }, ''],
  ['nearly half full', { usedBytes: 440 }, ''],
  ['past the first mark', { usedBytes: 520 }, 'collect'],
  ['the same, just collected', { usedBytes: 520, usedAfterCollectionBytes: 510 }, ''],
  ['fuller, with a past to forget', { usedBytes: 610, historyBytes: 100 }, 'forget, collect'],
  ['fuller, with little of a past', { usedBytes: 610, historyBytes: 10, usedAfterCollectionBytes: 610 }, ''],
  ['full', { usedBytes: 680, usedAfterCollectionBytes: 680 }, 'refuse growth'],
  ['fuller than full', { usedBytes: 780, usedAfterCollectionBytes: 780 }, 'refuse all'],
  [
    'a little better, which is not enough',
    { usedBytes: 640, usedAfterCollectionBytes: 640, refuses: 'growth' },
    'refuse growth',
  ],
  ['much better', { usedBytes: 590, usedAfterCollectionBytes: 590, refuses: 'growth' }, ''],
  [
    'given back by the program, not yet to the system',
    { usedBytes: 300, usedAfterCollectionBytes: 300, residentBytes: 840 },
    '',
  ],
  [
    'so much not given back that the limit is near',
    { usedBytes: 300, usedAfterCollectionBytes: 300, residentBytes: 950 },
    'refuse all',
  ],
  [
    'where the engine would end the process before the limit',
    { usedBytes: 400, usedAfterCollectionBytes: 400, heapUsedBytes: 400, heapLimitBytes: 520 },
    'refuse growth',
  ],
])('%s', (_, facts, expected) => {
  expect(plan(facts)).toBe(expected);
});

test('what is fuller is never refused less', () => {
  const severity: Readonly<Record<Refuses, number>> = { nothing: 0, growth: 1, all: 2 };
  const size = fc.integer({ min: 0, max: 1_200 });
  const before = fc.constantFrom<Refuses>('nothing', 'growth', 'all');
  fc.assert(
    fc.property(size, size, before, (one, other, refuses) => {
      const [less, more] = [Math.min(one, other), Math.max(one, other)];
      const of = (usedBytes: number): number =>
        severity[
          planMemory({
            limitBytes: 1_000 * mebibyte,
            residentBytes: usedBytes * mebibyte,
            usedBytes: usedBytes * mebibyte,
            usedAfterCollectionBytes: 0,
            heapUsedBytes: 0,
            heapLimitBytes: 4_000 * mebibyte,
            historyBytes: 0,
            refuses,
          }).refuses
        ];
      expect(of(less)).toBeLessThanOrEqual(of(more));
    }),
  );
});

describe('who passes', () => {
  const asks = {
    'a user creates': { does: 'create', isSystem: false, growthBytes: 0 },
    'the plane creates': { does: 'create', isSystem: true, growthBytes: 0 },
    'a user adds much': { does: 'change', isSystem: false, growthBytes: 10_000 },
    'the plane adds much': { does: 'change', isSystem: true, growthBytes: 10_000 },
    'a user takes away': { does: 'change', isSystem: false, growthBytes: -10 },
    'a user lists everything': { does: 'list everything', isSystem: false, growthBytes: 0 },
    'the plane lists everything': { does: 'list everything', isSystem: true, growthBytes: 0 },
  } as const;
  const passing = (refuses: Refuses): readonly string[] =>
    Object.entries(asks)
      .filter(([, ask]) => isAdmitted(refuses, ask))
      .map(([name]) => name);

  test('everybody while there is room', () => {
    expect(passing('nothing')).toEqual(Object.keys(asks));
  });

  test('the plane, and who takes no more, when it is full', () => {
    expect(passing('growth')).toEqual([
      'the plane creates',
      'the plane adds much',
      'a user takes away',
      'a user lists everything',
      'the plane lists everything',
    ]);
  });

  test('who takes no more, at last', () => {
    expect(passing('all')).toEqual(['a user takes away', 'the plane lists everything']);
  });
});
