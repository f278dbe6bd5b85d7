/*
 * Slots stand between targets and shards. A target hashes to one of a fixed number of slots, for ever; each slot belongs to
 * one shard. Another number of shards gives some slots another owner, and only their targets move.
 */

/** Which shard scrapes each slot. Every owner is below `shards`; a shard may own none. */
export interface SlotMapping {
  /** At least 1. */
  readonly shards: number;
  /** The shard of each slot, by the slot's number. */
  readonly owners: readonly number[];
}

export const slotsDefault = 512;

/**
 * The first mapping of a root: the same from whoever makes it. Where the number of slots is a multiple of the number of
 * shards every target stays where `hashmod` has put it.
 */
export function firstMapping({ slots, shards }: { readonly slots: number; readonly shards: number }): SlotMapping {
  return { shards, owners: Array.from({ length: slots }, (_, slot) => slot % shards) };
}

/** The slots that have another owner. Both mappings are of the same slots. */
export function movedSlots(from: SlotMapping, to: SlotMapping): readonly number[] {
  return from.owners.flatMap((owner, slot) => (to.owners[slot] === owner ? [] : [slot]));
}

/** What the slots weigh that each shard owns, by the shard's number. */
export function shardLoads({ shards, owners }: SlotMapping, loads: SlotLoads): readonly number[] {
  const sums = Array.from({ length: shards }, () => 0);
  for (const [slot, owner] of owners.entries()) sums[owner] = (sums[owner] ?? 0) + loadOf(loads, slot);
  return sums;
}

/** What each slot weighs, by its number. */
export type SlotLoads = readonly number[];

/** Nothing is known of any slot: all weigh the same. */
export function evenLoads(slots: number): SlotLoads {
  return Array.from({ length: slots }, () => 1);
}

export function loadOf(loads: SlotLoads, slot: number): number {
  return loads[slot] ?? 0;
}

/** The standard deviation of numbers as a part of their mean; 0 where there is nothing. */
export function deviation(numbers: readonly number[]): number {
  const mean = numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
  if (!(mean > 0)) return 0;
  const square = numbers.reduce((sum, each) => sum + (each - mean) ** 2, 0) / numbers.length;
  return Math.sqrt(square) / mean;
}
