import { type StatefulSet, secrets, statefulsets } from '@signalbox/cluster';
import type { GrafanaAgent } from '../../resources/grafana-agent.ts';
import { type CurrentSharding, currentSharding, type ShardsSeen } from '../../sharding/current.ts';
import { longestIntervalMs } from '../../sharding/interval.ts';
import { type Leaving, nobodyLeaves, planLeaving } from '../../sharding/leaving.ts';
import { isOwnedBy, type World } from '../../world/world.ts';
import { shardsOf } from './config/settings.ts';
import type { AgentHierarchy } from './discover.ts';
import { agentDoor } from './manifests/metrics/service.ts';
import { metricsConfigName, shardName } from './manifests/metrics/statefulset.ts';

type Now = Pick<ShardsSeen, 'answers' | 'loads' | 'nowMs'>;

/** How the shards of the metrics agents share their targets now. */
export function shardingOf(
  root: GrafanaAgent,
  { world, hierarchy, ...now }: { readonly world: World; readonly hierarchy: AgentHierarchy } & Now,
): CurrentSharding {
  const { namespace, uid } = root.metadata;
  const set = (shard: number): StatefulSet | undefined => {
    const found = world.get(statefulsets, `${namespace}/${shardName(root, shard)}`);
    return found !== undefined && found.metadata.deletionTimestamp === undefined && isOwnedBy(found, uid)
      ? found
      : undefined;
  };
  const monitors = hierarchy.metrics.flatMap((each) => [...each.serviceMonitors, ...each.podMonitors, ...each.probes]);
  let running = 0;
  while (set(running) !== undefined) running++;
  return currentSharding(root, {
    shards: shardsOf(root),
    asked: { field: 'spec.metrics.shards', value: root.spec.metrics?.shards },
    config: world.get(secrets, `${namespace}/${metricsConfigName(root)}`),
    set,
    running,
    intervalMs: () => longestIntervalMs(root.spec.metrics?.scrapeInterval || '1m', monitors),
    ...now,
    door: agentDoor,
    isLeftAlone: false,
  });
}

/** Shards that the root does not ask for any more, until the others must have their targets. */
export function leavingShards(
  root: GrafanaAgent,
  { world, sharding, nowMs }: { readonly world: World; readonly sharding: CurrentSharding; readonly nowMs: number },
): Leaving {
  if (sharding.isHandedOver) return nobodyLeaves;
  const prefix = `${root.metadata.name}-shard-`;
  const leaving = world.owned(statefulsets, root.metadata.uid).filter(({ metadata }) => {
    const { name, deletionTimestamp } = metadata;
    return name.startsWith(prefix) && Number(name.slice(prefix.length)) >= sharding.shards && !deletionTimestamp;
  });
  return planLeaving(leaving, nowMs);
}
