import { type StatefulSet, statefulsets } from '@signalbox/cluster';
import type { World } from '../../../world/world.ts';
import type { PrometheusRoot } from '../config/document.ts';
import { managedBy, shardLabel, shardName } from '../manifests/flavour.ts';

/** Shards that run, or are to run, but that the root does not ask for any more; by number, those on their way out excluded. */
export function removedShards(root: PrometheusRoot, world: World, shards: number): readonly StatefulSet[] {
  const wanted = new Set(Array.from({ length: shards }, (_, shard) => shardName(root, shard)));
  return world
    .owned(statefulsets, root.metadata.uid)
    .filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/managed-by'] === managedBy)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined && !wanted.has(metadata.name))
    .sort((a, b) => Number(shardIdOf(a)) - Number(shardIdOf(b)));
}

/** `2` */
export function shardIdOf({ metadata }: StatefulSet): string {
  return metadata.labels?.[shardLabel] ?? '';
}
