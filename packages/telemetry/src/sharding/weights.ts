import { loadOf, type SlotLoads, type SlotMapping, shardLoads } from './mapping.ts';
import { at } from './spread.ts';

/*
 * What slots weigh as it is remembered: not by how many samples, but by how much more or less than the mean, in steps of
 * half a percent. So what is written is what is read, and the same from every writer.
 */

/** By the slot's number: 0 is nothing at all, the middle the mean. Whole numbers below `levelsMax`. */
export type SlotLevels = readonly number[];

export const levelsMax = 4_096;
const middle = levelsMax / 2;
const step = 0.005;

/** Undefined: there is nothing that weighs. */
export function toLevels(loads: SlotLoads): SlotLevels | undefined {
  const mean = meanOf(loads);
  if (!(mean > 0)) return undefined;
  return loads.map((load) => {
    if (!(load > 0)) return 0;
    return Math.min(levelsMax - 1, Math.max(1, middle + Math.round(Math.log(load / mean) / step)));
  });
}

export function toLoads(levels: SlotLevels): SlotLoads {
  return levels.map((level) => (level === 0 ? 0 : Math.exp((level - middle) * step)));
}

/** Of all slots, as a part of all load: those that weigh something else now. */
const changedPartMax = 0.1;
/** Of a shard, as a part of the shards' mean. */
const shardPartMax = 0.05;

/**
 * Whether what was measured says something else than what is remembered, so that it is worth a write: shards weigh
 * something else by it, or many slots do.
 */
export function isNews(
  { mapping, weights }: { readonly mapping: SlotMapping; readonly weights: SlotLevels | undefined },
  measured: SlotLoads,
): boolean {
  if (measured.length !== mapping.owners.length || !(meanOf(measured) > 0)) return false;
  if (weights === undefined || weights.length !== measured.length) return true;
  const [before, after] = [toParts(toLoads(weights)), toParts(measured)];
  const changed = before.reduce((sum, each, slot) => sum + Math.abs(each - loadOf(after, slot)), 0) / 2;
  const shardsAfter = shardLoads(mapping, after);
  const far = shardLoads(mapping, before).map((each, shard) => Math.abs(each - at(shardsAfter, shard)));
  return changed > changedPartMax || Math.max(...far) > shardPartMax / mapping.shards;
}

function toParts(loads: SlotLoads): SlotLoads {
  const sum = meanOf(loads) * loads.length;
  return loads.map((each) => each / sum);
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}
