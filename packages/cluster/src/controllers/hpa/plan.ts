import type { Scale } from '../../api/generated/autoscaling-v1.ts';
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerStatus,
  MetricStatus,
} from '../../api/generated/autoscaling-v2.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import type { LabelMatcher, Labels } from '../../api/selector/selector.ts';
import { toTimestamp } from '../../base/clock.ts';
import { type Finding, withFindings } from './conditions.ts';
import { limitReplicas } from './limits.ts';
import { firstMemory, type Memory, remembering, rememberingChange } from './memory.ts';
import { judgeMetrics } from './metrics.ts';
import type { Readings } from './readings.ts';
import type { UsageOf, WindowOf } from './usage.ts';

/** What stands behind `spec.scaleTargetRef`. */
export type ScaleTarget =
  | {
      readonly found: true;
      readonly scale: Scale;
      /** Of `status.selector`; undefined when it is no selector. */
      readonly selects: LabelMatcher | undefined;
    }
  | { readonly found: false; readonly message: string };

export interface Observed {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly target: ScaleTarget;
  /** All pods of the namespace. */
  readonly pods: readonly Pod[];
  readonly usageOf: UsageOf;
  readonly windowOf?: WindowOf;
  /** Why nobody could be asked what pods use. */
  readonly unread?: string | undefined;
  /** What the APIs of custom and external metrics said. */
  readonly readings: Readings;
  /** Other autoscalers of the namespace and what they select. */
  readonly rivals: readonly { readonly name: string; readonly selects: (labels: Labels | undefined) => boolean }[];
}

export interface ScaleEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
}

export interface Decision {
  readonly autoscaler: HorizontalPodAutoscaler;
  /** Set when the target has to change; why is what the event says. */
  readonly rescale?: { readonly from: number; readonly to: number; readonly why: string };
  readonly findings: readonly Finding[];
  readonly events: readonly ScaleEvent[];
  readonly currentReplicas?: number;
  /** Absent: stays what it was. */
  readonly desiredReplicas?: number;
  readonly currentMetrics: readonly MetricStatus[];
  readonly memory: Memory | undefined;
  readonly againInMs: number;
}

export interface Conclusion {
  readonly status: HorizontalPodAutoscalerStatus;
  readonly events: readonly ScaleEvent[];
  readonly memory: Memory | undefined;
}

export const syncPeriodMs = 15_000;

/** How many replicas the target should have. Pure; {@link conclude} turns the decision into a status once it was tried. */
export function planScale(
  observed: Observed,
  { nowMs, memory }: { readonly nowMs: number; readonly memory: Memory | undefined },
): Decision {
  const { autoscaler, target } = observed;
  const { spec, status } = autoscaler;
  if (!target.found) {
    const message = `the HPA controller was unable to get the target's current scale: ${target.message}`;
    return {
      ...nothing(autoscaler, memory),
      currentMetrics: status.currentMetrics ?? [],
      findings: [{ type: 'AbleToScale', isTrue: false, reason: 'FailedGetScale', message }],
      events: [{ type: 'Warning', reason: 'FailedGetScale', note: target.message }],
    };
  }
  const from = target.scale.spec.replicas ?? 0;
  const known = memory ?? firstMemory(from, nowMs);
  const base = { ...nothing(autoscaler, known), currentReplicas: from, findings: [gotScale] };
  const { minReplicas = 1, maxReplicas } = spec;
  if (from === 0 && minReplicas !== 0) return { ...base, desiredReplicas: 0, findings: [gotScale, disabled] };
  if (from > maxReplicas)
    return rescaling(base, { from, to: maxReplicas, why: 'Current number of replicas above Spec.MaxReplicas' });
  if (from < minReplicas)
    return rescaling(base, { from, to: minReplicas, why: 'Current number of replicas below Spec.MinReplicas' });
  const { status: has } = target.scale;
  const [statusReplicas, selector] = [has?.replicas ?? 0, has?.selector];
  return byMetrics(observed, { base, from, statusReplicas, selects: target.selects, selector, nowMs });
}

const gotScale: Finding = {
  type: 'AbleToScale',
  isTrue: true,
  reason: 'SucceededGetScale',
  message: "the HPA controller was able to get the target's current scale",
};

const disabled: Finding = {
  type: 'ScalingActive',
  isTrue: false,
  reason: 'ScalingDisabled',
  message: 'scaling is disabled since the replica count of the target is zero',
};

function nothing(autoscaler: HorizontalPodAutoscaler, memory: Memory | undefined): Decision {
  return { autoscaler, findings: [], events: [], currentMetrics: [], memory, againInMs: syncPeriodMs };
}

function rescaling(base: Decision, rescale: NonNullable<Decision['rescale']>): Decision {
  return rescale.from === rescale.to
    ? { ...base, desiredReplicas: rescale.to }
    : { ...base, desiredReplicas: rescale.to, rescale };
}

interface Computing {
  readonly base: Decision;
  readonly from: number;
  readonly statusReplicas: number;
  readonly selects: LabelMatcher | undefined;
  readonly selector: string | undefined;
  readonly nowMs: number;
}

function byMetrics(observed: Observed, computing: Computing): Decision {
  const { base, from, statusReplicas, selects, selector, nowMs } = computing;
  const { autoscaler, usageOf, windowOf, unread, readings } = observed;
  const { namespace = '' } = autoscaler.metadata;
  const { spec } = autoscaler;
  const pods = selects === undefined ? [] : observed.pods.filter(({ metadata }) => selects(metadata.labels));
  const problem = selectorProblem(observed, { pods, selects, selector });
  if (problem !== undefined) return inactive(base, problem);
  const verdict = judgeMetrics(spec, {
    ...(windowOf !== undefined && { windowOf }),
    ...{ namespace, pods, usageOf, unread, readings, currentReplicas: from, statusReplicas, nowMs },
  });
  const events = verdict.failures.map(({ reason, message }) => warning(reason, message));
  if (!verdict.ok) {
    const [{ reason, message }] = verdict.failures;
    return {
      ...base,
      currentMetrics: verdict.statuses,
      findings: [...base.findings, notActive(reason, `the HPA was unable to compute the replica count: ${message}`)],
      events: [...events, warning('FailedComputeMetricsReplicas', verdict.message)],
    };
  }
  const { replicas, metricName, statuses } = verdict;
  const known = base.memory ?? firstMemory(from, nowMs);
  const {
    replicas: to,
    stabilization,
    limit,
  } = limitReplicas({
    spec,
    currentReplicas: from,
    wantedReplicas: replicas,
    memory: known,
    nowMs,
  });
  const { isLimited, ...limitReason } = limit;
  const found = `the HPA was able to successfully calculate a replica count from ${metricName}`;
  const decided: Decision = {
    ...base,
    currentMetrics: statuses,
    memory: remembering(known, { atMs: nowMs, replicas }, spec),
    events,
    findings: [
      ...base.findings,
      { type: 'ScalingActive', isTrue: true, reason: 'ValidMetricFound', message: found },
      { type: 'AbleToScale', isTrue: true, ...stabilization },
      { type: 'ScalingLimited', isTrue: isLimited, ...limitReason },
    ],
  };
  return rescaling(decided, {
    from,
    to,
    why: replicas > from ? `${metricName} above target` : 'All metrics below target',
  });
}

interface Selection {
  readonly pods: readonly Pod[];
  readonly selects: LabelMatcher | undefined;
  readonly selector: string | undefined;
}

interface SelectorProblem {
  readonly eventReason: string;
  readonly reason: string;
  readonly note: string;
  readonly message: string;
}

/** Two autoscalers that measure the same pods would fight. */
function selectorProblem(
  { rivals }: Observed,
  { pods, selects, selector = '' }: Selection,
): SelectorProblem | undefined {
  if (selector === '')
    return {
      eventReason: 'SelectorRequired',
      reason: 'InvalidSelector',
      note: 'selector is required',
      message: "the HPA target's scale is missing a selector",
    };
  if (selects === undefined) {
    const note = `couldn't convert selector into a corresponding internal selector object: ${selector}`;
    return { eventReason: 'InvalidSelector', reason: 'InvalidSelector', note, message: note };
  }
  const fighting = rivals.filter((rival) => pods.some(({ metadata }) => rival.selects(metadata.labels)));
  if (fighting.length === 0) return undefined;
  const names = fighting.map(({ name }) => name).join(' ');
  const note = `pods by selector ${selector} are controlled by multiple HPAs: [${names}]`;
  return { eventReason: 'AmbiguousSelector', reason: 'AmbiguousSelector', note, message: note };
}

function inactive(base: Decision, { eventReason, reason, note, message }: SelectorProblem): Decision {
  return {
    ...base,
    findings: [...base.findings, notActive(reason, message)],
    events: [warning(eventReason, note), warning('FailedComputeMetricsReplicas', note)],
  };
}

function notActive(reason: string, message: string): Finding {
  return { type: 'ScalingActive', isTrue: false, reason, message };
}

function warning(reason: string, note: string): ScaleEvent {
  return { type: 'Warning', reason, note };
}

/** What to tell and remember after the target was scaled, or its scaling was refused. */
export function conclude(
  decision: Decision,
  { nowMs, refusal }: { readonly nowMs: number; readonly refusal?: string | undefined },
): Conclusion {
  const { autoscaler, rescale, findings, events, memory } = decision;
  const outcome = rescale === undefined ? undefined : outcomeOf(rescale, refusal);
  const isRescaled = rescale !== undefined && refusal === undefined;
  const before = autoscaler.status;
  const desiredReplicas =
    (refusal === undefined ? decision.desiredReplicas : undefined) ?? before?.desiredReplicas ?? 0;
  const lastScaleTime = isRescaled ? toTimestamp(nowMs) : before?.lastScaleTime;
  const currentReplicas = decision.currentReplicas ?? before?.currentReplicas;
  const { generation } = autoscaler.metadata;
  return {
    status: {
      conditions: withFindings(before?.conditions ?? [], outcome ? [...findings, outcome.finding] : findings, nowMs),
      ...(decision.currentMetrics.length > 0 && { currentMetrics: decision.currentMetrics }),
      ...(currentReplicas !== undefined && { currentReplicas }),
      desiredReplicas,
      ...(lastScaleTime !== undefined && { lastScaleTime }),
      ...(generation !== undefined && { observedGeneration: generation }),
    },
    events: outcome ? [...events, outcome.event] : events,
    memory:
      isRescaled && memory !== undefined
        ? rememberingChange(memory, { from: rescale.from, to: rescale.to, atMs: nowMs }, autoscaler.spec)
        : memory,
  };
}

function outcomeOf(
  { to, why }: NonNullable<Decision['rescale']>,
  refusal: string | undefined,
): { readonly finding: Finding; readonly event: ScaleEvent } {
  if (refusal === undefined) {
    const message = `the HPA controller was able to update the target scale to ${to}`;
    return {
      finding: { type: 'AbleToScale', isTrue: true, reason: 'SucceededRescale', message },
      event: { type: 'Normal', reason: 'SuccessfulRescale', note: `New size: ${to}; reason: ${why}` },
    };
  }
  const message = `the HPA controller was unable to update the target scale: ${refusal}`;
  return {
    finding: { type: 'AbleToScale', isTrue: false, reason: 'FailedUpdateScale', message },
    event: warning('FailedRescale', `New size: ${to}; reason: ${why}; error: ${refusal}`),
  };
}
