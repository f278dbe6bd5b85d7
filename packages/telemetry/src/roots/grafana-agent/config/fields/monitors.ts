import type { ScrapeEndpoint } from '../../../../resources/fields.ts';
import type { PodLogsSpec } from '../../../../resources/pod-logs.ts';
import type { PodMetricsEndpoint, PodMonitorSpec } from '../../../../resources/pod-monitor.ts';
import type { Prober, ProbeSpec } from '../../../../resources/probe.ts';
import type { ServiceMonitorEndpoint, ServiceMonitorSpec } from '../../../../resources/service-monitor.ts';
import {
  honorLabelsLine,
  honorTimestampsLine,
  probePathLine,
  schemeLine,
  timeFields,
  tokenFileLine,
} from '../../../../scrape/fields/endpoint.ts';
import { each, type Fields } from '../../../../scrape/fields/table.ts';
import { proxyFields } from '../http.ts';
import { pipelineStages } from '../logs/stages.ts';
import { bodySizeLine, monitorFields, requestFields, type Scrape, safeTlsLine, tlsLine } from './endpoint.ts';

/** What becomes of every field of the kinds that find targets. The order is that of the lines in a job. */

const endpointFields: Fields<Omit<ScrapeEndpoint, 'tlsConfig'>, Scrape> = {
  honorLabels: honorLabelsLine,
  honorTimestamps: honorTimestampsLine,
  ...timeFields,
  path: { as: 'metrics_path' },
  scheme: schemeLine,
  params: { as: 'params' },
  ...proxyFields,
  ...requestFields,
  trackTimestampsStaleness: 'no effect',
  ...each('elsewhere', 'filterRunning', 'metricRelabelings', 'port', 'relabelings', 'targetPort'),
};

const selectingFields = {
  ...each('elsewhere', 'jobLabel', 'namespaceSelector', 'podTargetLabels', 'selector'),
  attachMetadata: { members: each('elsewhere', 'node') },
  selectorMechanism: { only: ['RelabelConfig'] },
} as const;

export const serviceEndpointFields: Fields<ServiceMonitorEndpoint, Scrape> = {
  ...endpointFields,
  bearerTokenFile: tokenFileLine,
  tlsConfig: tlsLine,
};

export const serviceMonitorFields: Fields<ServiceMonitorSpec, Scrape> = {
  ...monitorFields,
  bodySizeLimit: bodySizeLine,
  ...selectingFields,
  serviceDiscoveryRole: { only: ['Endpoints'] },
  targetLabels: 'elsewhere',
  endpoints: { members: serviceEndpointFields },
};

export const podEndpointFields: Fields<PodMetricsEndpoint, Scrape> = {
  ...endpointFields,
  tlsConfig: safeTlsLine,
  portNumber: 'elsewhere',
};

export const podMonitorFields: Fields<PodMonitorSpec, Scrape> = {
  ...monitorFields,
  bodySizeLimit: bodySizeLine,
  ...selectingFields,
  podMetricsEndpoints: { members: podEndpointFields },
};

/** The parameters of a probe stand between the lines of its prober. */
export const proberAddress: Fields<Pick<Prober, 'path' | 'scheme'>> = { path: probePathLine, scheme: schemeLine };
export const proberFields: Fields<Prober> = { ...proberAddress, ...proxyFields, url: 'elsewhere' };

export const probeParams: Fields<Pick<ProbeSpec, 'module' | 'params'>> = {
  // A parameter called module wins over the field.
  params: {
    as: 'params',
    made: (params = [], _, { spec: { module } }) => ({
      module: [module ?? ''],
      ...Object.fromEntries(params.map(({ name, values }) => [name, values ?? []])),
    }),
  },
  module: 'elsewhere',
};

type ProbeRequest = Omit<
  ProbeSpec,
  'interval' | 'jobName' | 'metricRelabelings' | 'module' | 'params' | 'prober' | 'scrapeTimeout' | 'targets'
>;

export const probeRequest: Fields<ProbeRequest, Scrape> = {
  ...requestFields,
  tlsConfig: safeTlsLine,
  ...monitorFields,
};

export const probeFields: Fields<ProbeSpec, Scrape> = {
  ...timeFields,
  ...probeParams,
  ...probeRequest,
  ...each('elsewhere', 'jobName', 'metricRelabelings'),
  prober: { members: proberFields },
  targets: {
    members: {
      staticConfig: { members: each('elsewhere', 'labels', 'relabelingConfigs', 'static') },
      ingress: { members: each('elsewhere', 'namespaceSelector', 'relabelingConfigs', 'selector') },
    },
  },
};

export const podLogsFields: Fields<PodLogsSpec> = {
  pipelineStages: { as: 'pipeline_stages', of: pipelineStages },
  ...each('elsewhere', 'jobLabel', 'namespaceSelector', 'podTargetLabels', 'relabelings', 'selector'),
};
