import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashedShard } from '../relabel/execute.ts';
import { balanced, balancingDefault } from './balance.ts';
import { deviation, evenLoads, firstMapping, movedSlots, type SlotMapping, shardLoads } from './mapping.ts';
import { spreadOver } from './spread.ts';

const shards = fc.integer({ min: 1, max: 12 });
/** Whatever somebody has left behind. */
const anyMapping: fc.Arbitrary<SlotMapping> = shards.chain((count) =>
  fc
    .array(fc.nat(count - 1), { minLength: 16, maxLength: 128 })
    .map((owners): SlotMapping => ({ shards: count, owners })),
);
const anyLoads = fc.array(fc.oneof(fc.constant(0), fc.nat(50)), {
  minLength: 128,
  maxLength: 128,
});

test('the first mapping leaves every target where hashmod has put it, where the shards divide the slots', () => {
  for (const count of [1, 2, 4, 8, 16, 32]) {
    const { owners } = firstMapping({ slots: 512, shards: count });
    for (let target = 0; target < 200; target++) {
      const address = `10.0.0.${target}:9100`;
      expect(owners[hashedShard(address, 512)]).toBe(hashedShard(address, count));
    }
  }
});

test('one shard more or less moves as few slots as can be, and leaves all shards alike', () => {
  let mapping = firstMapping({ slots: 512, shards: 1 });
  for (const count of [2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 2, 1, 2, 3]) {
    const next = spreadOver(mapping, count);
    const moved = movedSlots(mapping, next).length;
    expect(Math.abs(moved / 512 - 1 / Math.max(count, mapping.shards))).toBeLessThan(0.004);
    const owned = shardLoads(next, evenLoads(512));
    expect(Math.max(...owned) - Math.min(...owned)).toBeLessThanOrEqual(2);
    mapping = next;
  }
});

test('from any mapping, growing gives slots to new shards only, and shrinking moves only those of shards that leave', () => {
  fc.assert(
    fc.property(anyMapping, shards, fc.option(anyLoads), (mapping, count, all) => {
      const loads = all?.slice(0, mapping.owners.length);
      const next = spreadOver(mapping, count, loads);
      expect(next).toEqual(spreadOver(mapping, count, loads));
      expect(next.shards).toBe(count);
      expect(next.owners).toHaveLength(mapping.owners.length);
      for (const slot of movedSlots(mapping, next)) {
        expect(next.owners[slot]).toBeLessThan(count);
        if (count > mapping.shards) expect(next.owners[slot]).toBeGreaterThanOrEqual(mapping.shards);
        else expect(mapping.owners[slot]).toBeGreaterThanOrEqual(count);
      }
      expect(next.owners.every((owner) => owner < count)).toBe(true);
    }),
  );
});

test('balancing begins late, moves little at once, makes it better each time, and comes to rest', () => {
  fc.assert(
    fc.property(anyMapping, anyLoads, (mapping, all) => {
      const loads = all.slice(0, mapping.owners.length);
      let current = mapping;
      for (let step = 0; step < 200; step++) {
        const next = balanced(current, loads);
        const moved = movedSlots(current, next).length;
        if (moved === 0) return;
        expect(moved).toBeLessThanOrEqual(Math.max(1, Math.floor(loads.length * balancingDefault.movedMax)));
        expect(deviation(shardLoads(next, loads))).toBeLessThan(deviation(shardLoads(current, loads)));
        current = next;
      }
      throw new Error('it never comes to rest');
    }),
  );
});

test('shards that are nearly alike are left alone', () => {
  const mapping: SlotMapping = { shards: 2, owners: [0, 0, 0, 1, 1, 1] };
  expect(balanced(mapping, [10, 10, 10, 9, 10, 9])).toBe(mapping);
  expect(balanced(mapping, [0, 0, 0, 0, 0, 0])).toBe(mapping);
  // A slot that is hotter than everything else together has nowhere better to go.
  expect(balanced(mapping, [900, 0, 0, 1, 1, 1])).toBe(mapping);
});

test('hot slots move from the fullest to the emptiest shard', () => {
  const mapping: SlotMapping = { shards: 2, owners: [0, 0, 0, 1, 1, 1] };
  expect(balanced(mapping, [30, 20, 5, 1, 2, 3])).toEqual({ shards: 2, owners: [0, 1, 0, 1, 1, 1] });
});
