import { type Action, fromTimestamp, type StatefulSet, statefulsets, toTimestamp } from '@signalbox/cluster';
import { isPaused } from '../../../operator/paused.ts';
import type { CurrentSharding } from '../../../sharding/current.ts';
import { type Leaving, nobodyLeaves, planLeaving } from '../../../sharding/leaving.ts';
import type { Finding } from '../../../world/findings.ts';
import { isOwnedBy, type World } from '../../../world/world.ts';
import { isServer, type PrometheusRoot } from '../config/document.ts';
import { type PrometheusOptions, shardName } from '../manifests/flavour.ts';
import { claimsOfShard, namesOfClaims } from './claims.ts';
import { formatKept, keptAnnotation, keptUntilLabel, labelOf, parseKept } from './kept-text.ts';
import { removedShards, shardIdOf } from './live.ts';
import {
  deadlineAnnotation,
  deadlineMs,
  graceOf,
  type KeptShard,
  neverDeadline,
  planRemovedShards,
  type ShardFate,
} from './retention.ts';

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
  const removed = removedShards(root, world, sharding.shards);
  const fates = planRemovedShards(removed, { grace, nowMs, knownMs: knownMs(root, removed) });
  // Of a paused root nothing is decided any more: only what stands already is told.
  return isPaused(root) ? fates.filter((each) => each.fate === 'retain' && isMarked(each.set)) : fates;
}

/** Those that were kept for their data have scraped nothing for long; those that were handed over have nothing left. */
export function leavingOf(
  { sharding, isUnmanaged }: Built,
  { fates, nowMs }: { readonly fates: readonly ShardFate[]; readonly nowMs: number },
): Leaving {
  if (isUnmanaged || sharding.isHandedOver) return nobodyLeaves;
  const going = fates.filter(({ fate, set }) => fate === 'delete' && !isMarked(set)).map(({ set }) => set);
  return planLeaving(going, nowMs);
}

/** The latest thing that is known to have happened to the root. */
function knownMs(root: PrometheusRoot, removed: readonly StatefulSet[]): number {
  const times = [
    ...[root, ...removed].map(({ metadata }) => metadata.creationTimestamp),
    ...(root.status?.conditions ?? []).map(({ lastTransitionTime }) => lastTransitionTime),
  ];
  return Math.max(0, ...times.map(fromTimestamp).filter((each) => !Number.isNaN(each)));
}

function isMarked({ metadata }: StatefulSet): boolean {
  return metadata.annotations?.[deadlineAnnotation] !== undefined;
}

/** Only metadata changes: a new template could cost the pods the data that they are kept for. */
export function marking(fate: ShardFate): readonly Action[] {
  if (fate.fate !== 'retain') return [];
  const { set, deadline, record } = fate;
  const { annotations = {}, labels = {} } = set.metadata;
  const kept = formatKept(record);
  const change = {
    annotations: {
      ...(annotations[deadlineAnnotation] !== deadline && { [deadlineAnnotation]: deadline }),
      ...((annotations[keptAnnotation] ?? '') !== kept && { [keptAnnotation]: kept === '' ? null : kept }),
    },
    labels: labelChange(labels[keptUntilLabel], labelOf(deadlineMs(deadline))),
  };
  const metadata = Object.fromEntries(Object.entries(change).filter(([, each]) => Object.keys(each).length > 0));
  if (Object.keys(metadata).length === 0) return [];
  return [{ do: 'patch', type: statefulsets, target: set, patchType: 'merge', body: { metadata } }];
}

function labelChange(before: string | undefined, after: string): Readonly<Record<string, string>> {
  return before === after ? {} : { [keptUntilLabel]: after };
}

interface Teller {
  readonly root: PrometheusRoot;
  readonly world: World;
  readonly fates: readonly ShardFate[];
  /** Shards that go, but not yet. */
  readonly leaving: Leaving;
  /** How many shards are to be. */
  readonly shards: number;
  readonly options: PrometheusOptions;
}

/** One event whenever something changes for a shard that is kept, or that goes and leaves something behind. */
export function shardNews(teller: Teller): readonly Action[] {
  const { root, leaving } = teller;
  const fates = teller.fates.filter(({ set }) => !leaving.kept.includes(set));
  const news = [...takenBack(teller), ...fates.flatMap((fate) => told(fate, teller))];
  return news.map(({ reason, note }): Action => ({ do: 'emit', regarding: root, type: 'Normal', reason, note }));
}

interface News {
  readonly reason: string;
  readonly note: string;
}

function takenBack({ root, world, shards }: Teller): readonly News[] {
  return Array.from({ length: shards }, (_, shard) =>
    world.get(statefulsets, `${root.metadata.namespace}/${shardName(root, shard)}`),
  ).flatMap((set) => {
    const deadline = set?.metadata.annotations?.[deadlineAnnotation];
    if (set === undefined || deadline === undefined || set.metadata.deletionTimestamp !== undefined) return [];
    if (!isOwnedBy(set, root.metadata.uid)) return [];
    const note = `shard ${shardIdOf(set)}, which was kept ${until(deadline)}, is taken back as it is`;
    return [{ reason: 'ShardTakenBack', note }];
  });
}

function told(fate: ShardFate, teller: Teller): readonly News[] {
  const shard = `shard ${shardIdOf(fate.set)}`;
  const before = fate.set.metadata.annotations?.[deadlineAnnotation];
  if (fate.fate === 'delete') return going(fate, { shard, before, teller });
  const { deadline, record, goesMs, set } = fate;
  if (before === undefined) return [{ reason: 'ShardKept', note: `${shard} is kept ${until(deadline)}` }];
  if (before !== deadline)
    return [
      {
        reason: 'DeadlineMoved',
        note: `${shard} is kept ${until(deadline)}, no longer ${until(before)}: so the spec says now`,
      },
    ];
  const label = set.metadata.labels?.[keptUntilLabel];
  if (label !== undefined && label !== labelOf(deadlineMs(deadline)))
    return [{ reason: 'DeadlineMoved', note: `${shard} is kept ${until(deadline)}: so its annotation says now` }];
  const wasDue = parseKept(set.metadata.annotations?.[keptAnnotation]).dueMs;
  if (goesMs === undefined || record.dueMs === wasDue) return [];
  const note = `${shard} was kept ${until(deadline)}: it is deleted at ${toTimestamp(goesMs)} unless a scale-up takes it back or its annotation ${deadlineAnnotation} is changed`;
  return [{ reason: 'ShardDue', note }];
}

interface Going {
  readonly shard: string;
  readonly before: string | undefined;
  readonly teller: Teller;
}

function going(
  { set, why }: Extract<ShardFate, { fate: 'delete' }>,
  { shard, before, teller: { root, world, options } }: Going,
): readonly News[] {
  const claims = claimsOfShard(root, world, { set, options });
  if (before === undefined && claims.length === 0) return [];
  const kept = before === undefined ? '' : `, which was kept ${until(before)},`;
  const reason = why === 'policy' && before !== undefined ? ': spec.shardRetentionPolicy keeps no shards any more' : '';
  const left = claims.length === 0 ? '' : `; its volumes stay: ${namesOfClaims(claims)}`;
  return [{ reason: 'ShardGone', note: `${shard}${kept} is deleted${reason}${left}` }];
}

/** `until 2030-01-04T00:00:00Z` */
function until(deadline: string): string {
  return deadline === neverDeadline || deadlineMs(deadline) === undefined
    ? 'until its deadline is changed'
    : `until ${deadline}`;
}

/** `shard 2 is kept until 2030-01-04T00:00:00Z` */
export function retainedNote({ set, deadline, goesMs }: KeptShard): string {
  const shard = `shard ${shardIdOf(set)}`;
  return goesMs === undefined
    ? `${shard} is kept ${until(deadline)}`
    : `${shard} was kept ${until(deadline)} and is deleted at ${toTimestamp(goesMs)}`;
}

/** What is wrong with a deadline. */
export function deadlineFindings(root: PrometheusRoot, fate: ShardFate): readonly Finding[] {
  if (fate.fate !== 'retain') return [];
  const { set, deadline, isUnreadable, isDoubted } = fate;
  const warning = (reason: string, message: string): Finding => ({
    ...{ severity: 'warning', regarding: root, reason, field: '', message },
  });
  const where = `the annotation ${deadlineAnnotation} of StatefulSet ${set.metadata.name}`;
  if (isUnreadable)
    return [
      warning(
        'InvalidDeadline',
        `shard ${shardIdOf(set)} is kept for ever: "${deadline}" in ${where} is no time such as 2030-01-31T12:00:00Z`,
      ),
    ];
  if (!isDoubted) return [];
  return [
    warning(
      'ClocksDiffer',
      `shard ${shardIdOf(set)} is kept although its time is over: by the clock of the API server it is not ${deadline} yet. Put this operator's clock right, or change ${where}`,
    ),
  ];
}
