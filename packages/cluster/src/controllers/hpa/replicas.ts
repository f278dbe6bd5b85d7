/**
 * How many replicas bring the measured use to its target. The rules are those of the upstream replica calculator: the
 * new count is the ratio of use to target times the pods that count, and pods about which nothing is known never push in
 * the direction in which the others point.
 */
import type { Pod } from '../../api/generated/core-v1.ts';
import { fromTimestamp } from '../../base/clock.ts';
import { podCondition } from '../../resources/core/pod/facts.ts';
import { ceiling, isWithin, type Tolerance } from './tolerance.ts';
import { amountUsed, type Measured, requestsOf, type UsageOf, type Window, type WindowOf } from './usage.ts';

/** Per cent of the requests, or an amount per pod (milli cores, bytes). */
export type Target =
  | { readonly kind: 'utilization'; readonly percent: number }
  | { readonly kind: 'average'; readonly amount: number };

export interface Situation {
  readonly pods: readonly Pod[];
  /** What the target's `/scale` says now. */
  readonly currentReplicas: number;
  readonly tolerance: Tolerance;
  readonly nowMs: number;
}

export interface Measurement extends Situation, Measured {
  readonly usageOf: UsageOf;
  readonly windowOf?: WindowOf;
  /** Why nobody could be asked what pods use. */
  readonly unread?: string | undefined;
  readonly target: Target;
}

/** Pods with a number each, of whatever kind. */
interface Numbered extends Situation {
  readonly target: Target;
  /** Undefined when nothing is known of the pod. */
  amountOf(pod: Pod): number | undefined;
  /** Set where what a pod uses while it starts says nothing. */
  readonly windowOf?: WindowOf;
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
/** How much time a measurement covers that does not say so; it must begin after the pod became ready. */
const windowMsUsual = 15_000;

/** By what pods use of a resource. */
export function proposeReplicas(measurement: Measurement): Proposal {
  const { pods, resource, container, target, unread, usageOf } = measurement;
  if (pods.length === 0) return refusal(noPods);
  const { windowOf = () => undefined, ...situation } = measurement;
  const numbered: Numbered = {
    ...situation,
    ...(resource === 'cpu' && { windowOf }),
    amountOf: (pod) => amountUsed(pod, { resource, container }, usageOf),
  };
  const sorted = sortOut(numbered);
  if (sorted.measuredCount === 0)
    return refusal(
      `unable to get metrics for resource ${resource}: ${unread ?? 'no metrics returned from resource metrics API'}`,
    );
  if (sorted.ready.size === 0) return refusal(noneReady);
  if (target.kind === 'average')
    return propose(numbered, { sorted, goalOf: () => target.amount, percentOf: () => undefined });
  const requests = requestsOf(pods, { resource, container });
  if (!requests.ok) return refusal(requests.message);
  const requestOf = (uid: string): number => requests.byUid.get(uid) ?? 0;
  if (sum([...sorted.ready.keys()].map(requestOf)) === 0) return refusal('no metrics returned matched known pods');
  return propose(numbered, {
    sorted,
    goalOf: (uid) => (requestOf(uid) * target.percent) / 100,
    percentOf: (used) => percentage(used, requestOf),
    requestOf,
  });
}

const noPods = 'no pods returned by selector while calculating replica count';
const noneReady = 'did not receive metrics for targeted pods (pods might be unready)';

export interface PodValues extends Situation {
  readonly milliByPod: ReadonlyMap<string, number>;
  /** What each pod is to have, on the average. */
  readonly targetMilli: number;
}

/** By a number that each pod has. */
export function proposeByPodValues(values: PodValues): Proposal {
  const { pods, milliByPod, targetMilli } = values;
  if (pods.length === 0) return refusal(noPods);
  const numbered: Numbered = {
    ...values,
    target: { kind: 'average', amount: targetMilli },
    amountOf: ({ metadata }) => milliByPod.get(metadata.name),
  };
  const sorted = sortOut(numbered);
  if (sorted.ready.size === 0) return refusal(noneReady);
  return propose(numbered, { sorted, goalOf: () => targetMilli, percentOf: () => undefined });
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
function sortOut({ pods, amountOf, windowOf, nowMs }: Numbered): Sorted {
  const ready = new Map<string, number>();
  const unready: string[] = [];
  const missing: string[] = [];
  let measuredCount = 0;
  for (const pod of pods) {
    const { uid, deletionTimestamp } = pod.metadata;
    const used = amountOf(pod);
    if (used !== undefined) measuredCount++;
    if (deletionTimestamp !== undefined || pod.status.phase === 'Failed') continue;
    if (pod.status.phase === 'Pending') unready.push(uid);
    else if (used === undefined) missing.push(uid);
    else if (windowOf !== undefined && isStarting(pod, { window: windowOf(pod), nowMs })) unready.push(uid);
    else ready.set(uid, used);
  }
  return { ready, unready, missing, measuredCount };
}

function isStarting(
  pod: Pod,
  { window, nowMs }: { readonly window: Window | undefined; readonly nowMs: number },
): boolean {
  const { takenMs, windowMs } = window ?? { takenMs: nowMs, windowMs: windowMsUsual };
  const condition = podCondition(pod, 'Ready');
  const startMs = fromTimestamp(pod.status.startTime ?? '');
  if (condition === undefined || Number.isNaN(startMs)) return true;
  const changedMs = fromTimestamp(condition.lastTransitionTime ?? '');
  const isUnready = condition.status === 'False';
  if (startMs + cpuInitializationPeriodMs > nowMs) return isUnready || takenMs < changedMs + windowMs;
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

function propose(numbered: Numbered, goals: Goals): Proposal {
  const { currentReplicas, tolerance } = numbered;
  const { ready, unready, missing } = goals.sorted;
  const averageUtilization = goals.percentOf(ready);
  const average = Math.trunc(sum(ready.values()) / ready.size);
  const answer = (replicas: number): Proposal => ({
    ok: true,
    replicas,
    average,
    ...(averageUtilization !== undefined && { averageUtilization }),
  });
  const ratio = ratioOf(ready, numbered, goals);
  const addsUnready = unready.length > 0 && ratio > 1;
  if (!addsUnready && missing.length === 0)
    return answer(isWithin(ratio, tolerance) ? currentReplicas : ceiling(ratio * ready.size));
  const assumed = new Map(ready);
  for (const uid of missing) if (ratio !== 1) assumed.set(uid, ratio < 1 ? fullUse(uid, numbered, goals) : 0);
  if (addsUnready) for (const uid of unready) assumed.set(uid, 0);
  const careful = ratioOf(assumed, numbered, goals);
  const turnsAround = (ratio < 1 && careful > 1) || (ratio > 1 && careful < 1);
  if (isWithin(careful, tolerance) || turnsAround) return answer(currentReplicas);
  const replicas = ceiling(careful * assumed.size);
  const contradicts = (careful < 1 && replicas > currentReplicas) || (careful > 1 && replicas < currentReplicas);
  return answer(contradicts ? currentReplicas : replicas);
}

/** A pod about which nothing is known may be as busy as its requests allow, or as the target if that is more. */
function fullUse(uid: string, { target }: Numbered, { requestOf, goalOf }: Goals): number {
  if (target.kind === 'average' || requestOf === undefined) return goalOf(uid);
  return (requestOf(uid) * Math.max(100, target.percent)) / 100;
}

/** Use by target. Utilization is compared in whole per cent, as it is shown. */
function ratioOf(used: ReadonlyMap<string, number>, { target }: Numbered, goals: Goals): number {
  if (target.kind === 'utilization') return (goals.percentOf(used) ?? 0) / target.percent;
  return Math.trunc(sum(used.values()) / used.size) / target.amount;
}

function percentage(used: ReadonlyMap<string, number>, requestOf: (uid: string) => number): number {
  const requested = sum([...used.keys()].map(requestOf));
  return requested === 0 ? 0 : Math.trunc((sum(used.values()) * 100) / requested);
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
