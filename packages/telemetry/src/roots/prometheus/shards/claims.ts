import { type PersistentVolumeClaim, persistentvolumeclaims, type StatefulSet, statefulsets } from '@signalbox/cluster';
import type { Fact } from '../../../resources/condition.ts';
import { isOwnedBy, type World } from '../../../world/world.ts';
import type { PrometheusRoot } from '../config/document.ts';
import { type PrometheusOptions, rootLabels, shardLabel, shardName } from '../manifests/flavour.ts';

/** The volumes of one shard that is gone; nobody deletes them but people. */
export interface LeftClaims {
  readonly shard: number;
  /** Sorted. */
  readonly names: readonly string[];
}

/** What a root's shards that are neither wanted nor kept have left behind, by shard. */
export function leftClaims(
  root: PrometheusRoot,
  world: World,
  { shards, options }: { readonly shards: number; readonly options: PrometheusOptions },
): readonly LeftClaims[] {
  const byShard = new Map<number, string[]>();
  for (const { metadata } of claimsOf(root, world, options)) {
    const shard = Number(metadata.labels?.[shardLabel]);
    if (!Number.isInteger(shard) || shard < shards || runs(root, world, shard)) continue;
    byShard.set(shard, [...(byShard.get(shard) ?? []), metadata.name]);
  }
  return [...byShard].sort(([a], [b]) => a - b).map(([shard, names]) => ({ shard, names }));
}

/** What a shard that goes now leaves behind. */
export function claimsOfShard(
  root: PrometheusRoot,
  world: World,
  { set, options }: { readonly set: StatefulSet; readonly options: PrometheusOptions },
): readonly string[] {
  if (root.spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === 'Delete') return [];
  const shard = set.metadata.labels?.[shardLabel];
  return claimsOf(root, world, options)
    .filter(({ metadata }) => metadata.labels?.[shardLabel] === shard)
    .map(({ metadata }) => metadata.name);
}

function claimsOf(root: PrometheusRoot, world: World, options: PrometheusOptions): readonly PersistentVolumeClaim[] {
  return world
    .select(persistentvolumeclaims, {
      labels: { matchLabels: rootLabels(root, options) },
      namespaces: undefined,
      home: root.metadata.namespace ?? '',
    })
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** Also one on its way out: its pods may still use what it has. */
function runs(root: PrometheusRoot, world: World, shard: number): boolean {
  const set = world.get(statefulsets, `${root.metadata.namespace}/${shardName(root, shard)}`);
  return set !== undefined && isOwnedBy(set, root.metadata.uid);
}

/** How many names a condition spells out; the rest is counted. */
const spelledOutMax = 10;

/** `data-prometheus-main-shard-2-0, data-prometheus-main-shard-2-1 and 3 more` */
export function namesOfClaims(names: readonly string[]): string {
  const more = names.length - spelledOutMax;
  return `${names.slice(0, spelledOutMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

export function claimsFact(left: readonly LeftClaims[]): readonly Fact[] {
  if (left.length === 0) return [];
  const whose = left.map(({ shard }) => shard).join(', ');
  const names = namesOfClaims(left.flatMap((each) => each.names));
  const message = `${left.length === 1 ? `shard ${whose} is` : `shards ${whose} are`} gone, and the volumes are kept: ${names}. A scale-up takes them again; delete the PersistentVolumeClaims when nobody needs their data`;
  return [{ type: 'VolumesKept', status: 'True', reason: 'ShardsGone', message }];
}
