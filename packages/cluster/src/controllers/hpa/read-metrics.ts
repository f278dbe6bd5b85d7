import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  MetricIdentifier,
  MetricSpec,
} from '../../api/generated/autoscaling-v2.ts';
import { namespaces } from '../../api/generated/kinds.ts';
import { isOfKind, parseApiVersion, type ResourceType } from '../../api/gvk.ts';
import type { KubeList } from '../../api/meta.ts';
import type { GetOperation } from '../../api/operation.ts';
import { milliValue, parseQuantity } from '../../api/quantity.ts';
import { formatSelector } from '../../api/selector/selector.ts';
import { isStatusError } from '../../api/status.ts';
import type { RunContext } from '../../runtime/keyed-work.ts';
import type { Reading, Readings } from './readings.ts';

export interface ReadingMetrics {
  /** What the target selects, as its scale says it. */
  readonly selector: string;
  /** What is served: how the kind of an object becomes the name of its resource. */
  readonly types: readonly ResourceType[];
  readonly context: RunContext;
}

/** Everything that the spec wants to know of pods, objects and the outside, by way of the API: whoever answers there. */
export async function readMetrics(autoscaler: HorizontalPodAutoscaler, reading: ReadingMetrics): Promise<Readings> {
  const { namespace = '' } = autoscaler.metadata;
  const { metrics = [] } = autoscaler.spec;
  const read = await Promise.all(metrics.map((metric) => readMetric(metric, { ...reading, namespace })));
  return new Map(read.flatMap((each, index) => (each === undefined ? [] : [[index, each] as const])));
}

interface Asking extends ReadingMetrics {
  readonly namespace: string;
}

async function readMetric(metric: MetricSpec, asking: Asking): Promise<Reading | undefined> {
  const { type, pods, object, external } = metric;
  try {
    if (type === 'Pods' && pods !== undefined) return await readPods(pods.metric, asking);
    if (type === 'Object' && object !== undefined)
      return await readObject(object.metric, { ...asking, describedObject: object.describedObject });
    if (type === 'External' && external !== undefined) return await readExternal(external.metric, asking);
    return undefined;
  } catch (error) {
    if (!isStatusError(error)) throw error;
    const api = type === 'External' ? 'external' : 'custom';
    return { ok: false, message: `unable to fetch metrics from ${api} metrics API: ${error.message}` };
  }
}

/** An entry of a MetricValueList or an ExternalMetricValueList. */
interface MetricValue {
  readonly describedObject?: { readonly name?: string };
  readonly value?: string | number;
}

async function readPods(metric: MetricIdentifier, asking: Asking): Promise<Reading> {
  const place = { resource: 'pods', name: '*', subresource: metric.name };
  const parameters = { labelSelector: asking.selector, ...metricSelector(metric) };
  const answer = await readCustom({ ...place, parameters }, asking);
  if (!answer.ok) return answer;
  if (answer.values.length === 0) return { ok: false, message: 'no metrics returned from custom metrics API' };
  const milliByPod = new Map<string, number>();
  for (const value of answer.values) {
    const milli = milliOf(value);
    if (milli !== undefined) milliByPod.set(value.describedObject?.name ?? '', milli);
  }
  return { ok: true, of: 'pods', milliByPod };
}

async function readObject(
  metric: MetricIdentifier,
  asking: Asking & { readonly describedObject: CrossVersionObjectReference },
): Promise<Reading> {
  const { describedObject, types, namespace } = asking;
  const { group } = parseApiVersion(describedObject.apiVersion ?? 'v1');
  const parameters = metricSelector(metric);
  const isNamespace = isOfKind({ apiVersion: 'v1', ...describedObject }, namespaces);
  const type = types.find((each) => each.kind === describedObject.kind && each.group === group);
  if (!isNamespace && type === undefined)
    return failed(
      `unable to map kind ${describedObject.kind}${group && `.${group}`} to resource: no matches for kind "${describedObject.kind}" in group "${group}"`,
    );
  const resource = type === undefined ? '' : [type.resource, ...(group === '' ? [] : [group])].join('.');
  // The only namespace that may be described is the autoscaler's own.
  const place = isNamespace
    ? { resource: 'metrics', name: metric.name }
    : { resource, name: describedObject.name, subresource: metric.name };
  const answer = await readCustom({ ...place, parameters }, { ...asking, namespace });
  if (!answer.ok) return answer;
  const [only] = answer.values;
  if (only === undefined || answer.values.length > 1)
    return failed(
      `the custom metrics API server returned ${answer.values.length} results when we asked for exactly one`,
    );
  const milli = milliOf(only);
  return milli === undefined
    ? failed(`${JSON.stringify(only.value)} is no quantity`)
    : { ok: true, of: 'value', milli };
}

function failed(message: string): Extract<Reading, { readonly ok: false }> {
  return { ok: false, message: `unable to fetch metrics from custom metrics API: ${message}` };
}

type Custom = { readonly ok: true; readonly values: readonly MetricValue[] } | Extract<Reading, { readonly ok: false }>;

const customMetrics = 'custom.metrics.k8s.io';

/** Which version there is, is found out by asking: the newer one first. */
async function readCustom(
  place: Pick<GetOperation, 'name' | 'subresource' | 'parameters'> & { readonly resource: string },
  asking: Asking,
): Promise<Custom> {
  const { namespace, context } = asking;
  const { resource, ...rest } = place;
  for (const version of ['v1beta2', 'v1beta1']) {
    try {
      const operation = {
        verb: 'get',
        resource: { group: customMetrics, version, resource },
        namespace,
        ...rest,
      } as const;
      const { client, signal } = context;
      const { object } = await client.transport.perform({ ...operation, user: client.user }, { signal });
      return { ok: true, values: itemsOf(object) };
    } catch (error) {
      if (!isNotServed(error)) throw error;
    }
  }
  return failed(`no custom metrics API (${customMetrics}) registered`);
}

const externalMetrics = 'external.metrics.k8s.io';

async function readExternal(metric: MetricIdentifier, { namespace, context }: Asking): Promise<Reading> {
  const { client, signal } = context;
  const resource = { group: externalMetrics, version: 'v1beta1', resource: metric.name };
  const labelSelector = formatSelector(metric.selector);
  try {
    const options = labelSelector === '' ? {} : { labelSelector };
    const operation = { verb: 'list', resource, namespace, options, user: client.user } as const;
    const values = itemsOf((await client.transport.perform(operation, { signal })).object);
    if (values.length === 0) return { ok: false, message: 'no metrics returned from external metrics API' };
    return { ok: true, of: 'value', milli: values.reduce((sum, value) => sum + (milliOf(value) ?? 0), 0) };
  } catch (error) {
    if (!isNotServed(error)) throw error;
    const message = `${notServed} (get ${metric.name}.${externalMetrics})`;
    return { ok: false, message: `unable to fetch metrics from external metrics API: ${message}` };
  }
}

const notServed = 'the server could not find the requested resource';

/** A metric that nobody has is a 404 too, but says so. */
function isNotServed(error: unknown): boolean {
  return (
    isStatusError(error) &&
    error.code === 404 &&
    (error.message === notServed || error.message.includes('page not found'))
  );
}

function metricSelector({ selector }: MetricIdentifier): Readonly<Record<string, string>> {
  const text = formatSelector(selector);
  return text === '' ? {} : { metricLabelSelector: text };
}

function itemsOf(object: unknown): readonly MetricValue[] {
  return ((object as Partial<KubeList>).items ?? []) as readonly MetricValue[];
}

/** Undefined for what is no quantity: nothing is known then. */
function milliOf({ value = '' }: MetricValue): number | undefined {
  return parseQuantity(value) === undefined ? undefined : milliValue(value);
}
