import { constant, copy, drop, keep, labelName, type RelabelRule, shardRules } from '../../relabel/rule.ts';
import type { ServiceMonitor, ServiceMonitorEndpoint } from '../../resources/service-monitor.ts';
import { given } from '../given.ts';
import { relabelRules } from './checks.ts';
import { copySet, kubernetesDiscovery, selectorRules } from './discovery.ts';
import { checkOneLogin, endpointSection, limitSection, metricRules, warnOfUnsupportedLimits } from './endpoint.ts';
import { type Section, tls, unsupported } from './http.ts';
import type { Leaf } from './leaf.ts';
import type { MetricsSettings } from './settings.ts';

/** One job per endpoint. The leaf is rejected when the monitor may not or cannot be scraped. */
export function serviceMonitorJobs(monitor: ServiceMonitor, settings: MetricsSettings, leaf: Leaf): readonly Section[] {
  const { spec } = monitor;
  warnOfUnsupportedLimits(spec, leaf);
  if (spec.selectorMechanism === 'RoleSelector') unsupported(leaf, 'spec.selectorMechanism');
  if (spec.serviceDiscoveryRole === 'EndpointSlice') unsupported(leaf, 'spec.serviceDiscoveryRole');
  if (settings.denyFileAccess) denyFiles(spec.endpoints, leaf);
  return spec.endpoints.map((endpoint, index) => job(monitor, { endpoint, index, settings, leaf }));
}

interface Scrape {
  readonly endpoint: ServiceMonitorEndpoint;
  readonly index: number;
  readonly settings: MetricsSettings;
  readonly leaf: Leaf;
}

function job(monitor: ServiceMonitor, scrape: Scrape): Section {
  const { endpoint, index, settings, leaf } = scrape;
  const { metadata, spec } = monitor;
  const at = `spec.endpoints[${index}]`;
  const section: Section = {
    job_name: `serviceMonitor/${metadata.namespace}/${metadata.name}/${index}`,
    ...endpointSection(endpoint, settings, { leaf, at }),
    ...given({
      bearer_token_file: endpoint.bearerTokenFile,
      tls_config: tls(endpoint.tlsConfig, leaf, `${at}.tlsConfig`),
    }),
    ...limitSection(spec, settings),
    ...given({ body_size_limit: spec.bodySizeLimit }),
    kubernetes_sd_configs: [
      kubernetesDiscovery({
        role: 'endpoints',
        home: metadata.namespace ?? '',
        namespaces: spec.namespaceSelector,
        ignoreNamespaceSelectors: settings.ignoreNamespaceSelectors,
        apiServer: settings.apiServer,
        attachNode: spec.attachMetadata?.node ?? false,
      }),
    ],
    relabel_configs: rules(monitor, scrape),
    ...given({
      metric_relabel_configs: metricRules(endpoint.metricRelabelings, {
        settings,
        leaf,
        at: `${at}.metricRelabelings`,
      }),
    }),
  };
  checkOneLogin(section, { leaf, at });
  return section;
}

function rules(
  { metadata, spec }: ServiceMonitor,
  { endpoint, index, settings, leaf }: Scrape,
): readonly RelabelRule[] {
  const target = ['__meta_kubernetes_endpoint_address_target_kind', '__meta_kubernetes_endpoint_address_target_name'];
  const port = endpoint.port || String(endpoint.targetPort ?? '');
  return [
    copy('job', '__tmp_prometheus_job_name'),
    ...selectorRules(spec.selector, 'service', { leaf, at: 'spec.selector' }),
    ...portRules(endpoint),
    ...(['Node', 'Pod'] as const).map((kind) => ({
      source_labels: target,
      separator: ';',
      target_label: kind.toLowerCase(),
      regex: `${kind};(.*)`,
      replacement: '$1',
    })),
    copy('__meta_kubernetes_namespace', 'namespace'),
    copy('__meta_kubernetes_service_name', 'service'),
    copy('__meta_kubernetes_pod_name', 'pod'),
    copy('__meta_kubernetes_pod_container_name', 'container'),
    ...runningRules(endpoint.filterRunning),
    ...(spec.targetLabels ?? []).map((label) =>
      copySet(`__meta_kubernetes_service_label_${labelName(label)}`, labelName(label)),
    ),
    ...(spec.podTargetLabels ?? []).map((label) =>
      copySet(`__meta_kubernetes_pod_label_${labelName(label)}`, labelName(label)),
    ),
    { ...copy('__meta_kubernetes_service_name', 'job'), replacement: '$1' },
    ...(spec.jobLabel ? [copySet(`__meta_kubernetes_service_label_${labelName(spec.jobLabel)}`, 'job')] : []),
    ...(port === '' || port === '0' ? [] : [constant('endpoint', port)]),
    ...relabelRules(endpoint.relabelings, { leaf, at: `spec.endpoints[${index}].relabelings` }),
    ...namespaceRules(settings, metadata.namespace),
    ...shardRules(settings.shards),
  ];
}

/** Keeps pods that still run; only when asked, as the Agent Operator always had it. */
export function runningRules(filterRunning: boolean | undefined): readonly RelabelRule[] {
  return filterRunning === true ? [drop('__meta_kubernetes_pod_phase', '(Failed|Succeeded)')] : [];
}

/** Last word on the label by which tenants are told apart. */
export function namespaceRules(
  { enforcedNamespaceLabel }: { readonly enforcedNamespaceLabel: string },
  namespace = '',
): readonly RelabelRule[] {
  return enforcedNamespaceLabel === '' ? [] : [constant(enforcedNamespaceLabel, namespace)];
}

function portRules({ port, targetPort }: ServiceMonitorEndpoint): readonly RelabelRule[] {
  if (port !== undefined && port !== '') return [keep('__meta_kubernetes_endpoint_port_name', port)];
  if (typeof targetPort === 'string' && targetPort !== '')
    return [keep('__meta_kubernetes_pod_container_port_name', targetPort)];
  if (typeof targetPort === 'number' && targetPort !== 0)
    return [keep('__meta_kubernetes_pod_container_port_number', String(targetPort))];
  return [];
}

function denyFiles(endpoints: readonly ServiceMonitorEndpoint[], leaf: Leaf): void {
  endpoints.forEach(({ bearerTokenFile, tlsConfig }, index) => {
    const files = {
      bearerTokenFile,
      'tlsConfig.caFile': tlsConfig?.caFile,
      'tlsConfig.certFile': tlsConfig?.certFile,
      'tlsConfig.keyFile': tlsConfig?.keyFile,
    };
    for (const [field, file] of Object.entries(files))
      if (file !== undefined && file !== '')
        leaf.reject(
          'FileAccessDenied',
          `spec.endpoints[${index}].${field}`,
          "the root's metrics.arbitraryFSAccessThroughSMs.deny forbids files of the agent's container: use a Secret",
        );
  });
}
