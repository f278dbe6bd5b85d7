import { freeze } from '@signalbox/cluster';
import { constant, copy, copyIfSet, labelName, type RelabelRule } from '../../../../relabel/rule.ts';
import type { ServiceMonitor, ServiceMonitorEndpoint } from '../../../../resources/service-monitor.ts';
import { kubernetesDiscovery } from '../../../../scrape/discovery.ts';
import { sectionOf } from '../../../../scrape/fields/table.ts';
import { denyFiles } from '../../../../scrape/files.ts';
import { given } from '../../../../scrape/given.ts';
import { checkOneLogin, type Section } from '../../../../scrape/http.ts';
import type { Leaf } from '../../../../scrape/leaf.ts';
import { jobNameRule, portRules } from '../../../../scrape/target-rules.ts';
import { serviceEndpointFields, serviceMonitorFields } from '../fields/monitors.ts';
import { warnOfUnrendered } from '../fields/unrendered.ts';
import type { PrometheusSettings, Scrape } from '../settings.ts';
import { classOf, endpointSection, enforcedNamespace, metricRules, ownRules, runningRules } from './endpoint.ts';
import { roleSelectors, selectorRules } from './selector.ts';
import { shardingRules } from './sharding.ts';

/** One job per endpoint. The leaf is rejected when the monitor may not or cannot be scraped. */
export function serviceMonitorJobs(
  monitor: ServiceMonitor,
  settings: PrometheusSettings,
  leaf: Leaf,
): readonly Section[] {
  warnOfUnrendered(monitor.spec, serviceMonitorFields, leaf);
  const scrapeClass = classOf(monitor.spec, settings, leaf);
  if (settings.denyFileAccess)
    for (const [index, endpoint] of monitor.spec.endpoints.entries())
      denyFiles(endpoint, { leaf, at: `spec.endpoints[${index}]`, forbidden });
  return monitor.spec.endpoints.map((endpoint, index) =>
    job(monitor, {
      endpoint,
      index,
      settings,
      version: settings.version,
      leaf,
      scrapeClass,
      at: `spec.endpoints[${index}]`,
    }),
  );
}

interface EndpointScrape extends Scrape {
  readonly endpoint: ServiceMonitorEndpoint;
  readonly index: number;
}

function job(monitor: ServiceMonitor, scrape: EndpointScrape): Section {
  const { endpoint, index, settings, leaf, at } = scrape;
  const { metadata, spec } = monitor;
  const section: Section = {
    job_name: `serviceMonitor/${metadata.namespace}/${metadata.name}/${index}`,
    ...endpointSection(endpoint, serviceEndpointFields, scrape),
    kubernetes_sd_configs: [discovery(monitor, scrape)],
    relabel_configs: rules(monitor, scrape),
    ...sectionOf(spec, serviceMonitorFields, { ...scrape, at: 'spec' }),
    ...given({
      metric_relabel_configs: metricRules(endpoint.metricRelabelings, {
        scrape,
        field: `${at}.metricRelabelings`,
        enforced: enforcedNamespace(settings, 'servicemonitors', metadata),
      }),
    }),
  };
  checkOneLogin(section, { leaf, at });
  return section;
}

function discovery({ metadata, spec }: ServiceMonitor, { settings, leaf, scrapeClass }: EndpointScrape): Section {
  const role = roleOf(spec, settings);
  return kubernetesDiscovery({
    role,
    home: metadata.namespace ?? '',
    namespaces: spec.namespaceSelector,
    ignoreNamespaceSelectors: settings.ignoreNamespaceSelectors,
    apiServer: settings.apiServer,
    attachNode: spec.attachMetadata?.node ?? scrapeClass?.attachNode ?? false,
    ...(usesRoles(spec) && {
      selectors: roleSelectors(spec.selector, [role, 'service'], { leaf, at: 'spec.selector' }),
    }),
  });
}

function rules({ metadata, spec }: ServiceMonitor, scrape: EndpointScrape): readonly RelabelRule[] {
  const { endpoint, settings, leaf, at } = scrape;
  const slice = roleOf(spec, settings) === 'endpointslice' ? 'endpointslice' : 'endpoint';
  const port = endpoint.port || String(endpoint.targetPort ?? '');
  return [
    jobNameRule,
    ...(usesRoles(spec) ? [] : selectorRules(spec.selector, 'service', { leaf, at: 'spec.selector' })),
    ...portRules(endpoint, `__meta_kubernetes_${slice}_port_name`),
    ...attachedRules[slice],
    ...runningRules(endpoint.filterRunning),
    ...(spec.targetLabels ?? []).map((label) =>
      copyIfSet(`__meta_kubernetes_service_label_${labelName(label)}`, labelName(label)),
    ),
    ...[...(spec.podTargetLabels ?? []), ...settings.podTargetLabels].map((label) =>
      copyIfSet(`__meta_kubernetes_pod_label_${labelName(label)}`, labelName(label)),
    ),
    jobRule,
    ...(spec.jobLabel ? [copyIfSet(`__meta_kubernetes_service_label_${labelName(spec.jobLabel)}`, 'job')] : []),
    ...(port === '' ? [] : [constant('endpoint', port)]),
    ...ownRules(endpoint.relabelings, {
      scrape,
      field: `${at}.relabelings`,
      enforced: enforcedNamespace(settings, 'servicemonitors', metadata),
    }),
    ...shardingRules('__address__', settings.sharding),
  ];
}

/** What every target gets from what it was found by. */
const attachedRules = freeze({ endpoint: attached('endpoint'), endpointslice: attached('endpointslice') });

function attached(slice: 'endpoint' | 'endpointslice'): readonly RelabelRule[] {
  const target = [`__meta_kubernetes_${slice}_address_target_kind`, `__meta_kubernetes_${slice}_address_target_name`];
  return [
    ...(['Node', 'Pod'] as const).map((kind) => ({
      source_labels: target,
      separator: ';',
      target_label: kind.toLowerCase(),
      regex: `${kind};(.*)`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the replacement of a relabelling rule.
      replacement: '${1}',
    })),
    copy('__meta_kubernetes_namespace', 'namespace'),
    copy('__meta_kubernetes_service_name', 'service'),
    copy('__meta_kubernetes_pod_name', 'pod'),
    copy('__meta_kubernetes_pod_container_name', 'container'),
  ];
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: the replacement of a relabelling rule.
const jobRule: RelabelRule = freeze({ ...copy('__meta_kubernetes_service_name', 'job'), replacement: '${1}' });

function roleOf(
  { serviceDiscoveryRole }: ServiceMonitor['spec'],
  { discoveryRole }: PrometheusSettings,
): 'endpoints' | 'endpointslice' {
  if (serviceDiscoveryRole === undefined) return discoveryRole;
  return serviceDiscoveryRole === 'EndpointSlice' ? 'endpointslice' : 'endpoints';
}

function usesRoles({ selectorMechanism }: ServiceMonitor['spec']): boolean {
  return selectorMechanism === 'RoleSelector';
}

const forbidden = "the root's arbitraryFSAccessThroughSMs.deny forbids files of the Prometheus container";
