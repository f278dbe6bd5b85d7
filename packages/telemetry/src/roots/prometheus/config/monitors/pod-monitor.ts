import { constant, copy, copyIfSet, labelName, type RelabelRule } from '../../../../relabel/rule.ts';
import type { PodMetricsEndpoint, PodMonitor } from '../../../../resources/pod-monitor.ts';
import { kubernetesDiscovery } from '../../../../scrape/discovery.ts';
import { sectionOf } from '../../../../scrape/fields/table.ts';
import { given } from '../../../../scrape/given.ts';
import { checkOneLogin, type Section } from '../../../../scrape/http.ts';
import type { Leaf } from '../../../../scrape/leaf.ts';
import { jobNameRule, portRules } from '../../../../scrape/target-rules.ts';
import { podEndpointFields, podMonitorFields } from '../fields/monitors.ts';
import { warnOfUnrendered } from '../fields/unrendered.ts';
import type { PrometheusSettings, Scrape } from '../settings.ts';
import { classOf, endpointSection, enforcedNamespace, metricRules, ownRules, runningRules } from './endpoint.ts';
import { roleSelectors, selectorRules } from './selector.ts';
import { shardingRules } from './sharding.ts';

/** One job per endpoint. */
export function podMonitorJobs(monitor: PodMonitor, settings: PrometheusSettings, leaf: Leaf): readonly Section[] {
  warnOfUnrendered(monitor.spec, podMonitorFields, leaf);
  const scrapeClass = classOf(monitor.spec, settings, leaf);
  return (monitor.spec.podMetricsEndpoints ?? []).map((endpoint, index) =>
    job(monitor, {
      endpoint,
      index,
      settings,
      version: settings.version,
      leaf,
      scrapeClass,
      at: `spec.podMetricsEndpoints[${index}]`,
    }),
  );
}

interface EndpointScrape extends Scrape {
  readonly endpoint: PodMetricsEndpoint;
  readonly index: number;
}

function job({ metadata, spec }: PodMonitor, scrape: EndpointScrape): Section {
  const { endpoint, index, settings, leaf, scrapeClass, at } = scrape;
  const usesRoles = spec.selectorMechanism === 'RoleSelector';
  const enforced = enforcedNamespace(settings, 'podmonitors', metadata);
  const section: Section = {
    job_name: `podMonitor/${metadata.namespace}/${metadata.name}/${index}`,
    ...endpointSection(endpoint, podEndpointFields, scrape),
    kubernetes_sd_configs: [
      kubernetesDiscovery({
        role: 'pod',
        home: metadata.namespace ?? '',
        namespaces: spec.namespaceSelector,
        ignoreNamespaceSelectors: settings.ignoreNamespaceSelectors,
        apiServer: settings.apiServer,
        attachNode: spec.attachMetadata?.node ?? scrapeClass?.attachNode ?? false,
        ...(usesRoles && { selectors: roleSelectors(spec.selector, ['pod'], { leaf, at: 'spec.selector' }) }),
      }),
    ],
    relabel_configs: [
      jobNameRule,
      ...runningRules(endpoint.filterRunning),
      ...(usesRoles ? [] : selectorRules(spec.selector, 'pod', { leaf, at: 'spec.selector' })),
      ...labelRules({ metadata, spec }, scrape),
      ...ownRules(endpoint.relabelings, { scrape, field: `${at}.relabelings`, enforced }),
      ...shardingRules('__address__', settings.sharding),
    ],
    ...sectionOf(spec, podMonitorFields, { ...scrape, at: 'spec' }),
    ...given({
      metric_relabel_configs: metricRules(endpoint.metricRelabelings, {
        scrape,
        field: `${at}.metricRelabelings`,
        enforced,
      }),
    }),
  };
  checkOneLogin(section, { leaf, at });
  return section;
}

function labelRules(
  { metadata, spec }: Pick<PodMonitor, 'metadata' | 'spec'>,
  { endpoint, settings }: EndpointScrape,
): readonly RelabelRule[] {
  // A port's number never became a label, unlike its name; targetPort does, also where portNumber is what finds the port.
  const port = endpoint.port || String(endpoint.targetPort ?? '');
  return [
    ...portRules(endpoint, '__meta_kubernetes_pod_container_port_name'),
    copy('__meta_kubernetes_namespace', 'namespace'),
    copy('__meta_kubernetes_pod_container_name', 'container'),
    copy('__meta_kubernetes_pod_name', 'pod'),
    ...[...(spec.podTargetLabels ?? []), ...settings.podTargetLabels].map((label) =>
      copyIfSet(`__meta_kubernetes_pod_label_${labelName(label)}`, labelName(label)),
    ),
    constant('job', `${metadata.namespace}/${metadata.name}`),
    ...(spec.jobLabel ? [copyIfSet(`__meta_kubernetes_pod_label_${labelName(spec.jobLabel)}`, 'job')] : []),
    ...(port === '' ? [] : [constant('endpoint', port)]),
  ];
}
