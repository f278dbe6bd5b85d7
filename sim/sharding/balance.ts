/** How evenly shards are loaded, and how many targets move, by slots and by `hashmod`, for targets of very different weight. */
import { seededRandom } from '@signalbox/cluster/testing';
import {
  balanced,
  deviation,
  firstMapping,
  hashedShard,
  movedSlots,
  type SlotMapping,
  shardLoads,
  spreadOver,
} from '@signalbox/telemetry';

export interface BalanceFigures {
  readonly shards: number;
  /** The standard deviation of the shards' load, as a part of the mean. */
  readonly bySlots: number;
  readonly byHashmod: number;
  /** The part of all targets that moves for one shard more. */
  readonly moved: number;
  readonly movedByHashmod: number;
  /** No shard can get its share with less. */
  readonly optimum: number;
}

interface Target {
  readonly address: string;
  readonly slot: number;
  readonly weight: number;
}

const slots = 512;

export function balanceFigures(seed: string, counts: readonly number[], targets = 10_000): readonly BalanceFigures[] {
  const drawn = drawTargets(seed, targets);
  const loads = Array.from({ length: slots }, () => 0);
  for (const { slot, weight } of drawn) loads[slot] = (loads[slot] ?? 0) + weight;
  return counts.map((shards) => {
    const mapping = rested(firstMapping({ slots, shards }), loads);
    const next = spreadOver(mapping, shards + 1, loads);
    const moving = new Set(movedSlots(mapping, next));
    return {
      shards,
      bySlots: deviation(shardLoads(mapping, loads)),
      byHashmod: deviation(hashmodLoads(drawn, shards)),
      moved: part(drawn, ({ slot }) => moving.has(slot)),
      movedByHashmod: part(drawn, ({ address }) => hashedShard(address, shards) !== hashedShard(address, shards + 1)),
      optimum: 1 / (shards + 1),
    };
  });
}

/** One target in ten weighs ten times as much, one in a hundred a hundred times. */
function drawTargets(seed: string, count: number): readonly Target[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const address = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}:9100`;
    const weight = Math.min(200, (1 - random.next()) ** -1);
    return { address, slot: hashedShard(address, slots), weight };
  });
}

/** After as many steps as balancing takes. */
function rested(mapping: SlotMapping, loads: readonly number[]): SlotMapping {
  const next = balanced(mapping, loads);
  return next === mapping ? mapping : rested(next, loads);
}

function hashmodLoads(targets: readonly Target[], shards: number): readonly number[] {
  const sums = Array.from({ length: shards }, () => 0);
  for (const { address, weight } of targets) {
    const shard = hashedShard(address, shards);
    sums[shard] = (sums[shard] ?? 0) + weight;
  }
  return sums;
}

function part(targets: readonly Target[], holds: (target: Target) => boolean): number {
  return targets.filter(holds).length / targets.length;
}
