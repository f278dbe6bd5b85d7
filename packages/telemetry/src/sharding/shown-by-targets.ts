import { hashBehind, shardOf } from './held-hash.ts';
import type { ShardingState } from './state-text.ts';
import type { HeldTarget } from './targets-page.ts';

/** What one agent has. */
export interface Holding {
  readonly shard: number;
  readonly replica: number;
  readonly held: readonly HeldTarget[];
}

/**
 * Whether a step has come about, as the agents' lists of targets show it, whichever configuration they say that they run
 * from. While both scrape: whatever anybody has, its new shard has scraped too, in each replica. Then: nobody has what is
 * another's. It never says no: a target may be listed where nobody expects it, and then time decides.
 */
export function areShownByTargets(
  { sharing, handover }: ShardingState,
  holdings: readonly Holding[],
): true | undefined {
  if (handover === undefined || handover.step === 'start') return undefined;
  const { to, step } = handover;
  const all = holdings.flatMap(({ shard, held }) => held.map(({ text }) => ({ shard, text })));
  const hash = hashBehind(all, [sharing, to]);
  if (hash === undefined) return undefined;
  if (step === 'cut') return all.every(({ shard, text }) => shardOf(to, text, hash) === shard) ? true : undefined;
  const scraped = new Set(
    holdings.flatMap(({ shard, replica, held }) =>
      held.flatMap(({ id, isScraped }) => (isScraped ? [`${shard} ${replica} ${id}`] : [])),
    ),
  );
  const replicas = new Set(holdings.map(({ replica }) => replica));
  const isShown = ({ id, text }: HeldTarget): boolean =>
    [...replicas].every((replica) => scraped.has(`${shardOf(to, text, hash)} ${replica} ${id}`));
  return holdings.every(({ held }) => held.every(isShown)) ? true : undefined;
}
