import type {
  HorizontalPodAutoscalerSpec,
  HPAScalingRules,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../api/generated/autoscaling-v2.ts';
import { formatMilli, formatQuantity, milliValue, parseQuantity, wholeValue } from '../../api/quantity.ts';
import type { Reason } from './limits.ts';
import { type Measurement, type Proposal, proposeReplicas, type Target, type Tolerance } from './replicas.ts';

export type Situation = Pick<Measurement, 'pods' | 'usageOf' | 'unread' | 'currentReplicas' | 'nowMs'>;

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
  const answers = (spec.metrics ?? []).map((metric) => askFor(metric, { ...situation, tolerance }));
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
    statuses: highest === undefined ? [] : statuses,
    failures: [first, ...otherFailures],
    message: `invalid metrics (${failures.length} invalid out of ${answers.length}), first error is: ${first.cause}`,
  };
}

type Answer =
  | { readonly ok: true; readonly replicas: number; readonly metricName: string; readonly status: MetricStatus }
  /** `cause` names the metric, `message` what is wrong with it. */
  | (Reason & { readonly ok: false; readonly cause: string });

type Asking = Situation & { readonly tolerance: Tolerance };

function askFor(metric: MetricSpec, asking: Asking): Answer {
  const { resource, containerResource, pods, object, external } = metric;
  if (metric.type === 'Resource' && resource !== undefined) {
    const wrap = (current: MetricValueStatus): MetricStatus => ({
      type: 'Resource',
      resource: { name: resource.name, current },
    });
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
  const name = (pods ?? object ?? external)?.metric.name ?? '';
  return unavailable(metric.type, name);
}

const sources: Readonly<Record<string, string>> = {
  Pods: 'custom.metrics.k8s.io',
  Object: 'custom.metrics.k8s.io',
  External: 'external.metrics.k8s.io',
};

/** Metrics that other programs would have to supply. */
function unavailable(type: string, name: string): Answer {
  const source = sources[type];
  if (source === undefined)
    return { ok: false, reason: 'InvalidMetricSourceType', ...same(`unknown metric source type "${type}"`) };
  const message = `unable to get metric ${name}: the metric source ${source} is not available in this cluster; use Resource or ContainerResource metrics`;
  return {
    ok: false,
    reason: `FailedGet${type}Metric`,
    message,
    cause: `failed to get ${type} metric value: ${message}`,
  };
}

function same(message: string): { readonly message: string; readonly cause: string } {
  return { message, cause: message };
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
    return failed(source, 'invalid metric source: neither a utilization target nor a value target was set');
  const proposal = proposeReplicas({ ...asking, resource: name, container, target });
  if (!proposal.ok)
    return failed(
      source,
      `failed to get ${name} ${target.kind === 'utilization' ? 'utilization' : 'usage'}: ${proposal.message}`,
    );
  const suffix = target.kind === 'utilization' ? ' (percentage of request)' : '';
  const metricName = `${name} ${kind}${target.kind === 'utilization' ? ' utilization' : ''}${suffix}`;
  return { ok: true, replicas: proposal.replicas, metricName, status: wrap(currentOf(name, proposal)) };
}

function failed({ name, kind, failure }: Source, message: string): Answer {
  return { ok: false, reason: failure, message, cause: `failed to get ${name} ${kind} metric value: ${message}` };
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

const toleranceDefault = 0.1;

function toleranceOf({ behavior }: HorizontalPodAutoscalerSpec): Tolerance {
  return { up: fraction(behavior?.scaleUp), down: fraction(behavior?.scaleDown) };
}

function fraction(rules: HPAScalingRules | undefined): number {
  const nano = rules?.tolerance === undefined ? undefined : parseQuantity(rules.tolerance);
  return nano === undefined ? toleranceDefault : Number(nano) / 1e9;
}
