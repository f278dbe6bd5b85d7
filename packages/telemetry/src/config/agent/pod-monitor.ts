import { constant, copy, keep, labelName, type RelabelRule, shardRules } from '../../relabel/rule.ts';
import type { PodMetricsEndpoint, PodMonitor } from '../../resources/pod-monitor.ts';
import { given } from '../given.ts';
import { relabelRules } from './checks.ts';
import { copySet, kubernetesDiscovery, selectorRules } from './discovery.ts';
import { checkOneLogin, endpointSection, limitSection, metricRules, warnOfUnsupportedLimits } from './endpoint.ts';
import { type Section, safeTls, unsupported } from './http.ts';
import type { Leaf } from './leaf.ts';
import { namespaceRules, runningRules } from './service-monitor.ts';
import type { MetricsSettings } from './settings.ts';

/** One job per endpoint. */
export function podMonitorJobs(monitor: PodMonitor, settings: MetricsSettings, leaf: Leaf): readonly Section[] {
  const { spec } = monitor;
  warnOfUnsupportedLimits(spec, leaf);
  if (spec.selectorMechanism === 'RoleSelector') unsupported(leaf, 'spec.selectorMechanism');
  return (spec.podMetricsEndpoints ?? []).map((endpoint, index) => job(monitor, { endpoint, index, settings, leaf }));
}

interface Scrape {
  readonly endpoint: PodMetricsEndpoint;
  readonly index: number;
  readonly settings: MetricsSettings;
  readonly leaf: Leaf;
}

function job(monitor: PodMonitor, scrape: Scrape): Section {
  const { endpoint, index, settings, leaf } = scrape;
  const { metadata, spec } = monitor;
  const at = `spec.podMetricsEndpoints[${index}]`;
  const section: Section = {
    job_name: `podMonitor/${metadata.namespace}/${metadata.name}/${index}`,
    ...endpointSection(endpoint, settings, { leaf, at }),
    ...given({ tls_config: safeTls(endpoint.tlsConfig, leaf, `${at}.tlsConfig`) }),
    ...limitSection(spec, settings),
    ...given({ body_size_limit: spec.bodySizeLimit }),
    kubernetes_sd_configs: [
      kubernetesDiscovery({
        role: 'pod',
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

function rules({ metadata, spec }: PodMonitor, { endpoint, index, settings, leaf }: Scrape): readonly RelabelRule[] {
  const port = endpoint.port || String(endpoint.targetPort ?? '');
  return [
    copy('job', '__tmp_prometheus_job_name'),
    ...runningRules(endpoint.filterRunning),
    ...selectorRules(spec.selector, 'pod', { leaf, at: 'spec.selector' }),
    ...portRules(endpoint),
    copy('__meta_kubernetes_namespace', 'namespace'),
    copy('__meta_kubernetes_service_name', 'service'),
    copy('__meta_kubernetes_pod_name', 'pod'),
    copy('__meta_kubernetes_pod_container_name', 'container'),
    ...(spec.podTargetLabels ?? []).map((label) =>
      copySet(`__meta_kubernetes_pod_label_${labelName(label)}`, labelName(label)),
    ),
    constant('job', `${metadata.namespace}/${metadata.name}`),
    ...(spec.jobLabel ? [copySet(`__meta_kubernetes_pod_label_${labelName(spec.jobLabel)}`, 'job')] : []),
    ...(port === '' || port === '0' ? [] : [constant('endpoint', port)]),
    ...relabelRules(endpoint.relabelings, { leaf, at: `spec.podMetricsEndpoints[${index}].relabelings` }),
    ...namespaceRules(settings, metadata.namespace),
    ...shardRules(settings.shards),
  ];
}

function portRules({ port, portNumber, targetPort }: PodMetricsEndpoint): readonly RelabelRule[] {
  if (port !== undefined && port !== '') return [keep('__meta_kubernetes_pod_container_port_name', port)];
  if (portNumber !== undefined && portNumber !== 0)
    return [keep('__meta_kubernetes_pod_container_port_number', String(portNumber))];
  if (typeof targetPort === 'string' && targetPort !== '')
    return [keep('__meta_kubernetes_pod_container_port_name', targetPort)];
  if (typeof targetPort === 'number' && targetPort !== 0)
    return [keep('__meta_kubernetes_pod_container_port_number', String(targetPort))];
  return [];
}
