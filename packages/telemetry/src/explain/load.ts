import { endpointslices, type KubeObject, keyOf, pods } from '@signalbox/cluster';
import type { Desired } from '../operator/component.ts';
import type { World } from '../world/world.ts';
import { jobViews } from './job.ts';

/** How many targets a root has, as its rules would keep them of what is there. */
export interface Load {
  /** By kind and key of the monitor, however many instances take it. */
  readonly ofMonitors: ReadonlyMap<string, number>;
  /** By the number of the shard. */
  readonly ofShards: readonly number[];
}

/** Rules that are run on something that they would find: beyond this many nobody waits for the answer. */
const pairsMax = 2_000_000;

/** Undefined: there is too much to count. */
export function loadOf(root: KubeObject, desired: Desired, world: World): Load | undefined {
  const found = world.list(pods).length + world.list(endpointslices).length;
  if (desired.collected.length * found > pairsMax) return undefined;
  const ofMonitors = new Map<string, number>();
  const ofShards = Array.from({ length: desired.shards }, () => 0);
  const byHand = desired.additional();
  for (const collected of [...desired.collected, ...byHand]) {
    const views = jobViews(collected, { world, root, shards: desired.shards });
    const fates = views.flatMap(({ targets }) => targets.map(({ fate }) => fate)).filter((fate) => fate.kept);
    if (!byHand.includes(collected))
      ofMonitors.set(`${collected.monitor.kind} ${keyOf(collected.monitor)}`, fates.length);
    if (collected.by.kind === 'LogsInstance') continue;
    for (const shard of fates.flatMap(({ shards }) => shards)) ofShards[shard] = (ofShards[shard] ?? 0) + 1;
  }
  return { ofMonitors, ofShards };
}
