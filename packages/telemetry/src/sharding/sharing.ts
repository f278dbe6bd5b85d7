import { movedSlots } from './mapping.ts';
import { type Placement, slotWay, type Way } from './placement.ts';
import { mappingOf, type ShardingState, type Sharing } from './state-text.ts';

/** By which rules the targets are shared in this state. */
export function placementOf({ sharing, handover }: ShardingState): Placement {
  if (handover === undefined) return [wayOf(sharing)];
  if (handover.step === 'cut') return [wayOf(handover.to)];
  const [from, to] = [mappingOf(sharing), mappingOf(handover.to)];
  return from !== undefined && to !== undefined ? [slotWay(from, to)] : [wayOf(sharing), wayOf(handover.to)];
}

function wayOf(sharing: Sharing): Way {
  const mapping = mappingOf(sharing);
  return mapping === undefined ? { by: 'hashmod', modulus: sharing.shards } : slotWay(mapping);
}

/** How many shards scrape. */
export function shardsThatScrape({ sharing, handover }: ShardingState): number {
  if (handover === undefined) return sharing.shards;
  return handover.step === 'cut' ? handover.to.shards : Math.max(sharing.shards, handover.to.shards);
}

/** How many slots a hand-over moves; undefined: not by slots. */
export function movedByHandover({ sharing, handover }: ShardingState): number | undefined {
  const [from, to] = [mappingOf(sharing), handover && mappingOf(handover.to)];
  return from === undefined || to === undefined ? undefined : movedSlots(from, to).length;
}
