/**
 * How many replicas bring the measured use to its target. The rules are those of the upstream replica calculator: the
 * new count is the ratio of use to target times the pods that count, and pods about which nothing is known never push in
 * the direction in which the others point.
 */
import type { Pod } from '../../api/generated/core-v1.ts';
import { fromTimestamp } from '../../base/clock.ts';
import { podCondition } from '../../resources/core/pod/facts.ts';
import { amountUsed, type Measured, requestsOf, type UsageOf } from './usage.ts';

/** Per cent of the requests, or an amount per pod (milli cores, bytes). */
export type Target =
  | { readonly kind: 'utilization'; readonly percent: number }
  | { readonly kind: 'average'; readonly amount: number };

export interface Tolerance {
  readonly up: number;
  readonly down: number;
}

export interface Measurement extends Measured {
  readonly pods: readonly Pod[];
  readonly usageOf: UsageOf;
  /** Why nobody could be asked what pods use. */
  readonly unread?: string | undefined;
  readonly target: Target;
  /** What the target's `/scale` says now. */
  readonly currentReplicas: number;
  readonly tolerance: Tolerance;
  readonly nowMs: number;
}

export type Proposal =
  | {
      readonly ok: true;
      readonly replicas: number;
      /** Of the pods that were measured; the percentage is there for utilization targets. */
      readonly averageUtilization?: number;
      readonly average: number;
    }
  | { readonly ok: false; readonly message: string };

/** A pod that just started burns CPU that says nothing about its load. */
const cpuInitializationPeriodMs = 5 * 60_000;
/** A pod that was never ready this long after its start has not finished starting. */
const initialReadinessDelayMs = 30_000;
/** A measurement covers this much time; it must begin after the pod became ready. */
const measurementWindowMs = 15_000;

export function proposeReplicas(measurement: Measurement): Proposal {
  const { pods, resource, container, target, unread } = measurement;
  if (pods.length === 0) return refusal('no pods returned by selector while calculating replica count');
  const sorted = sortOut(measurement);
  if (sorted.measuredCount === 0)
    return refusal(
      `unable to get metrics for resource ${resource}: ${unread ?? 'no metrics returned from resource metrics API'}`,
    );
  if (sorted.ready.size === 0) return refusal('did not receive metrics for targeted pods (pods might be unready)');
  if (target.kind === 'average')
    return propose(measurement, { sorted, goalOf: () => target.amount, percentOf: () => undefined });
  const requests = requestsOf(pods, { resource, container });
  if (!requests.ok) return refusal(requests.message);
  const requestOf = (uid: string): number => requests.byUid.get(uid) ?? 0;
  if (sum([...sorted.ready.keys()].map(requestOf)) === 0) return refusal('no metrics returned matched known pods');
  return propose(measurement, {
    sorted,
    goalOf: (uid) => (requestOf(uid) * target.percent) / 100,
    percentOf: (used) => percentage(used, requestOf),
    requestOf,
  });
}

function refusal(message: string): Proposal {
  return { ok: false, message };
}

interface Sorted {
  /** Pods whose use counts, by uid. */
  readonly ready: ReadonlyMap<string, number>;
  readonly unready: readonly string[];
  readonly missing: readonly string[];
  /** Pods for which there is a number at all. */
  readonly measuredCount: number;
}

/** Pods that are going or have failed count as nothing. */
function sortOut(measurement: Measurement): Sorted {
  const ready = new Map<string, number>();
  const unready: string[] = [];
  const missing: string[] = [];
  let measuredCount = 0;
  for (const pod of measurement.pods) {
    const { uid, deletionTimestamp } = pod.metadata;
    const used = amountUsed(pod, measurement, measurement.usageOf);
    if (used !== undefined) measuredCount++;
    if (deletionTimestamp !== undefined || pod.status.phase === 'Failed') continue;
    if (pod.status.phase === 'Pending') unready.push(uid);
    else if (used === undefined) missing.push(uid);
    else if (measurement.resource === 'cpu' && isStarting(pod, measurement.nowMs)) unready.push(uid);
    else ready.set(uid, used);
  }
  return { ready, unready, missing, measuredCount };
}

function isStarting(pod: Pod, nowMs: number): boolean {
  const condition = podCondition(pod, 'Ready');
  const startMs = fromTimestamp(pod.status.startTime ?? '');
  if (condition === undefined || Number.isNaN(startMs)) return true;
  const changedMs = fromTimestamp(condition.lastTransitionTime ?? '');
  const isUnready = condition.status === 'False';
  if (startMs + cpuInitializationPeriodMs > nowMs) return isUnready || nowMs < changedMs + measurementWindowMs;
  return isUnready && startMs + initialReadinessDelayMs > changedMs;
}

interface Goals {
  readonly sorted: Sorted;
  /** What a pod would use if it were exactly on target. */
  goalOf(uid: string): number;
  percentOf(used: ReadonlyMap<string, number>): number | undefined;
  /** For utilization targets: what counts as all that a pod may use. */
  requestOf?(uid: string): number;
}

function propose(measurement: Measurement, goals: Goals): Proposal {
  const { currentReplicas, tolerance } = measurement;
  const { ready, unready, missing } = goals.sorted;
  const averageUtilization = goals.percentOf(ready);
  const average = Math.trunc(sum(ready.values()) / ready.size);
  const answer = (replicas: number): Proposal => ({
    ok: true,
    replicas,
    average,
    ...(averageUtilization !== undefined && { averageUtilization }),
  });
  const ratio = ratioOf(ready, measurement, goals);
  const addsUnready = unready.length > 0 && ratio > 1;
  if (!addsUnready && missing.length === 0)
    return answer(isWithin(ratio, tolerance) ? currentReplicas : ceiling(ratio * ready.size));
  const assumed = new Map(ready);
  for (const uid of missing) if (ratio !== 1) assumed.set(uid, ratio < 1 ? fullUse(uid, measurement, goals) : 0);
  if (addsUnready) for (const uid of unready) assumed.set(uid, 0);
  const careful = ratioOf(assumed, measurement, goals);
  const turnsAround = (ratio < 1 && careful > 1) || (ratio > 1 && careful < 1);
  if (isWithin(careful, tolerance) || turnsAround) return answer(currentReplicas);
  const replicas = ceiling(careful * assumed.size);
  const contradicts = (careful < 1 && replicas > currentReplicas) || (careful > 1 && replicas < currentReplicas);
  return answer(contradicts ? currentReplicas : replicas);
}

/** A pod about which nothing is known may be as busy as its requests allow, or as the target if that is more. */
function fullUse(uid: string, { target }: Measurement, { requestOf, goalOf }: Goals): number {
  if (target.kind === 'average' || requestOf === undefined) return goalOf(uid);
  return (requestOf(uid) * Math.max(100, target.percent)) / 100;
}

/** Use by target. Utilization is compared in whole per cent, as it is shown. */
function ratioOf(used: ReadonlyMap<string, number>, { target }: Measurement, goals: Goals): number {
  if (target.kind === 'utilization') return (goals.percentOf(used) ?? 0) / target.percent;
  return Math.trunc(sum(used.values()) / used.size) / target.amount;
}

function percentage(used: ReadonlyMap<string, number>, requestOf: (uid: string) => number): number {
  const requested = sum([...used.keys()].map(requestOf));
  return requested === 0 ? 0 : Math.trunc((sum(used.values()) * 100) / requested);
}

/** Bounds included: a ratio of exactly 1.1 is close enough. */
function isWithin(ratio: number, { up, down }: Tolerance): boolean {
  return ratio >= 1 - down && ratio <= 1 + up;
}

/** 1.1 × 10 is a hair more than 11 in binary; that hair is no replica. */
function ceiling(value: number): number {
  return Math.ceil(Number(value.toFixed(9)));
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
