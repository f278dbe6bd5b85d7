import {
  type APIResource,
  type ApiRequest,
  failure,
  formatMilli,
  type LabelMatcher,
  type LocalApi,
  parseLabelSelector,
  StatusError,
  toTimestamp,
} from '@signalbox/cluster';
import { kindOf } from './kinds.ts';
import type { MetricRule } from './rule.ts';
import type { ExternalValue, MetricValues, ObjectValue } from './values.ts';

const customGroup = 'custom.metrics.k8s.io';
const externalGroup = 'external.metrics.k8s.io';

/** Who answers: undefined while nobody does. */
export interface Answering {
  readonly values: MetricValues;
  rules(): readonly MetricRule[];
}

/** The two APIs that autoscalers ask for metrics other than CPU and memory, as upstream's adapters serve them. */
export function metricApis(answering: () => Answering | undefined): readonly LocalApi[] {
  const custom = listed(answering, customResource);
  const external = listed(answering, externalResource);
  return [
    customApi('v1beta2', 200, { answering, resources: custom }),
    customApi('v1beta1', 100, { answering, resources: custom }),
    {
      ...{ group: externalGroup, version: 'v1beta1' },
      resources: external,
      answer: (request) => externalValues(request, here(answering)),
    },
  ];
}

interface Api {
  readonly answering: () => Answering | undefined;
  resources(): readonly APIResource[];
}

type CustomVersion = 'v1beta1' | 'v1beta2';

function customApi(version: CustomVersion, versionPriority: number, { answering, resources }: Api): LocalApi {
  return {
    ...{ group: customGroup, version, versionPriority },
    resources,
    answer: (request) => customValues(request, version, here(answering)),
  };
}

function here(answering: () => Answering | undefined): Answering {
  const now = answering();
  if (now === undefined) throw new StatusError(failure(503, 'ServiceUnavailable', 'the metrics adapter is starting'));
  return now;
}

/** Another array when it says something else. */
function listed(
  answering: () => Answering | undefined,
  resourceOf: (rule: MetricRule) => APIResource | undefined,
): () => readonly APIResource[] {
  let known: readonly APIResource[] = [];
  return () => {
    const byName = new Map<string, APIResource>();
    for (const rule of answering()?.rules() ?? []) {
      const resource = resourceOf(rule);
      if (resource !== undefined) byName.set(resource.name, resource);
    }
    const now = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    if (now.map(({ name }) => name).join() !== known.map(({ name }) => name).join()) known = now;
    return known;
  };
}

function customResource({ metric, from }: MetricRule): APIResource | undefined {
  const resource = from.is === 'page' ? 'pods' : from.object?.resource;
  if (resource === undefined) return undefined;
  const namespaced = from.is === 'page' || from.object?.namespaceLabel !== undefined;
  return { name: `${resource}/${metric}`, singularName: '', namespaced, kind: 'MetricValueList', verbs: ['get'] };
}

function externalResource({ metric, from }: MetricRule): APIResource | undefined {
  if (from.is === 'page' || from.object !== undefined) return undefined;
  return { name: metric, singularName: '', namespaced: true, kind: 'ExternalMetricValueList', verbs: ['get'] };
}

/** `namespaces/a/metrics/m` asks about the namespace itself, `namespaces/a/pods/x/m` about what is in it. */
function objectsAsked(request: ApiRequest): {
  readonly resource: string;
  readonly name: string;
  readonly metric: string;
} {
  const { resource, name, subresource, namespace } = request;
  if (resource === 'metrics' && namespace !== undefined && name !== undefined && subresource === undefined)
    return { resource: 'namespaces', name: namespace, metric: name };
  if (name === undefined || subresource === undefined)
    throw new StatusError(
      failure(
        404,
        'NotFound',
        `wanted ${resource}/NAME/METRIC, or ${resource}/*/METRIC for all that a labelSelector chooses`,
      ),
    );
  return { resource, name, metric: subresource };
}

async function customValues(request: ApiRequest, version: CustomVersion, { values }: Answering): Promise<object> {
  const { query, signal } = request;
  const asked = objectsAsked(request);
  const { resource, name, metric } = asked;
  const metricSelector = query.get('metricLabelSelector');
  const found = await answered(() =>
    values.ofObjects(
      {
        ...asked,
        namespace: resource === 'namespaces' ? undefined : request.namespace,
        labels: matcherOf(query.get('labelSelector'), 'labelSelector'),
        metricLabels: matcherOf(metricSelector, 'metricLabelSelector'),
      },
      { signal },
    ),
  );
  if (found === undefined) throw notFound(`the server could not find the metric ${metric} for ${resource}`);
  if (name !== '*' && found.length === 0)
    throw notFound(`the server could not find the metric ${metric} for ${resource} ${name}`);
  const kind = kindOf(resource);
  const items = found.map((value) => ({
    describedObject: {
      ...kind,
      ...(value.namespace !== undefined && { namespace: value.namespace }),
      name: value.name,
    },
    ...(version === 'v1beta1' ? { metricName: metric, selector: null } : { metric: { name: metric, selector: null } }),
    ...measured(value),
  }));
  return { kind: 'MetricValueList', apiVersion: `${customGroup}/${version}`, metadata: {}, items };
}

async function externalValues(request: ApiRequest, { values }: Answering): Promise<object> {
  const { resource: metric, namespace = '', query, signal } = request;
  const labels = matcherOf(query.get('labelSelector'), 'labelSelector');
  const found = await answered(() => values.external({ metric, namespace, labels }, { signal }));
  if (found === undefined) throw notFound(`the server could not find the metric ${metric}`);
  const items = found.map((value) => ({ metricName: metric, metricLabels: value.labels, ...measured(value) }));
  return { kind: 'ExternalMetricValueList', apiVersion: `${externalGroup}/v1beta1`, metadata: {}, items };
}

function measured({ value, atMs, overMs }: ObjectValue | ExternalValue): object {
  return {
    timestamp: toTimestamp(atMs),
    ...(overMs > 0 && { windowSeconds: Math.round(overMs / 1_000) }),
    value: formatMilli(value * 1_000),
  };
}

/** A server of metrics that does not answer is no mistake of who asks. */
async function answered<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StatusError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new StatusError(failure(503, 'ServiceUnavailable', message));
  }
}

function matcherOf(text: string | null, parameter: string): LabelMatcher | undefined {
  if (text === null || text === '') return undefined;
  try {
    return parseLabelSelector(text);
  } catch (error) {
    const message = `${parameter}: ${error instanceof Error ? error.message : String(error)}`;
    throw new StatusError(failure(400, 'BadRequest', message));
  }
}

function notFound(message: string): StatusError {
  return new StatusError(failure(404, 'NotFound', message));
}
