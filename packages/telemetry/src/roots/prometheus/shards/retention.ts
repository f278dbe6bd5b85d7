import { fromTimestamp, type StatefulSet, toTimestamp } from '@signalbox/cluster';
import type { PrometheusSpec } from '../../../resources/prometheus.ts';
import { durationMs } from '../../../scrape/duration.ts';

/*
 * What becomes of the shards that a scale-down removes. Without a policy they go as soon as the others have
 * their targets. With `whenScaled: Retain` they
 * go on running, so that their data can be queried, until the time that an annotation names; nobody but the annotation
 * decides it from then on, and people may edit it. The configuration makes sure that they scrape nothing meanwhile.
 */

/** RFC 3339. Year 1 means never. */
export const deadlineAnnotation = 'operator.prometheus.io/deletion-deadline';
export const neverDeadline = '0001-01-01T00:00:00Z';

/** How long a shard is kept when it is removed; undefined: for ever. */
export type Grace = { readonly forMs: number | undefined };

/** What is to become of one removed shard. */
export type ShardFate =
  | { readonly fate: 'delete'; readonly set: StatefulSet }
  | {
      readonly fate: 'retain';
      readonly set: StatefulSet;
      /** As the annotation is to say it. */
      readonly deadline: string;
      /** The annotation is not there yet. */
      readonly isNew: boolean;
      /** Undefined: never, or nobody can tell. */
      readonly leftMs: number | undefined;
      /** The annotation cannot be read: the shard is kept until somebody mends it. */
      readonly isUnreadable: boolean;
    };

/** Undefined: removed shards go at once. */
export function graceOf({ shardRetentionPolicy: policy, retention, retentionSize }: PrometheusSpec): Grace | undefined {
  if (policy?.whenScaled !== 'Retain') return undefined;
  const period = policy.retain?.retentionPeriod;
  if (period !== undefined && period !== '') return { forMs: durationMs(period) || undefined };
  if (retention !== undefined && retention !== '') return { forMs: durationMs(retention) || undefined };
  return { forMs: retentionSize ? undefined : dayMs };
}

const dayMs = 86_400_000;

/**
 * Decides about shards that are no longer wanted. A deadline is a point in time that is written once, so a clock that
 * jumps back only keeps a shard longer, and looking again changes nothing.
 */
export function planRemovedShards(
  removed: readonly StatefulSet[],
  { grace, nowMs }: { readonly grace: Grace | undefined; readonly nowMs: number },
): readonly ShardFate[] {
  return removed.map((set) => (grace === undefined ? { fate: 'delete', set } : retained(set, { grace, nowMs })));
}

function retained(set: StatefulSet, { grace, nowMs }: { readonly grace: Grace; readonly nowMs: number }): ShardFate {
  const written = set.metadata.annotations?.[deadlineAnnotation];
  const keeping = { fate: 'retain', set, isNew: false, isUnreadable: false } as const;
  if (written === undefined) {
    const deadline = grace.forMs === undefined ? neverDeadline : toTimestamp(nowMs + grace.forMs);
    return { ...keeping, deadline, isNew: true, leftMs: grace.forMs };
  }
  const atMs = deadlineMs(written);
  if (atMs === undefined) return { ...keeping, deadline: written, leftMs: undefined, isUnreadable: true };
  if (atMs === 'never') return { ...keeping, deadline: written, leftMs: undefined };
  return nowMs >= atMs ? { fate: 'delete', set } : { ...keeping, deadline: written, leftMs: atMs - nowMs };
}

/** A point in time, never, or undefined for what is no time at all. */
export function deadlineMs(text: string): number | 'never' | undefined {
  if (!rfc3339.test(text)) return undefined;
  const atMs = fromTimestamp(text);
  if (Number.isNaN(atMs)) return undefined;
  return atMs === fromTimestamp(neverDeadline) ? 'never' : atMs;
}

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Timers are not made for weeks, and a clock that was put right should be noticed within the hour. */
const lookAgainMsMax = 3_600_000;

/** When to look again; undefined: nothing falls due. */
export function nextDeadlineInMs(fates: readonly ShardFate[]): number | undefined {
  const left = fates.flatMap((each) => (each.fate === 'retain' && each.leftMs !== undefined ? [each.leftMs] : []));
  return left.length === 0 ? undefined : Math.min(lookAgainMsMax, ...left);
}
