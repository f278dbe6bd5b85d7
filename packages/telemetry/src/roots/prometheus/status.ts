import { type StatefulSet, statefulsets } from '@signalbox/cluster';
import type { DesiredStatus, Found } from '../../operator/component.ts';
import { isPaused } from '../../operator/paused.ts';
import type { Fact } from '../../resources/condition.ts';
import type { PrometheusStatus, ShardStatus } from '../../resources/prometheus-fields.ts';
import type { CurrentSharding } from '../../sharding/current.ts';
import type { Finding } from '../../world/findings.ts';
import { sentences } from '../../world/findings.ts';
import type { World } from '../../world/world.ts';
import type { PrometheusRoot } from './config/document.ts';
import { shardsOf } from './config/settings.ts';
import { type PrometheusOptions, rootLabels, shardLabel, shardName } from './manifests/flavour.ts';
import { claimsFact, type LeftClaims } from './shards/claims.ts';
import { retainedNote } from './shards/fates.ts';
import { shardIdOf } from './shards/live.ts';
import type { KeptShard, ShardFate } from './shards/retention.ts';

interface Built {
  readonly options: PrometheusOptions;
  /** Whether any monitor is selected. */
  readonly selectsAny: boolean;
  readonly isUnmanaged: boolean;
  readonly fates: readonly ShardFate[];
  readonly claims: readonly LeftClaims[];
  readonly sharding: Pick<CurrentSharding, 'facts' | 'shards'>;
}

export function prometheusStatus(root: PrometheusRoot, world: World, built: Built): DesiredStatus {
  const active = activeShards(root, world, built.sharding.shards);
  const retained = built.fates.filter((each) => each.fate === 'retain');
  const statuses = active.map(({ shard, set }) => shardStatus(String(shard), set));
  const sum = (field: Exclude<keyof ShardStatus, 'shardID'>): number =>
    statuses.reduce((total, each) => total + each[field], 0);
  const fields: PrometheusStatus = {
    replicas: sum('replicas'),
    updatedReplicas: sum('updatedReplicas'),
    availableReplicas: sum('availableReplicas'),
    unavailableReplicas: sum('unavailableReplicas'),
    paused: isPaused(root),
    shards: active.filter(({ set }) => set !== undefined).length,
    selector: scaleSelector(root, built.options),
    shardStatuses: [...statuses, ...retained.map(({ set }) => shardStatus(shardIdOf(set), set))],
  };
  return {
    conditions: [
      availableFact(active),
      'Reconciled',
      ...built.sharding.facts,
      ...(retained.length > 0 ? [retainedFact(retained)] : []),
      ...claimsFact(built.claims),
    ],
    ...noteOf(built),
    fields: { ...fields },
  };
}

function noteOf({ isUnmanaged, selectsAny }: Built): Pick<DesiredStatus, 'note'> {
  if (isUnmanaged) return { note: 'configuration unmanaged' };
  return selectsAny ? {} : { note: 'nothing selected' };
}

/**
 * The pods by which a HorizontalPodAutoscaler counts and measures shards: the first pod of every active shard. It takes
 * the number of ready pods that the selector matches for the current size, so a second replica, or a shard that is only
 * kept for its data, would make it ask for ever more shards.
 */
export function scaleSelector(root: PrometheusRoot, options: PrometheusOptions): string {
  const shards = Array.from({ length: shardsOf(root) }, (_, shard) => shard).join(',');
  return [
    ...Object.entries(rootLabels(root, options)).map(([label, value]) => `${label}=${value}`),
    'apps.kubernetes.io/pod-index=0',
    `${shardLabel} in (${shards})`,
  ].join(',');
}

/**
 * `Reconciled`: false when something is wrong with the root itself, so that nothing of a change took effect; a monitor
 * that was left out, or a field without effect, is told in its message.
 */
export function prometheusReconciledFact(root: PrometheusRoot, { findings, note }: Found): Fact {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const own = errors.filter(({ regarding }) => regarding.metadata.uid === root.metadata.uid);
  const fact = (status: 'False' | 'True', reason: string, message: string): Fact => ({
    type: 'Reconciled',
    status,
    reason,
    message,
  });
  if (own.length > 0) return fact('False', 'ReconciliationFailed', sentences(own));
  if (errors.length > 0)
    return fact('True', 'ResourcesRejected', sentences([...errors, ...findings.filter(isWarning)]));
  if (note === 'configuration unmanaged')
    return fact(
      'True',
      'ConfigurationUnmanaged',
      'no selector is set: the configuration Secret is left to its owner; set one, if only to {}',
    );
  if (findings.length > 0) return fact('True', 'WithWarnings', sentences(findings));
  if (note === 'nothing selected') return fact('True', 'NoSelectedResources', 'the selectors find nothing to scrape');
  return fact('True', 'Reconciled', '');
}

function isWarning({ severity }: Finding): boolean {
  return severity === 'warning';
}

interface ActiveShard {
  readonly shard: number;
  readonly set: StatefulSet | undefined;
}

function activeShards(root: PrometheusRoot, world: World, shards: number): readonly ActiveShard[] {
  return Array.from({ length: shards }, (_, shard) => {
    const set = world.get(statefulsets, `${root.metadata.namespace}/${shardName(root, shard)}`);
    return { shard, set: set?.metadata.deletionTimestamp === undefined ? set : undefined };
  });
}

function shardStatus(shardID: string, set: StatefulSet | undefined): ShardStatus {
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = set?.status ?? {};
  return {
    shardID,
    replicas,
    updatedReplicas,
    availableReplicas,
    unavailableReplicas: Math.max(0, replicas - availableReplicas),
  };
}

/** `Available`: False when some shard has no ready pod at all, Degraded when some of its pods are missing. */
function availableFact(active: readonly ActiveShard[]): Fact {
  const problems = active.flatMap(problemOf);
  if (problems.length === 0) return { type: 'Available', status: 'True', reason: 'AllPodsReady', message: '' };
  const reasons = [...new Set(problems.map(({ reason }) => reason))];
  return {
    type: 'Available',
    status: reasons.some((reason) => reason !== 'SomePodsNotReady') ? 'False' : 'Degraded',
    reason: reasons.join('And'),
    message: problems.map(({ message }) => message).join('; '),
  };
}

interface Problem {
  readonly reason: 'NoPodReady' | 'SomePodsNotReady' | 'StatefulSetNotFound';
  readonly message: string;
}

function problemOf({ shard, set }: ActiveShard): readonly Problem[] {
  if (set === undefined)
    return [{ reason: 'StatefulSetNotFound', message: `shard ${shard}: its StatefulSet does not exist` }];
  const wanted = set.spec.replicas ?? 1;
  const ready = set.status?.availableReplicas ?? 0;
  if (ready >= wanted) return [];
  return [
    {
      reason: ready === 0 ? 'NoPodReady' : 'SomePodsNotReady',
      message: `shard ${shard}: ${ready} of ${wanted} pods ready`,
    },
  ];
}

function retainedFact(retained: readonly KeptShard[]): Fact {
  return {
    type: 'ShardsRetained',
    status: 'True',
    reason: 'ScaledDown',
    message: retained.map(retainedNote).join('; '),
  };
}
