/** What each metric of an autoscaler asks for, and what all of them do together. */
import type {
  HorizontalPodAutoscalerSpec,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../api/generated/autoscaling-v2.ts';
import { formatMilli, formatQuantity, milliValue, parseQuantity, wholeValue } from '../../api/quantity.ts';
import type { Reason } from './limits.ts';
import { type Answer, askForValue, type ValueAsking } from './measured-values.ts';
import type { Readings } from './readings.ts';
import { type Measurement, type Proposal, proposeReplicas, type Target } from './replicas.ts';
import { toleranceOf } from './tolerance.ts';

export interface Situation
  extends Pick<Measurement, 'pods' | 'usageOf' | 'windowOf' | 'unread' | 'currentReplicas' | 'nowMs'> {
  readonly namespace: string;
  /** What the target says that it has, which is not always what it is to have. */
  readonly statusReplicas: number;
  readonly readings: Readings;
}

export type Verdict =
  | {
      readonly ok: true;
      readonly replicas: number;
      /** Of the metric that asks for the most. */
      readonly metricName: string;
      readonly statuses: readonly MetricStatus[];
      /** Metrics that failed while others did not. */
      readonly failures: readonly Reason[];
    }
  | {
      readonly ok: false;
      readonly statuses: readonly MetricStatus[];
      readonly failures: readonly [Reason, ...Reason[]];
      /** The whole story in one sentence. */
      readonly message: string;
    };

/** The metric that asks for the most decides. One that fails keeps the others from scaling down, but not up. */
export function judgeMetrics(spec: HorizontalPodAutoscalerSpec, situation: Situation): Verdict {
  const tolerance = toleranceOf(spec);
  const answers = (spec.metrics ?? []).map((metric, index) =>
    askFor(metric, { ...situation, tolerance, reading: situation.readings.get(index) }),
  );
  const statuses = answers.map((answer) => (answer.ok ? answer.status : { type: '' }));
  const failures = answers.flatMap((answer) => (answer.ok ? [] : [answer]));
  const [firstFailure, ...otherFailures] = failures;
  let highest: { readonly replicas: number; readonly metricName: string } | undefined;
  for (const answer of answers)
    if (answer.ok && (highest === undefined || answer.replicas > highest.replicas)) highest = answer;
  const blocked = highest === undefined || (firstFailure !== undefined && highest.replicas < situation.currentReplicas);
  if (!blocked && highest !== undefined)
    return { ok: true, replicas: highest.replicas, metricName: highest.metricName, statuses, failures };
  const first = firstFailure ?? { reason: 'FailedComputeMetricsReplicas', message: 'no metrics', cause: 'no metrics' };
  return {
    ok: false,
    // As upstream: what could not be read has its place, and says nothing.
    statuses,
    failures: [first, ...otherFailures],
    message: `invalid metrics (${failures.length} invalid out of ${answers.length}), first error is: ${first.cause}`,
  };
}

type Asking = Situation & ValueAsking;

function askFor(metric: MetricSpec, asking: Asking): Answer {
  const { resource, containerResource } = metric;
  if (metric.type === 'Resource' && resource !== undefined) {
    const { name } = resource;
    const wrap = (current: MetricValueStatus): MetricStatus => ({ type: 'Resource', resource: { name, current } });
    return measure({ ...resource, kind: 'resource', failure: 'FailedGetResourceMetric', wrap }, asking);
  }
  if (metric.type === 'ContainerResource' && containerResource !== undefined) {
    const { name, container } = containerResource;
    const wrap = (current: MetricValueStatus): MetricStatus => ({
      type: 'ContainerResource',
      containerResource: { name, container, current },
    });
    const kind = 'container resource';
    return measure({ ...containerResource, kind, failure: 'FailedGetContainerResourceMetric', wrap }, asking);
  }
  return askForValue(metric, asking);
}

interface Source {
  readonly name: string;
  readonly container?: string;
  readonly target: MetricTarget;
  readonly kind: 'resource' | 'container resource';
  readonly failure: string;
  wrap(current: MetricValueStatus): MetricStatus;
}

function measure(source: Source, asking: Asking): Answer {
  const { name, container, kind, wrap } = source;
  const target = targetOf(name, source.target);
  if (target === undefined)
    return failed(
      source,
      'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
    );
  const proposal = proposeReplicas({ ...asking, resource: name, container, target });
  if (!proposal.ok)
    return failed(
      source,
      `failed to get ${name} ${target.kind === 'utilization' ? 'utilization' : 'usage'}: ${proposal.message}`,
    );
  const metricName =
    target.kind === 'utilization' ? `${name} ${kind} utilization (percentage of request)` : `${name} resource`;
  return { ok: true, replicas: proposal.replicas, metricName, status: wrap(currentOf(name, proposal)) };
}

function failed({ name, container, failure }: Source, message: string): Answer {
  const which = container === undefined ? `${name} resource` : `${container} container`;
  return { ok: false, reason: failure, message, cause: `failed to get ${which} metric value: ${message}` };
}

function targetOf(resource: string, { averageUtilization, averageValue }: MetricTarget): Target | undefined {
  if (averageValue !== undefined) {
    if (parseQuantity(averageValue) === undefined) return undefined;
    return { kind: 'average', amount: resource === 'cpu' ? milliValue(averageValue) : wholeValue(averageValue) };
  }
  return averageUtilization === undefined ? undefined : { kind: 'utilization', percent: averageUtilization };
}

function currentOf(
  resource: string,
  { average, averageUtilization }: Extract<Proposal, { ok: true }>,
): MetricValueStatus {
  return {
    ...(averageUtilization !== undefined && { averageUtilization }),
    averageValue: resource === 'cpu' ? formatMilli(average) : formatQuantity(BigInt(average) * 1_000_000_000n),
  };
}
