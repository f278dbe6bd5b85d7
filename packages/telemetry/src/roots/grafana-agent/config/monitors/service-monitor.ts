import { copy, type RelabelRule } from '../../../../relabel/rule.ts';
import type { ServiceMonitor, ServiceMonitorEndpoint } from '../../../../resources/service-monitor.ts';
import { relabelRules } from '../../../../scrape/checks.ts';
import { denyFiles } from '../../../../scrape/files.ts';
import type { Section } from '../../../../scrape/http.ts';
import type { Leaf } from '../../../../scrape/leaf.ts';
import { jobNameRule, portRules } from '../../../../scrape/target-rules.ts';
import { placementRules } from '../../../../sharding/placement.ts';
import { serviceEndpointFields, serviceMonitorFields } from '../fields/monitors.ts';
import { warnOfUnrendered } from '../fields/unrendered.ts';
import { forbidden } from '../files.ts';
import type { MetricsSettings } from '../settings.ts';
import { type EndpointScrape, endpointJob } from './endpoint.ts';
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
  warnOfUnrendered(spec, serviceMonitorFields, { leaf, at: 'spec' });
  if (settings.denyFileAccess)
    spec.endpoints.forEach((endpoint, index) => {
      denyFiles(endpoint, { leaf, at: `spec.endpoints[${index}]`, forbidden });
    });
  return spec.endpoints.map((endpoint, index) => {
    const scrape = { endpoint, settings, leaf, at: `spec.endpoints[${index}]` };
    return endpointJob(scrape, {
      name: `serviceMonitor/${metadata.namespace}/${metadata.name}/${index}`,
      role: 'endpoints',
      spec,
      fields: { spec: serviceMonitorFields, endpoint: serviceEndpointFields },
      rules: rules(monitor, scrape),
    });
  });
}

function rules(
  { metadata, spec }: ServiceMonitor,
  { endpoint, settings, leaf, at }: EndpointScrape<ServiceMonitorEndpoint>,
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
    ...placementRules(settings.placement, { source: '__address__', takesWishes: false }),
  ];
}
