import { evenLoads, loadOf, type SlotLoads, type SlotMapping, shardLoads } from './mapping.ts';

/**
 * The mapping for another number of shards. Growing, only the new shards get slots, from whoever has most; shrinking, only
 * the slots of the shards that leave move, to whoever has least. The same arguments give the same mapping.
 */
export function spreadOver(mapping: SlotMapping, shards: number, given?: SlotLoads): SlotMapping {
  const loads = usable(given, mapping.owners.length);
  if (shards > mapping.shards) return grown(mapping, { shards, loads });
  return shards < mapping.shards ? shrunk(mapping, { shards, loads }) : mapping;
}

/** Measures that say nothing at all count as none: a slot without load is still one that gets targets tomorrow. */
function usable(given: SlotLoads | undefined, slots: number): SlotLoads {
  const total = given?.reduce((sum, each) => sum + each, 0) ?? 0;
  if (given === undefined || !(total > 0) || given.length !== slots) return evenLoads(slots);
  // An empty slot weighs a little, so that the empty ones are shared as well.
  const least = (total / slots) * 0.01;
  return given.map((each) => Math.max(each, least));
}

interface Spread {
  readonly shards: number;
  readonly loads: SlotLoads;
}

/**
 * Every shard that has more than all are to have gives a sample of its slots, light and heavy ones alike: so the new shards
 * get their share of the load and, what keeps most targets where they are, no more than their share of the slots.
 */
function grown(mapping: SlotMapping, { shards, loads }: Spread): SlotMapping {
  const owners = [...mapping.owners];
  const before = shardLoads(mapping, loads);
  const total = before.reduce((sum, each) => sum + each, 0);
  const level = levelOf(before, (total / shards) * (shards - mapping.shards));
  const owned = before.map((_, shard) => heaviestFirst(slotsOwned(mapping, shard), loads));
  const shares = before.map((load, shard) => ((owned[shard]?.length ?? 0) * Math.max(0, load - level)) / (load || 1));
  const given = wholeNumbers(shares).flatMap((count, shard) => sample(owned[shard] ?? [], count));
  const sums = Array.from({ length: shards }, () => 0);
  for (const slot of heaviestFirst(given, loads)) {
    const to = leastOf(sums, { from: mapping.shards });
    owners[slot] = to;
    sums[to] = at(sums, to) + loadOf(loads, slot);
  }
  return { shards, owners };
}

/** What every shard keeps at most, so that all together give so much. */
function levelOf(sums: readonly number[], toGive: number): number {
  const descending = [...sums].sort((a, b) => b - a);
  let above = 0;
  for (const [index, each] of descending.entries()) {
    above += each;
    const level = (above - toGive) / (index + 1);
    if (level >= (descending[index + 1] ?? Number.NEGATIVE_INFINITY)) return level;
  }
  return 0;
}

/** Numbers whose sum is as near as can be: the largest remainders are rounded up, of equal ones the first. */
function wholeNumbers(shares: readonly number[]): readonly number[] {
  const whole = shares.map(Math.floor);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
  const missing = Math.round(sum(shares)) - sum(whole);
  const rounded = shares
    .map((share, index) => ({ index, rest: share - Math.floor(share) }))
    .sort((a, b) => b.rest - a.rest || a.index - b.index)
    .slice(0, missing)
    .map(({ index }) => index);
  return whole.map((each, index) => each + (rounded.includes(index) ? 1 : 0));
}

/** So many of them, evenly spaced. */
function sample(slots: readonly number[], count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => slots[Math.floor(((index + 0.5) * slots.length) / count)] ?? 0);
}

function slotsOwned({ owners }: SlotMapping, shard: number): readonly number[] {
  return owners.flatMap((owner, slot) => (owner === shard ? [slot] : []));
}

function heaviestFirst(slots: readonly number[], loads: SlotLoads): readonly number[] {
  return [...slots].sort((a, b) => loadOf(loads, b) - loadOf(loads, a) || a - b);
}

/** The heaviest first, each to whoever has least. */
function shrunk(mapping: SlotMapping, { shards, loads }: Spread): SlotMapping {
  const owners = [...mapping.owners];
  const sums = [...shardLoads(mapping, loads)].slice(0, shards);
  const homeless = owners.flatMap((owner, slot) => (owner >= shards ? [slot] : []));
  for (const slot of heaviestFirst(homeless, loads)) {
    const to = leastOf(sums, { from: 0 });
    owners[slot] = to;
    sums[to] = at(sums, to) + loadOf(loads, slot);
  }
  return { shards, owners };
}

/** Of several the first. */
export function leastOf(sums: readonly number[], { from }: { readonly from: number }): number {
  let found = from;
  for (let shard = from; shard < sums.length; shard++) if (at(sums, shard) < at(sums, found)) found = shard;
  return found;
}

export function at(sums: readonly number[], shard: number): number {
  return sums[shard] ?? 0;
}
