import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstMapping } from './mapping.ts';
import { isNews, toLevels, toLoads } from './weights.ts';

const mapping = firstMapping({ slots: 16, shards: 4 });
const even = mapping.owners.map(() => 100);
const levels = toLevels(even);

test('what is remembered is within half a percent of what was measured, and is the same when it is measured again', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1_000_000), { minLength: 16, maxLength: 16 }), (loads) => {
      const written = toLevels(loads);
      const mean = loads.reduce((sum, each) => sum + each, 0) / 16;
      expect(written === undefined).toBe(mean === 0);
      if (written === undefined) return;
      for (const [slot, load] of toLoads(written).entries())
        expect(Math.abs(load * mean - (loads[slot] ?? 0))).toBeLessThanOrEqual(
          0.005 * (loads[slot] ?? 0) + mean * 1e-4,
        );
      expect(isNews({ mapping, weights: written }, loads)).toBe(false);
    }),
  );
});

test.each([
  ['nothing is remembered', undefined, even, true],
  ['all of it has grown alike', levels, even.map((each) => each * 7), false],
  [
    'one slot has grown, and its shard by less than a twentieth of what shards have',
    levels,
    [110, ...even.slice(1)],
    false,
  ],
  ['a shard has grown by more', levels, even.map((each, slot) => (slot % 4 === 1 ? each * 1.1 : each)), true],
  ['many slots weigh something else, no shard does', levels, even.map((_, slot) => (slot < 8 ? 130 : 70)), true],
  ['nothing weighs anything', levels, even.map(() => 0), false],
  ['it is about other slots', levels, even.slice(1), false],
])('%s: worth a write or not', (_, weights, measured, expected) => {
  expect(isNews({ mapping, weights }, measured)).toBe(expected);
});
