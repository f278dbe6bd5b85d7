import { expect, test } from 'vitest';
import { hashedShard } from '../relabel/execute.ts';
import { xxhash64 } from '../relabel/xxhash.ts';
import { type HashOf, shardOf } from './held-hash.ts';
import { firstMapping } from './mapping.ts';
import { areShownByTargets, type Holding } from './shown-by-targets.ts';
import { spreadOver } from './spread.ts';
import type { HandoverStep, ShardingState, Sharing } from './state-text.ts';

const xx: HashOf = (text, modulus) => Number(xxhash64(text) % BigInt(modulus));
const addresses = Array.from({ length: 60 }, (_, index) => `10.0.0.${index}:9100`);

const three = firstMapping({ slots: 64, shards: 3 });
const bySlots: readonly Sharing[] = [three, spreadOver(three, 4)];
const byHash: readonly Sharing[] = [3, 4].map((shards) => ({ shards, owners: undefined }));

const stateOf = ([from, to]: readonly Sharing[], step: HandoverStep): ShardingState => ({
  sharing: from ?? three,
  handover: { to: to ?? three, step, sinceMs: 0, writtenMs: 0 },
});

/** Two replicas of each shard, which have what any of these ways gives them. */
function holdings(ways: readonly Sharing[], hash: HashOf): readonly Holding[] {
  return [0, 1, 2, 3].flatMap((shard) =>
    [0, 1].map((replica) => ({
      shard,
      replica,
      held: addresses
        .filter((text) => ways.some((way) => shardOf(way, text, hash) === shard))
        .map((text) => ({
          ...{ id: `web ${text}`, text, job: 'web', labels: {} },
          ...{ isScraped: true, isUp: true, samples: 1 },
        })),
    })),
  );
}

const lacking = (all: readonly Holding[], at: number): readonly Holding[] =>
  all.map((each, index) => (index === at ? { ...each, held: each.held.slice(1) } : each));
const unscraped = (all: readonly Holding[], at: number): readonly Holding[] =>
  all.map((each, index) =>
    index === at ? { ...each, held: each.held.map((target) => ({ ...target, isScraped: false })) } : each,
  );

const ways = [
  ['slots, hashed by Prometheus', bySlots, hashedShard],
  ['slots, hashed by vmagent', bySlots, xx],
  ['hashmod, hashed by Prometheus', byHash, hashedShard],
  ['hashmod, hashed by vmagent', byHash, xx],
] as const;

test.each(ways)('%s: whoever is to have a target has scraped it', (_, sharings, hash) => {
  const both = stateOf(sharings, 'both');
  const [old, all] = [holdings(sharings.slice(0, 1), hash), holdings(sharings, hash)];
  expect(areShownByTargets(both, old)).toBeUndefined();
  expect(areShownByTargets(both, all)).toBe(true);
  // The second replica of the new shard.
  expect(areShownByTargets(both, lacking(all, 7))).toBeUndefined();
  expect(areShownByTargets(both, unscraped(all, 7))).toBeUndefined();
});

test.each(ways)('%s: nobody has what is another’s any more', (_, sharings, hash) => {
  const cut = stateOf(sharings, 'cut');
  expect(areShownByTargets(cut, holdings(sharings, hash))).toBeUndefined();
  expect(areShownByTargets(cut, holdings(sharings.slice(1), hash))).toBe(true);
});

test('targets that are where no hash puts them tell nothing, nor does nobody', () => {
  const all = holdings(bySlots, hashedShard);
  const shifted = all.map((each) => ({ ...each, shard: (each.shard + 1) % 4 }));
  expect(areShownByTargets(stateOf(bySlots, 'both'), shifted)).toBeUndefined();
  expect(areShownByTargets(stateOf(bySlots, 'both'), [])).toBeUndefined();
  expect(areShownByTargets(stateOf(bySlots, 'start'), all)).toBeUndefined();
});
