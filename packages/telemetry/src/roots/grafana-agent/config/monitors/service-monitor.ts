import { copy, type RelabelRule, shardRules } from '../../../../relabel/rule.ts';
import type { ServiceMonitor, ServiceMonitorEndpoint } from '../../../../resources/service-monitor.ts';
import { relabelRules } from '../../../../scrape/checks.ts';
import { given } from '../../../../scrape/given.ts';
import { type Section, tls } from '../../../../scrape/http.ts';
import type { Leaf } from '../../../../scrape/leaf.ts';
import { jobNameRule, portRules } from '../../../../scrape/target-rules.ts';
import { denyFiles } from '../files.ts';
import { unsupported } from '../http.ts';
import type { MetricsSettings } from '../settings.ts';
import { endpointJob, type Scrape, warnOfUnsupportedLimits } from './endpoint.ts';
import { selectorRules } from './selector.ts';
import {
  endpointRules,
  jobLabelRules,
  namespaceRules,
  placeRules,
  runningRules,
  targetLabelRules,
} from './target-rules.ts';

/** One job per endpoint. The leaf is rejected when the monitor may not or cannot be scraped. */
export function serviceMonitorJobs(monitor: ServiceMonitor, settings: MetricsSettings, leaf: Leaf): readonly Section[] {
  const { metadata, spec } = monitor;
  warnOfUnsupportedLimits(spec, leaf);
  if (spec.selectorMechanism === 'RoleSelector') unsupported(leaf, 'spec.selectorMechanism');
  if (spec.serviceDiscoveryRole === 'EndpointSlice') unsupported(leaf, 'spec.serviceDiscoveryRole');
  if (settings.denyFileAccess)
    spec.endpoints.forEach((endpoint, index) => {
      denyFiles(endpoint, { leaf, at: `spec.endpoints[${index}]` });
    });
  return spec.endpoints.map((endpoint, index) => {
    const scrape = { endpoint, settings, leaf, at: `spec.endpoints[${index}]` };
    return endpointJob(scrape, {
      name: `serviceMonitor/${metadata.namespace}/${metadata.name}/${index}`,
      role: 'endpoints',
      spec,
      tls: given({
        bearer_token_file: endpoint.bearerTokenFile,
        tls_config: tls(endpoint.tlsConfig, leaf, `${scrape.at}.tlsConfig`),
      }),
      rules: rules(monitor, scrape),
    });
  });
}

function rules(
  { metadata, spec }: ServiceMonitor,
  { endpoint, settings, leaf, at }: Scrape<ServiceMonitorEndpoint>,
): readonly RelabelRule[] {
  return [
    jobNameRule,
    ...selectorRules(spec.selector, 'service', { leaf, at: 'spec.selector' }),
    ...portRules(endpoint, '__meta_kubernetes_endpoint_port_name'),
    ...(['Node', 'Pod'] as const).map((kind) => ({
      source_labels: [
        '__meta_kubernetes_endpoint_address_target_kind',
        '__meta_kubernetes_endpoint_address_target_name',
      ],
      separator: ';',
      target_label: kind.toLowerCase(),
      regex: `${kind};(.*)`,
      replacement: '$1',
    })),
    ...placeRules,
    ...runningRules(endpoint.filterRunning),
    ...targetLabelRules(spec.targetLabels, 'service'),
    ...targetLabelRules(spec.podTargetLabels, 'pod'),
    { ...copy('__meta_kubernetes_service_name', 'job'), replacement: '$1' },
    ...jobLabelRules(spec.jobLabel, 'service'),
    ...endpointRules(endpoint),
    ...relabelRules(endpoint.relabelings, { leaf, at: `${at}.relabelings` }),
    ...namespaceRules(settings, metadata.namespace),
    ...shardRules(settings.shards),
  ];
}
