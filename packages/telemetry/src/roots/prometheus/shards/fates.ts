import { type Action, type StatefulSet, statefulsets } from '@signalbox/cluster';
import { isPaused } from '../../../operator/paused.ts';
import type { CurrentSharding } from '../../../sharding/current.ts';
import { type Leaving, nobodyLeaves, planLeaving } from '../../../sharding/leaving.ts';
import type { Finding } from '../../../world/findings.ts';
import type { World } from '../../../world/world.ts';
import { isServer, type PrometheusRoot } from '../config/document.ts';
import { removedShards, shardIdOf } from './live.ts';
import { deadlineAnnotation, graceOf, planRemovedShards, type ShardFate } from './retention.ts';

/** Of a root that is being built. */
interface Built {
  readonly root: PrometheusRoot;
  readonly world: World;
  readonly sharding: CurrentSharding;
  readonly isUnmanaged: boolean;
}

/** What becomes of the shards that the root does not ask for any more. */
export function fatesOf({ root, world, sharding }: Built, nowMs: number): readonly ShardFate[] {
  const grace = isServer(root) ? graceOf(root.spec) : undefined;
  const fates = planRemovedShards(removedShards(root, world, sharding.shards), { grace, nowMs });
  // Of a paused root nothing is decided any more: only what stands already is told.
  return isPaused(root) ? fates.filter((each) => each.fate === 'retain' && !each.isNew) : fates;
}

/** Those that were kept for their data have scraped nothing for long; those that were handed over have nothing left. */
export function leavingOf(
  { sharding, isUnmanaged }: Built,
  { fates, nowMs }: { readonly fates: readonly ShardFate[]; readonly nowMs: number },
): Leaving {
  if (isUnmanaged || sharding.isHandedOver) return nobodyLeaves;
  const going = fates.filter(({ fate, set }) => fate === 'delete' && !wasRetained(set)).map(({ set }) => set);
  return planLeaving(going, nowMs);
}

function wasRetained({ metadata }: StatefulSet): boolean {
  return metadata.annotations?.[deadlineAnnotation] !== undefined;
}

/** Only the annotation changes: a new template could cost the pods the data that they are kept for. */
export function marking(fate: ShardFate): readonly Action[] {
  if (fate.fate !== 'retain' || !fate.isNew) return [];
  return [
    {
      do: 'patch',
      type: statefulsets,
      target: fate.set,
      patchType: 'merge',
      body: { metadata: { annotations: { [deadlineAnnotation]: fate.deadline } } },
    },
  ];
}

export function unreadable(root: PrometheusRoot, fate: ShardFate): readonly Finding[] {
  if (fate.fate !== 'retain' || !fate.isUnreadable) return [];
  return [
    {
      severity: 'warning',
      regarding: root,
      reason: 'InvalidDeadline',
      field: '',
      message: `shard ${shardIdOf(fate.set)} is kept for ever: "${fate.deadline}" in the annotation ${deadlineAnnotation} of StatefulSet ${fate.set.metadata.name} is no time such as 2030-01-31T12:00:00Z`,
    },
  ];
}
