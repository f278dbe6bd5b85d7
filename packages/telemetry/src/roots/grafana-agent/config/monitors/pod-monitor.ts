import { constant, type RelabelRule } from '../../../../relabel/rule.ts';
import type { PodMetricsEndpoint, PodMonitor } from '../../../../resources/pod-monitor.ts';
import { relabelRules } from '../../../../scrape/checks.ts';
import type { Section } from '../../../../scrape/http.ts';
import type { Leaf } from '../../../../scrape/leaf.ts';
import { jobNameRule, portRules } from '../../../../scrape/target-rules.ts';
import { placementRules } from '../../../../sharding/placement.ts';
import { podEndpointFields, podMonitorFields } from '../fields/monitors.ts';
import { warnOfUnrendered } from '../fields/unrendered.ts';
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

/** One job per endpoint. */
export function podMonitorJobs(monitor: PodMonitor, settings: MetricsSettings, leaf: Leaf): readonly Section[] {
  const { metadata, spec } = monitor;
  warnOfUnrendered(spec, podMonitorFields, { leaf, at: 'spec' });
  return (spec.podMetricsEndpoints ?? []).map((endpoint, index) => {
    const scrape = { endpoint, settings, leaf, at: `spec.podMetricsEndpoints[${index}]` };
    return endpointJob(scrape, {
      name: `podMonitor/${metadata.namespace}/${metadata.name}/${index}`,
      role: 'pod',
      spec,
      fields: { spec: podMonitorFields, endpoint: podEndpointFields },
      rules: rules(monitor, scrape),
    });
  });
}

function rules(
  { metadata, spec }: PodMonitor,
  { endpoint, settings, leaf, at }: EndpointScrape<PodMetricsEndpoint>,
): readonly RelabelRule[] {
  return [
    jobNameRule,
    ...runningRules(endpoint.filterRunning),
    ...selectorRules(spec.selector, 'pod', { leaf, at: 'spec.selector' }),
    ...portRules(endpoint, '__meta_kubernetes_pod_container_port_name'),
    ...placeRules,
    ...targetLabelRules(spec.podTargetLabels, 'pod'),
    constant('job', `${metadata.namespace}/${metadata.name}`),
    ...jobLabelRules(spec.jobLabel, 'pod'),
    ...endpointRules(endpoint),
    ...relabelRules(endpoint.relabelings, { leaf, at: `${at}.relabelings` }),
    ...namespaceRules(settings, metadata.namespace),
    ...placementRules(settings.placement, { source: '__address__', takesWishes: false }),
  ];
}
