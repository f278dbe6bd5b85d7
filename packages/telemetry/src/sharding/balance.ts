import { deviation, loadOf, type SlotLoads, type SlotMapping, shardLoads } from './mapping.ts';
import { at, leastOf } from './spread.ts';

export interface Balancing {
  /** Shards are left alone until their standard deviation is this part of their mean, */
  readonly begin: number;
  /** or one of them is this part of the mean away from it: among many shards a single one deviates little. */
  readonly furthestMax: number;
  /** Once begun, slots move until the shards' standard deviation is this part of their mean. */
  readonly end: number;
  /** At most this part of all slots moves at once. */
  readonly movedMax: number;
  /** Nothing moves where the deviation would not become less by this part of the mean: some targets are heavy. */
  readonly gainMin: number;
}

/** Well apart, so that what moved does not move back because of one measurement. */
export const balancingDefault: Balancing = { begin: 0.1, furthestMax: 0.2, end: 0.05, movedMax: 1 / 16, gainMin: 0.01 };

/**
 * The mapping with its hot slots moved from the fullest to the emptiest shard, by what the slots weigh; the same mapping
 * where nothing has to move. The same arguments give the same mapping.
 */
export function balanced(
  mapping: SlotMapping,
  loads: SlotLoads,
  { begin, furthestMax, end, movedMax, gainMin }: Balancing = balancingDefault,
): SlotMapping {
  const owners = [...mapping.owners];
  const sums = [...shardLoads(mapping, loads)];
  const mean = sums.reduce((sum, each) => sum + each, 0) / mapping.shards;
  const furthest = Math.max(...sums.map((each) => Math.abs(each - mean)));
  const before = deviation(sums);
  if (!(mean > 0) || loads.length !== owners.length) return mapping;
  if (before <= begin && furthest <= mean * furthestMax) return mapping;
  const limit = Math.max(1, Math.floor(owners.length * movedMax));
  const moved = new Set<number>();
  while (moved.size < limit && deviation(sums) > end) {
    const [from, to] = [mostOf(sums, { below: sums.length }), leastOf(sums, { from: 0 })];
    const apart = at(sums, from) - at(sums, to);
    // Half of the difference makes both the same. What has moved once stays: a target moves at most once in a step.
    const slot = nearest(
      owners.map((owner, each) => (moved.has(each) ? -1 : owner)),
      { owner: from, loads, wanted: apart / 2 },
    );
    const load = slot === undefined ? 0 : loadOf(loads, slot);
    // What weighs next to nothing changes nothing.
    if (slot === undefined || load >= apart || load < apart / 1_000) break;
    give({ owners, sums, loads }, slot, to);
    moved.add(slot);
  }
  return moved.size === 0 || before - deviation(sums) < gainMin ? mapping : { shards: mapping.shards, owners };
}

interface Working {
  readonly owners: number[];
  readonly sums: number[];
  readonly loads: SlotLoads;
}

/** Changes the working copies. */
function give({ owners, sums, loads }: Working, slot: number, to: number): void {
  const from = owners[slot] ?? 0;
  const load = loadOf(loads, slot);
  sums[from] = at(sums, from) - load;
  sums[to] = at(sums, to) + load;
  owners[slot] = to;
}

/** Of the owner's slots the one whose weight is nearest to what is wanted; of several the first. */
function nearest(
  owners: readonly number[],
  { owner, loads, wanted }: { readonly owner: number; readonly loads: SlotLoads; readonly wanted: number },
): number | undefined {
  let found: number | undefined;
  let distance = Number.POSITIVE_INFINITY;
  for (const [slot, each] of owners.entries()) {
    if (each !== owner) continue;
    const far = Math.abs(loadOf(loads, slot) - wanted);
    if (far >= distance) continue;
    found = slot;
    distance = far;
  }
  return found;
}

function mostOf(sums: readonly number[], { below }: { readonly below: number }): number {
  let found = 0;
  for (let shard = 0; shard < below; shard++) if (at(sums, shard) > at(sums, found)) found = shard;
  return found;
}
