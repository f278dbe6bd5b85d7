import type { Pod } from '../../api/generated/core-v1.ts';
import { poddisruptionbudgets } from '../../api/generated/kinds.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../api/generated/policy-v1.ts';
import { controllerOf } from '../../api/meta.ts';
import { goSelectorText } from '../../api/selector/go-text.ts';
import { fromTimestamp, toTimestamp } from '../../base/clock.ts';
import { podReady } from '../../resources/core/pod/facts.ts';
import { disruptionConditions } from '../../resources/policy/disruption-allowed.ts';
import { type Action, nothingToDo, type Plan } from '../../runtime/plan.ts';
import { statusIfChanged } from '../../workloads/actions.ts';
import { scaledValue } from '../../workloads/budget.ts';
import type { Workload } from './expected.ts';

export interface Observed {
  readonly budget: PodDisruptionBudget;
  /** All pods of the namespace that the budget selects. */
  readonly pods: readonly Pod[];
  readonly workloads: readonly Workload[];
}

/** An eviction that has not led to a deletion after this time did not happen. */
const evictionTimeoutMs = 2 * 60_000;

/** How many pods may go on purpose right now. The API server takes it from there with each eviction. */
export function plan({ budget, pods, workloads }: Observed, nowMs: number): Plan {
  if (budget.metadata.deletionTimestamp !== undefined) return nothingToDo;
  if (pods.length === 0) return nothingDisruptable(budget, nowMs);
  const expected = expectedPods(budget, { pods, workloads });
  if ('problem' in expected) return unknown(budget, { problem: expected.problem, nowMs });
  const { kept, forgotten, againInMs } = disruptedPods(budget, { pods, nowMs });
  const currentHealthy = pods.filter((pod) => isHealthy(pod, kept)).length;
  const { count, desiredHealthy } = expected;
  const disruptionsAllowed = count <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const status = {
    ...(Object.keys(kept).length > 0 && { disruptedPods: kept }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods: count,
  };
  return {
    actions: [
      ...forgotten.map((pod) => notDeleted(budget, pod)),
      ...unmanaged(budget, pods),
      ...write(budget, { status, nowMs }),
    ],
    againInMs,
  };
}

function nothingDisruptable(budget: PodDisruptionBudget, nowMs: number): Plan {
  const desiredHealthy = typeof budget.spec.minAvailable === 'number' ? budget.spec.minAvailable : 0;
  const status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy, expectedPods: 0 };
  return {
    actions: [
      ...(budget.status?.observedGeneration === budget.metadata.generation ? [] : [noPods(budget)]),
      ...write(budget, { status, nowMs }),
    ],
  };
}

function noPods(budget: PodDisruptionBudget): Action {
  return { do: 'emit', regarding: budget, type: 'Normal', reason: 'NoPods', note: 'No matching pods found' };
}

type Expected = { readonly count: number; readonly desiredHealthy: number } | { readonly problem: string };

/** A plain minimum counts the pods that are there; everything else is measured by what the workloads want. */
function expectedPods(
  { spec }: PodDisruptionBudget,
  { pods, workloads }: Pick<Observed, 'pods' | 'workloads'>,
): Expected {
  const { minAvailable, maxUnavailable } = spec;
  if (typeof minAvailable === 'number') return { count: pods.length, desiredHealthy: minAvailable };
  if (minAvailable === undefined && maxUnavailable === undefined) return { count: 0, desiredHealthy: 0 };
  let count = 0;
  for (const workload of workloads) {
    if ('problem' in workload) return workload;
    count += workload.replicas;
  }
  if (maxUnavailable === undefined)
    return { count, desiredHealthy: scaledValue(minAvailable, { of: count, round: 'up' }) };
  return { count, desiredHealthy: Math.max(0, count - scaledValue(maxUnavailable, { of: count, round: 'up' })) };
}

/** Pods that the API server let go and that are still there: they count as gone until they are, or the time is up. */
function disruptedPods(
  { status }: PodDisruptionBudget,
  { pods, nowMs }: { readonly pods: readonly Pod[]; readonly nowMs: number },
): {
  readonly kept: Readonly<Record<string, string>>;
  readonly forgotten: readonly Pod[];
  readonly againInMs: number | undefined;
} {
  const disrupted = status?.disruptedPods ?? {};
  const kept: Record<string, string> = {};
  const forgotten: Pod[] = [];
  let againInMs: number | undefined;
  for (const pod of pods) {
    const { name, deletionTimestamp } = pod.metadata;
    const since = Object.hasOwn(disrupted, name) ? disrupted[name] : undefined;
    if (since === undefined || deletionTimestamp !== undefined) continue;
    const leftMs = fromTimestamp(since) + evictionTimeoutMs - nowMs;
    if (leftMs > 0) {
      kept[name] = since;
      againInMs = Math.min(againInMs ?? leftMs, leftMs);
    } else forgotten.push(pod);
  }
  return { kept, forgotten, againInMs };
}

function isHealthy(pod: Pod, disrupted: Readonly<Record<string, string>>): boolean {
  return pod.metadata.deletionTimestamp === undefined && !Object.hasOwn(disrupted, pod.metadata.name) && podReady(pod);
}

function notDeleted({ metadata }: PodDisruptionBudget, pod: Pod): Action {
  const note = `Pod was expected by PDB ${metadata.namespace}/${metadata.name} to be deleted but it wasn't`;
  return { do: 'emit', regarding: pod, type: 'Warning', reason: 'NotDeleted', note };
}

/** Said once per version of the budget: the count is wrong without them. */
function unmanaged(budget: PodDisruptionBudget, pods: readonly Pod[]): readonly Action[] {
  const { spec, status, metadata } = budget;
  if (typeof spec.minAvailable === 'number' || status?.observedGeneration === metadata.generation) return [];
  if (pods.every((pod) => controllerOf(pod) !== undefined)) return [];
  const note = `Pods selected by this PodDisruptionBudget (selector: ${goSelectorText(spec.selector)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
  return [{ do: 'emit', regarding: budget, type: 'Warning', reason: 'UnmanagedPods', note }];
}

/** What cannot be counted may not be disrupted. */
function unknown(
  budget: PodDisruptionBudget,
  { problem, nowMs }: { readonly problem: string; readonly nowMs: number },
): Plan {
  const note = `Failed to calculate the number of expected pods: ${problem}`;
  const status = {
    currentHealthy: budget.status?.currentHealthy ?? 0,
    desiredHealthy: budget.status?.desiredHealthy ?? 0,
    expectedPods: budget.status?.expectedPods ?? 0,
    ...(budget.status?.disruptedPods !== undefined && { disruptedPods: budget.status.disruptedPods }),
    disruptionsAllowed: 0,
  };
  const writes = write(budget, { status, nowMs, failure: problem });
  const said: Action = {
    do: 'emit',
    regarding: budget,
    type: 'Warning',
    reason: 'CalculateExpectedPodCountFailed',
    note,
  };
  return { actions: writes.length === 0 ? [] : [said, ...writes] };
}

interface Writing {
  readonly status: Omit<PodDisruptionBudgetStatus, 'conditions' | 'observedGeneration'>;
  readonly nowMs: number;
  readonly failure?: string;
}

function write(budget: PodDisruptionBudget, { status, nowMs, failure }: Writing): readonly Action[] {
  // A version that could not be counted has not been looked at: evictions are asked to come back.
  const { generation } = failure === undefined ? budget.metadata : { generation: budget.status?.observedGeneration };
  const { disruptionsAllowed } = status;
  const now = toTimestamp(nowMs);
  const conditions = { before: budget.status?.conditions, disruptionsAllowed, generation, failure, now };
  const next = {
    ...status,
    ...(generation !== undefined && { observedGeneration: generation }),
    conditions: disruptionConditions(conditions),
  };
  return statusIfChanged(poddisruptionbudgets, { object: budget, status: next });
}
