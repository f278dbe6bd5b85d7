/** What metrics ask for that are not of a resource: numbers of pods, of an object, of something outside. */
import type {
  ExternalMetricSource,
  MetricSpec,
  MetricStatus,
  ObjectMetricSource,
  PodsMetricSource,
} from '../../api/generated/autoscaling-v2.ts';
import { formatMilli, milliValue, parseQuantity } from '../../api/quantity.ts';
import { goSelectorText } from '../../api/selector/go-text.ts';
import type { Reason } from './limits.ts';
import type { Reading } from './readings.ts';
import { proposeByPodValues, type Situation } from './replicas.ts';
import { proposeByAverage, proposeByValue } from './values.ts';

export type Answer =
  | { readonly ok: true; readonly replicas: number; readonly metricName: string; readonly status: MetricStatus }
  /** `cause` names the metric, `message` what is wrong with it. */
  | (Reason & { readonly ok: false; readonly cause: string });

export interface ValueAsking extends Situation {
  readonly namespace: string;
  readonly statusReplicas: number;
  /** What the API said of this metric. */
  readonly reading: Reading | undefined;
}

export function askForValue({ type, pods, object, external }: MetricSpec, asking: ValueAsking): Answer {
  if (type === 'Pods' && pods !== undefined) return askForPods(pods, asking);
  if (type === 'Object' && object !== undefined) return askForObject(object, asking);
  if (type === 'External' && external !== undefined) return askForExternal(external, asking);
  const message = `unknown metric source type "${type}"`;
  return { ok: false, reason: 'InvalidMetricSourceType', message, cause: message };
}

/** Nobody was asked: the spec has just changed. */
const unasked = { ok: false, message: 'it was not asked for yet' } as const;

function askForPods({ metric, target }: PodsMetricSource, asking: ValueAsking): Answer {
  const failed = (message: string): Answer => {
    const cause = `failed to get pods metric value: ${message}`;
    return { ok: false, reason: 'FailedGetPodsMetric', message, cause };
  };
  const { reading = unasked } = asking;
  if (!reading.ok || reading.of !== 'pods') return failed(`unable to get metric ${metric.name}: ${why(reading)}`);
  const targetMilli = milliOf(target.averageValue) ?? 0;
  const proposal = proposeByPodValues({ ...asking, milliByPod: reading.milliByPod, targetMilli });
  if (!proposal.ok) return failed(proposal.message);
  const current = { averageValue: formatMilli(proposal.average) };
  return {
    ok: true,
    replicas: proposal.replicas,
    metricName: `pods metric ${metric.name}`,
    status: { type: 'Pods', pods: { metric, current } },
  };
}

function askForObject(source: ObjectMetricSource, asking: ValueAsking): Answer {
  const { metric, target, describedObject } = source;
  const { namespace, reading = unasked } = asking;
  const failed = (message: string, around = ''): Answer => {
    const cause = `failed to get object metric value: ${around}${message}`;
    return { ok: false, reason: 'FailedGetObjectMetric', message, cause };
  };
  const wished = wishedOf(target, { byType: true });
  if (wished === undefined)
    return failed('invalid object metric source: neither a value target nor an average value target was set');
  const around = wished.of === 'average' ? `failed to get ${metric.name} object metric: ` : '';
  if (!reading.ok || reading.of !== 'value') {
    const { kind, name } = describedObject;
    // Upstream names the kind where the error belongs, and people search for the message as it is.
    return failed(`unable to get metric ${metric.name}: ${kind} on ${namespace} ${name}/${why(reading)}`, around);
  }
  const found = answerByValue(reading.milli, { wished, asking });
  if (!found.ok) return failed(found.message, around);
  const { replicas, current } = found;
  const metricName = wished.of === 'value' ? `${describedObject.kind} metric ${metric.name}` : externalName(source);
  return { ok: true, replicas, metricName, status: { type: 'Object', object: { describedObject, metric, current } } };
}

function askForExternal(source: ExternalMetricSource, asking: ValueAsking): Answer {
  const { metric, target } = source;
  const { namespace, reading = unasked } = asking;
  const wished = wishedOf(target, { byType: false });
  const failed = (message: string, around: string): Answer => {
    const cause = `failed to get ${metric.name} external metric value: ${around}${message}`;
    return { ok: false, reason: 'FailedGetExternalMetric', message, cause };
  };
  if (wished === undefined)
    return failed('invalid external metric source: neither a value target nor an average value target was set', '');
  const around =
    wished.of === 'average'
      ? `failed to get ${metric.name} external metric: `
      : `failed to get external metric ${metric.name}: `;
  if (!reading.ok || reading.of !== 'value')
    return failed(
      `unable to get external metric ${namespace}/${metric.name}/${goSelectorText(metric.selector)}: ${why(reading)}`,
      around,
    );
  const found = answerByValue(reading.milli, { wished, asking });
  if (!found.ok) return failed(found.message, around);
  const { replicas, current } = found;
  return {
    ok: true,
    replicas,
    metricName: externalName(source),
    status: { type: 'External', external: { metric, current } },
  };
}

function why(reading: Reading): string {
  return reading.ok ? 'the answer is of another kind' : reading.message;
}

function externalName({ metric }: Pick<ExternalMetricSource, 'metric'>): string {
  return `external metric ${metric.name}(${goSelectorText(metric.selector)})`;
}

interface Wished {
  readonly of: 'value' | 'average';
  readonly targetMilli: number;
}

/** Of an object, the type of the target says what counts; of something external, what is set does, the average first. */
function wishedOf(
  { type, value, averageValue }: ObjectMetricSource['target'],
  { byType }: { readonly byType: boolean },
): Wished | undefined {
  const [average, whole] = [milliOf(averageValue), milliOf(value)];
  if (average !== undefined && (!byType || type === 'AverageValue')) return { of: 'average', targetMilli: average };
  if (whole !== undefined && (!byType || type === 'Value')) return { of: 'value', targetMilli: whole };
  return undefined;
}

type Found =
  | {
      readonly ok: true;
      readonly replicas: number;
      readonly current: { readonly value?: string; readonly averageValue?: string };
    }
  | { readonly ok: false; readonly message: string };

function answerByValue(
  milli: number,
  { wished, asking }: { readonly wished: Wished; readonly asking: ValueAsking },
): Found {
  const { tolerance, statusReplicas } = asking;
  const valued = { milli, targetMilli: wished.targetMilli, tolerance };
  if (wished.of === 'average') {
    const { replicas, averageMilli } = proposeByAverage(valued, statusReplicas);
    return { ok: true, replicas, current: { averageValue: formatMilli(averageMilli) } };
  }
  const proposal = proposeByValue(valued, asking);
  return proposal.ok ? { ...proposal, current: { value: formatMilli(milli) } } : proposal;
}

function milliOf(quantity: string | number | undefined): number | undefined {
  return quantity === undefined || parseQuantity(quantity) === undefined ? undefined : milliValue(quantity);
}
