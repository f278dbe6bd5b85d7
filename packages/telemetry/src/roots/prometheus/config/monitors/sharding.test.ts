import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../../../../../../tools/any-text.ts';
import { executeRelabelling, type LabelSet } from '../../../../relabel/execute.ts';
import type { RelabelRule } from '../../../../relabel/rule.ts';
import type { Sharding } from '../settings.ts';
import { shardingRules, shardingRulesForOwnJob } from './sharding.ts';

/** What the config reloader of one shard makes of the rules. */
function inShard(rules: readonly RelabelRule[], shard: number): readonly RelabelRule[] {
  return JSON.parse(JSON.stringify(rules).replaceAll('$(SHARD)', String(shard))) as readonly RelabelRule[];
}

function scrapers(target: LabelSet, rules: readonly RelabelRule[], running: number): readonly number[] {
  return Array.from({ length: running }, (_, shard) => shard).filter(
    (shard) => executeRelabelling(target, inShard(rules, shard)) !== undefined,
  );
}

function byHash(shards: number): Pick<Sharding, 'placement' | 'shards'> {
  return { shards, placement: [{ by: 'hashmod', modulus: shards }] };
}

const label = anyText({ minLength: 1, maxLength: 12 });
const address = fc.oneof(
  label,
  fc.tuple(fc.ipV4(), fc.nat(65_535)).map(([ip, port]) => `${ip}:${port}`),
  fc.ipV6().map((ip) => `[${ip}]:9090`),
  fc.constantFrom('a;b', ';', '1;', ' ', 'a\nb', '$(SHARD2)'),
);
const shards = fc.integer({ min: 1, max: 12 });
const removed = fc.integer({ min: 0, max: 5 });

test('every target has exactly one scraper, and none among the shards that are kept for their data', () => {
  fc.assert(
    fc.property(address, shards, removed, fc.option(label), (text, count, kept, hash) => {
      const target = { __address__: text, ...(hash !== null && { __tmp_hash: hash }) };
      const rules = shardingRules('__address__', { ...byHash(count), isServer: true, retains: true });
      const found = scrapers(target, rules, count + kept);
      expect(found).toHaveLength(1);
      expect(found[0]).toBeLessThan(count);
    }),
    { numRuns: 500 },
  );
});

test('every target of agents has exactly one scraper', () => {
  fc.assert(
    fc.property(address, shards, (text, count) => {
      const rules = shardingRules('__param_target', { ...byHash(count), isServer: false, retains: false });
      expect(scrapers({ __param_target: text, __address__: 'prober:1' }, rules, count)).toHaveLength(1);
    }),
  );
});

test('a target that opts out is scraped by every active shard, and by no other', () => {
  fc.assert(
    fc.property(address, shards, removed, label, (text, count, kept, any) => {
      const rules = shardingRules('__address__', { ...byHash(count), isServer: true, retains: true });
      const found = scrapers({ __address__: text, __tmp_disable_sharding: any }, rules, count + kept);
      expect(found).toEqual(Array.from({ length: count }, (_, shard) => shard));
    }),
  );
});

test('equal hashes stay together: what is hashed can be chosen', () => {
  fc.assert(
    fc.property(
      address,
      address,
      label.filter((hash) => !hash.endsWith(';')),
      (one, other, hash) => {
        const rules = shardingRules('__address__', { ...byHash(7), isServer: true, retains: false });
        const found = [one, other].map((each) => scrapers({ __address__: each, __tmp_hash: hash }, rules, 7));
        expect(found[0]).toEqual(found[1]);
      },
    ),
  );
});

const hashes = { action: 'HashMod' };
test.each<[string, readonly { readonly action?: string }[], Sharding, string]>([
  ['one shard shares with nobody', [], { ...byHash(1), isServer: true, retains: false }, ''],
  [
    'one shard that may have kept others holds them back',
    [],
    { ...byHash(1), isServer: true, retains: true },
    'active',
  ],
  ['several shards share', [], { ...byHash(2), isServer: true, retains: false }, 'active hash'],
  ['several shards of an agent share', [], { ...byHash(2), isServer: false, retains: false }, 'hash'],
  ['rules that share already are left alone', [hashes], { ...byHash(2), isServer: true, retains: false }, ''],
  ['… but hold back shards that were kept', [hashes], { ...byHash(2), isServer: true, retains: true }, 'active'],
])('a job of the user’s own: %s', (_, own, sharding, expected) => {
  const rules = shardingRulesForOwnJob(own, sharding);
  const parts = [
    ...(rules.some(({ target_label }) => target_label === '__tmp_current_shard') ? ['active'] : []),
    ...(rules.some(({ action }) => action === 'hashmod') ? ['hash'] : []),
  ];
  expect(parts.join(' ')).toBe(expected);
});

test('also jobs of the user’s own are never scraped by a shard that was kept', () => {
  fc.assert(
    fc.property(address, shards, removed, (text, count, kept) => {
      const rules = shardingRulesForOwnJob([], { ...byHash(count), isServer: true, retains: true });
      expect(scrapers({ __address__: text }, rules, count + kept)).toHaveLength(1);
    }),
  );
});
