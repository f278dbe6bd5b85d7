import { freeze } from '@signalbox/cluster';
import { constant, keep, type RelabelRule } from '../../../../relabel/rule.ts';
import { placementRules } from '../../../../sharding/placement.ts';
import type { Sharding } from '../settings.ts';

/*
 * How shards share their targets. All shards run from one configuration; the config reloader puts each pod's number into
 * `$(SHARD)`.
 *
 * 1. Of a server, only shards below the wanted number scrape anything: a removed one that is kept for its data reads the
 *    same file as the others.
 * 2. A target goes to the shard, or to the slot of the shard, that its address hashes to. Whoever sets `__tmp_hash` decides
 *    what is hashed instead; whoever sets `__tmp_disable_sharding` has the target scraped by every active shard.
 */

type Source = '__address__' | '__param_target';

/** The last rules of every job that the operator writes: the very same for all of them. `source` tells the targets apart. */
export function shardingRules(source: Source, sharding: Sharding): readonly RelabelRule[] {
  const known = remembered.get(sharding) ?? new Map<Source, readonly RelabelRule[]>();
  remembered.set(sharding, known);
  const rules =
    known.get(source) ??
    freeze([...(sharding.isServer ? activeShardRules(sharding.shards) : []), ...hashRules(source, sharding)]);
  known.set(source, rules);
  return rules;
}

const remembered = new WeakMap<Sharding, Map<Source, readonly RelabelRule[]>>();

/**
 * The last rules of a job that a user spelled out. With one shard there is nothing to share, and rules with a `hashmod`
 * of their own share already; shards that are kept for their data must hold back all the same.
 */
export function shardingRulesForOwnJob(
  own: readonly { readonly action?: unknown }[],
  sharding: Sharding,
): readonly RelabelRule[] {
  const { shards, isServer, retains } = sharding;
  const isShared = own.some(({ action }) => String(action).toLowerCase() === 'hashmod');
  const hashes = shards > 1 && !isShared;
  const holdsBack = isServer && (retains || hashes);
  return [...(holdsBack ? activeShardRules(shards) : []), ...(hashes ? hashRules('__address__', sharding) : [])];
}

function activeShardRules(shards: number): readonly RelabelRule[] {
  const active = Array.from({ length: shards }, (_, shard) => shard).join('|');
  return [constant('__tmp_current_shard', '$(SHARD)'), keep('__tmp_current_shard', active)];
}

function hashRules(source: Source, { placement }: Sharding): readonly RelabelRule[] {
  return placementRules(placement, { source, takesWishes: true });
}
