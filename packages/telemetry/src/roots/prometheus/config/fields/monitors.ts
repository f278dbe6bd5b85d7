import type { ScrapeEndpoint, Shared } from '../../../../resources/fields.ts';
import type { PodMetricsEndpoint, PodMonitorSpec } from '../../../../resources/pod-monitor.ts';
import type { Prober, ProbeSpec } from '../../../../resources/probe.ts';
import type { HTTPSDConfig, KubernetesSDConfig, ScrapeConfigSpec } from '../../../../resources/scrape-config.ts';
import type { ServiceMonitorEndpoint, ServiceMonitorSpec } from '../../../../resources/service-monitor.ts';
import {
  basicAuthLine,
  followRedirectsLine,
  honorLabelsLine,
  probePathLine,
  schemeLine,
  timeFields,
  tokenField,
  tokenFileLine,
} from '../../../../scrape/fields/endpoint.ts';
import { each, type Fields } from '../../../../scrape/fields/table.ts';
import { authorization, safeTls } from '../../../../scrape/http.ts';
import { checkedTls, proxyFields } from '../http.ts';
import { prometheus, type Scrape } from '../settings.ts';
import {
  authorizationLine,
  http2Line,
  loginFields,
  monitorFields,
  safeTlsLine,
  switchFields,
  timestampFields,
  tlsLine,
} from './endpoint.ts';

/** What becomes of every field of the kinds that find targets. The order is that of the lines in a job. */

const endpointFields: Fields<ScrapeEndpoint, Scrape> = {
  honorLabels: honorLabelsLine,
  ...timestampFields,
  ...timeFields,
  path: { as: 'metrics_path' },
  ...proxyFields,
  params: { as: 'params' },
  scheme: schemeLine,
  ...switchFields,
  ...loginFields,
  ...tokenField,
  authorization: authorizationLine,
  tlsConfig: safeTlsLine,
  ...each('elsewhere', 'filterRunning', 'metricRelabelings', 'port', 'relabelings', 'targetPort'),
};

const selectingFields = each(
  'elsewhere',
  'attachMetadata',
  'jobLabel',
  'namespaceSelector',
  'podTargetLabels',
  'selector',
  'selectorMechanism',
);

/** The token's file comes before the ways to log in that look at it. */
const { authorization: _authorization, tlsConfig: _tls, ...plainEndpointFields } = endpointFields;
export const serviceEndpointFields: Fields<ServiceMonitorEndpoint, Scrape> = {
  ...plainEndpointFields,
  bearerTokenFile: tokenFileLine,
  authorization: authorizationLine,
  tlsConfig: tlsLine,
};

export const serviceMonitorFields: Fields<ServiceMonitorSpec, Scrape> = {
  ...monitorFields,
  ...selectingFields,
  ...each('elsewhere', 'serviceDiscoveryRole', 'targetLabels'),
  endpoints: { members: serviceEndpointFields },
};

export const podEndpointFields: Fields<PodMetricsEndpoint, Scrape> = { ...endpointFields, portNumber: 'elsewhere' };

export const podMonitorFields: Fields<PodMonitorSpec, Scrape> = {
  ...monitorFields,
  ...selectingFields,
  podMetricsEndpoints: { members: podEndpointFields },
};

/** A probe's lines stand between those of its prober. */
export const proberAddress: Fields<Pick<Prober, 'path'>, Scrape> = {
  path: probePathLine,
};
export const proberFields: Fields<Prober, Scrape> = {
  ...proberAddress,
  scheme: schemeLine,
  ...proxyFields,
  url: 'elsewhere',
};

export const probeParams: Fields<Pick<ProbeSpec, 'module' | 'params'>, Scrape> = {
  // The module has a field of its own, which wins over a parameter of that name.
  params: {
    as: 'params',
    made: (params = [], _, { spec: { module } }) => ({
      ...Object.fromEntries(params.map(({ name, values }) => [name, values ?? []])),
      ...(module && { module: [module] }),
    }),
  },
  module: 'elsewhere',
};

type ProbeRequest = Omit<
  ProbeSpec,
  'interval' | 'jobName' | 'metricRelabelings' | 'module' | 'params' | 'prober' | 'scrapeTimeout' | 'targets'
>;

export const probeRequest: Fields<ProbeRequest, Scrape> = {
  ...switchFields,
  ...loginFields,
  ...tokenField,
  authorization: authorizationLine,
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

/** How the one who knows the targets is asked. */
export const discoveryClientFields: Fields<Shared<HTTPSDConfig, KubernetesSDConfig>, Scrape> = {
  basicAuth: basicAuthLine,
  authorization: { as: 'authorization', of: (own, { leaf, at }) => authorization(own, leaf, at) },
  oauth2: loginFields.oauth2,
  ...proxyFields,
  tlsConfig: { as: 'tls_config', of: (own, { leaf, at }) => checkedTls(safeTls(own), leaf, at) },
  followRedirects: followRedirectsLine,
  enableHTTP2: http2Line,
};

export const scrapeConfigFields: Fields<ScrapeConfigSpec, Scrape> = {
  honorLabels: {
    as: 'honor_labels',
    keepsAll: true,
    of: (own, { settings }) => (settings.overrideHonorLabels ? false : own),
  },
  ...timestampFields,
  scrapeInterval: { as: 'scrape_interval' },
  scrapeTimeout: { as: 'scrape_timeout' },
  metricsPath: { as: 'metrics_path' },
  scheme: schemeLine,
  ...proxyFields,
  params: { as: 'params' },
  enableCompression: { as: 'enable_compression', since: prometheus('2.49'), keepsAll: true },
  enableHTTP2: http2Line,
  ...loginFields,
  authorization: authorizationLine,
  tlsConfig: safeTlsLine,
  ...monitorFields,
  ...each('elsewhere', 'jobName', 'metricRelabelings', 'relabelings'),
  ...each('elsewhere', 'fileSDConfigs', 'staticConfigs'),
  httpSDConfigs: { members: { ...discoveryClientFields, ...each('elsewhere', 'refreshInterval', 'url') } },
  kubernetesSDConfigs: {
    members: {
      ...discoveryClientFields,
      ...each('elsewhere', 'apiServer', 'attachMetadata', 'namespaces', 'role', 'selectors'),
    },
  },
  ...each(
    'no effect',
    'azureSDConfigs',
    'consulSDConfigs',
    'digitalOceanSDConfigs',
    'dnsSDConfigs',
    'dockerSDConfigs',
    'dockerSwarmSDConfigs',
    'ec2SDConfigs',
    'eurekaSDConfigs',
    'gceSDConfigs',
    'hetznerSDConfigs',
    'ionosSDConfigs',
    'kumaSDConfigs',
    'lightSailSDConfigs',
    'linodeSDConfigs',
    'nameEscapingScheme',
    'nameValidationScheme',
    'nomadSDConfigs',
    'openstackSDConfigs',
    'ovhcloudSDConfigs',
    'puppetDBSDConfigs',
    'scalewaySDConfigs',
  ),
};
