import { type KubeObject, type StatefulSet, secrets, statefulsets } from '@signalbox/cluster';
import type { AgentAnswers } from '../../../sharding/agents.ts';
import { type CurrentSharding, currentSharding } from '../../../sharding/current.ts';
import { longestIntervalMs } from '../../../sharding/interval.ts';
import type { SlotLoads } from '../../../sharding/mapping.ts';
import { isOwnedBy, type World } from '../../../world/world.ts';
import type { PrometheusRoot } from '../config/document.ts';
import { shardsOf } from '../config/settings.ts';
import { baseName, shardName } from '../manifests/flavour.ts';
import { agentDoor } from '../manifests/service.ts';
import { deadlineAnnotation } from './retention.ts';

interface Seen {
  readonly world: World;
  readonly monitors: readonly KubeObject[];
  readonly nowMs: number;
  readonly answers: AgentAnswers;
  readonly loads: SlotLoads | undefined;
  readonly isLeftAlone: boolean;
}

/** How the shards of a root share their targets now. Those that are kept for their data have no part in it. */
export function shardingOf(root: PrometheusRoot, { world, monitors, ...seen }: Seen): CurrentSharding {
  const { namespace, uid } = root.metadata;
  const set = (shard: number): StatefulSet | undefined => {
    const found = world.get(statefulsets, `${namespace}/${shardName(root, shard)}`);
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) return undefined;
    return isOwnedBy(found, uid) ? found : undefined;
  };
  let running = 0;
  while (set(running) !== undefined && set(running)?.metadata.annotations?.[deadlineAnnotation] === undefined)
    running++;
  return currentSharding(root, {
    ...seen,
    shards: shardsOf(root),
    asked: { field: 'spec.shards', value: root.spec.shards },
    config: world.get(secrets, `${namespace}/${baseName(root)}`),
    set,
    running,
    door: agentDoor(root),
    intervalMs: () => longestIntervalMs(root.spec.scrapeInterval || '30s', monitors),
  });
}
