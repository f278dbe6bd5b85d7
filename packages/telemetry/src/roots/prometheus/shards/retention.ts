import { fromTimestamp, type StatefulSet, toTimestamp } from '@signalbox/cluster';
import type { PrometheusSpec } from '../../../resources/prometheus.ts';
import { durationMs } from '../../../scrape/duration.ts';
import { type KeptRecord, keptAnnotation, parseKept } from './kept-text.ts';

/*
 * What becomes of the shards that a scale-down removes. Without a policy they go as soon as the others have
 * their targets. With `whenScaled: Retain` they go on running, so that their data can be queried, until the time that an annotation names. People may edit it, and then it
 * says what they wrote; one that is ours follows the policy. The configuration makes sure that they scrape nothing meanwhile.
 *
 * Data that is deleted does not come back, and clocks err. So a deadline that is over is written down first, and the shard goes
 * only if it still is after a while: a clock that leapt ahead has been put right by then. A clock that stands before what
 * is known to have happened is not believed either, nor one that the API server contradicts.
 */

/** RFC 3339. Year 1 means never. */
export const deadlineAnnotation = 'operator.prometheus.io/deletion-deadline';
export const neverDeadline = '0001-01-01T00:00:00Z';

/** How long a shard is kept when it is removed; undefined: for ever. */
export type Grace = { readonly forMs: number | undefined };

/** What is to become of one removed shard. */
export type ShardFate = GoingShard | KeptShard;

export interface GoingShard {
  readonly fate: 'delete';
  readonly set: StatefulSet;
  /** `policy`: nothing keeps removed shards; `time`: its deadline is over. */
  readonly why: 'policy' | 'time';
}

export interface KeptShard {
  readonly fate: 'retain';
  readonly set: StatefulSet;
  /** As the annotation is to say it. */
  readonly deadline: string;
  readonly record: KeptRecord;
  /** Until it has to be looked at again. Undefined: never, or nobody can tell. */
  readonly leftMs: number | undefined;
  /** The annotation cannot be read: the shard is kept until somebody mends it. */
  readonly isUnreadable: boolean;
  /** Its deadline is over; it goes at this time unless something changes. */
  readonly goesMs: number | undefined;
  /** Its deadline is over by our clock, and not by the API server's. */
  readonly isDoubted: boolean;
}

/** Undefined: removed shards go at once. */
export function graceOf({ shardRetentionPolicy: policy, retention, retentionSize }: PrometheusSpec): Grace | undefined {
  if (policy?.whenScaled !== 'Retain') return undefined;
  const period = policy.retain?.retentionPeriod;
  if (period !== undefined && period !== '') return { forMs: durationMs(period) || undefined };
  if (retention !== undefined && retention !== '') return { forMs: durationMs(retention) || undefined };
  return { forMs: retentionSize ? undefined : dayMs };
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export interface RetentionFacts {
  readonly grace: Grace | undefined;
  readonly nowMs: number;
  /** Something that has happened already: a clock that says less is behind. */
  readonly knownMs: number;
}

/** Decides about shards that are no longer wanted. Looking again changes nothing. */
export function planRemovedShards(removed: readonly StatefulSet[], facts: RetentionFacts): readonly ShardFate[] {
  const { grace } = facts;
  return removed.map((set) =>
    grace === undefined ? { fate: 'delete', set, why: 'policy' } : retained(set, { ...facts, grace }),
  );
}

type Keeping = RetentionFacts & { readonly grace: Grace };

const undisturbed = { leftMs: undefined, isUnreadable: false, goesMs: undefined, isDoubted: false } as const;

function retained(set: StatefulSet, { grace, nowMs, knownMs }: Keeping): ShardFate {
  const written = set.metadata.annotations?.[deadlineAnnotation];
  const record = written === undefined ? {} : parseKept(set.metadata.annotations?.[keptAnnotation]);
  const keeping = { fate: 'retain', set, ...undisturbed } as const;
  const deadline = deadlineOf(written, { record, grace, startMs: Math.max(nowMs, knownMs) });
  if (written === undefined || deadline.text !== written)
    return { ...keeping, deadline: deadline.text, record: deadline.record, leftMs: leftMs(deadline.text, nowMs) };
  const atMs = deadlineMs(written);
  const { dueMs, ...notDue } = record;
  if (atMs === undefined) return { ...keeping, deadline: written, record: notDue, isUnreadable: true };
  if (atMs === 'never') return { ...keeping, deadline: written, record: notDue };
  if (nowMs < atMs) return { ...keeping, deadline: written, record: notDue, leftMs: atMs - nowMs };
  const due = dueMs === undefined || dueMs > nowMs ? Math.floor(nowMs / 1_000) * 1_000 : dueMs;
  const goesMs = due + confirmMs(record, { atMs, written });
  const over = { ...keeping, deadline: written, record: { ...record, dueMs: due } };
  if (nowMs < goesMs) return { ...over, leftMs: goesMs - nowMs, goesMs };
  const leftThereMs = atMs - (serverMs(set, { dueMs: due, nowMs }) ?? nowMs);
  return leftThereMs > 0 ? { ...over, leftMs: leftThereMs, isDoubted: true } : { fate: 'delete', set, why: 'time' };
}

interface Written {
  readonly record: KeptRecord;
  readonly grace: Grace;
  /** Where the time begins that a shard is kept which is removed now. */
  readonly startMs: number;
}

/** The deadline as it is to be. One of ours moves with the policy; what people wrote stays. */
function deadlineOf(
  written: string | undefined,
  { record, grace, startMs }: Written,
): { readonly text: string; readonly record: KeptRecord } {
  const isOurs = written !== undefined && record.until === written && record.sinceMs !== undefined;
  if (written !== undefined && !isOurs) return { text: written, record };
  const sinceMs = isOurs ? (record.sinceMs ?? startMs) : Math.floor(startMs / 1_000) * 1_000;
  const text = grace.forMs === undefined ? neverDeadline : toTimestamp(sinceMs + grace.forMs);
  return { text, record: { sinceMs, until: text } };
}

function leftMs(deadline: string, nowMs: number): number | undefined {
  const atMs = deadlineMs(deadline);
  return typeof atMs === 'number' ? Math.max(1, atMs - nowMs) : undefined;
}

/**
 * How long a deadline has to have been over before it is believed: a twenty-fourth of the time that the shard was kept, at most
 * an hour; who writes a deadline of their own has looked at a clock.
 */
function confirmMs(record: KeptRecord, { atMs, written }: { readonly atMs: number; readonly written: string }): number {
  if (record.until !== written || record.sinceMs === undefined) return confirmMsMin;
  return Math.min(hourMs, Math.max(confirmMsMin, (atMs - record.sinceMs) / 24));
}

const confirmMsMin = 60_000;

/**
 * What time it is for the API server, where it writes down when a field was last written: ours was when we saw that the time
 * was over, so the difference between the two is that of the clocks.
 */
function serverMs(
  { metadata }: StatefulSet,
  { dueMs, nowMs }: { readonly dueMs: number; readonly nowMs: number },
): number | undefined {
  const entry = metadata.managedFields?.find(({ fieldsV1 }) =>
    JSON.stringify(fieldsV1 ?? {}).includes(`"f:${keptAnnotation}"`),
  );
  const atMs = fromTimestamp(entry?.time ?? '');
  return Number.isNaN(atMs) ? undefined : atMs + (nowMs - dueMs);
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
const lookAgainMsMax = hourMs;

/** When to look again; undefined: nothing falls due. */
export function nextDeadlineInMs(fates: readonly ShardFate[]): number | undefined {
  const left = fates.flatMap((each) => (each.fate === 'retain' && each.leftMs !== undefined ? [each.leftMs] : []));
  return left.length === 0 ? undefined : Math.min(lookAgainMsMax, ...left);
}
