import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../../../tools/any-text.ts';
import { executeRelabelling, type LabelSet } from '../relabel/execute.ts';
import type { RelabelRule } from '../relabel/rule.ts';
import { firstMapping, type SlotMapping } from './mapping.ts';
import { type Placement, type PlacementOptions, placementRules, slotWay } from './placement.ts';
import { spreadOver } from './spread.ts';

const wishing: PlacementOptions = { source: '__address__', takesWishes: true };

/** The shards whose config reloader and agent make a scrape of the target. */
function scrapers(target: LabelSet, rules: readonly RelabelRule[], shards: number): readonly number[] {
  return Array.from({ length: shards }, (_, shard) => shard).filter((shard) => {
    const own = JSON.parse(JSON.stringify(rules).replaceAll('$(SHARD)', String(shard))) as readonly RelabelRule[];
    return executeRelabelling(target, own) !== undefined;
  });
}

const mapping: fc.Arbitrary<SlotMapping> = fc
  .integer({ min: 1, max: 6 })
  .chain((shards) =>
    fc.array(fc.nat(shards - 1), { minLength: 16, maxLength: 16 }).map((owners): SlotMapping => ({ shards, owners })),
  );
const way = fc.oneof(
  mapping.map((each) => slotWay(each)),
  fc.integer({ min: 1, max: 6 }).map((modulus) => ({ by: 'hashmod', modulus }) as const),
);
const address = fc.oneof(
  fc.ipV4().map((ip) => `${ip}:80`),
  anyText({ minLength: 1 }),
);

test.each([wishing, { source: '__param_target', takesWishes: false } as const])(
  'a target has one scraper by one way, and by two ways those of either of them: %j',
  (options) => {
    fc.assert(
      fc.property(way, way, address, (one, other, text) => {
        const target = { __address__: 'prober:1', [options.source]: text };
        const by = (placement: Placement) => scrapers(target, placementRules(placement, options), 7);
        const [before, after, both] = [by([one]), by([other]), by([one, other])];
        expect([before.length, after.length]).toEqual([1, 1]);
        expect(both).toEqual([...new Set([...before, ...after])].sort((a, b) => a - b));
      }),
      { numRuns: 60 },
    );
  },
);

test('two mappings of the same slots make one rule', () => {
  fc.assert(
    fc.property(mapping, fc.integer({ min: 1, max: 6 }), address, (from, count, text) => {
      const to = spreadOver(from, count);
      const by = (...placement: Placement) => scrapers({ __address__: text }, placementRules(placement, wishing), 7);
      expect(by(slotWay(from, to))).toEqual(by(slotWay(from), slotWay(to)));
    }),
    { numRuns: 60 },
  );
});

test('whoever opts out is scraped by every shard, whoever names a hash goes where it goes', () => {
  fc.assert(
    fc.property(way, fc.option(way), address, address, (one, other, text, hash) => {
      const rules = placementRules(other === null ? [one] : [one, other], wishing);
      expect(scrapers({ __address__: text, __tmp_disable_sharding: 'x' }, rules, 4)).toEqual([0, 1, 2, 3]);
      fc.pre(!hash.endsWith(';'));
      const wished = scrapers({ __address__: text, __tmp_hash: hash }, rules, 7);
      expect(wished).toEqual(scrapers({ __address__: hash }, rules, 7));
    }),
    { numRuns: 60 },
  );
});

test('the rules of slots, as they are written', () => {
  expect(placementRules([slotWay(firstMapping({ slots: 16, shards: 3 }))], wishing)).toEqual([
    {
      source_labels: ['__address__', '__tmp_hash'],
      target_label: '__tmp_hash',
      regex: '(.+);',
      replacement: '$1',
      action: 'replace',
    },
    { target_label: '__tmp_current_shard', replacement: '$(SHARD)' },
    { source_labels: ['__tmp_hash'], target_label: '__tmp_hash', modulus: 16, action: 'hashmod' },
    {
      source_labels: ['__tmp_current_shard', '__tmp_hash', '__tmp_disable_sharding'],
      regex: '(?:0;(?:[0369]|1[25])|1;(?:[147]|1[03])|2;(?:[258]|1[14]));|[0-9]+;[0-9]+;.+',
      action: 'keep',
    },
  ]);
});
