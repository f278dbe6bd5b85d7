import type { KubeObject, ResourceType } from '@signalbox/cluster';
import { type PodMonitor, podmonitors } from '../../resources/pod-monitor.ts';
import { type Probe, probes } from '../../resources/probe.ts';
import type { Prometheus } from '../../resources/prometheus.ts';
import type { PrometheusAgent } from '../../resources/prometheus-agent.ts';
import { type ScrapeConfig, scrapeconfigs } from '../../resources/scrape-config.ts';
import { type ServiceMonitor, servicemonitors } from '../../resources/service-monitor.ts';
import type { Finding } from '../../world/findings.ts';
import { type Picking, picked } from '../../world/pick.ts';
import type { World } from '../../world/world.ts';

/** Everything that one Prometheus or PrometheusAgent selects, each list sorted by namespace and name. */
export interface PrometheusHierarchy {
  readonly serviceMonitors: readonly ServiceMonitor[];
  readonly podMonitors: readonly PodMonitor[];
  readonly probes: readonly Probe[];
  readonly scrapeConfigs: readonly ScrapeConfig[];
  /** Selectors that cannot be evaluated: they select nothing. */
  readonly findings: readonly Finding[];
}

type Chosen = 'podMonitor' | 'probe' | 'scrapeConfig' | 'serviceMonitor';

export function discoverPrometheus(root: Prometheus | PrometheusAgent, world: World): PrometheusHierarchy {
  const findings: Finding[] = [];
  const pick = <T extends KubeObject>(type: ResourceType<T>, what: Chosen): readonly T[] =>
    picked(picking(root, type, what), { world, findings });
  return {
    serviceMonitors: pick(servicemonitors, 'serviceMonitor'),
    podMonitors: pick(podmonitors, 'podMonitor'),
    probes: pick(probes, 'probe'),
    scrapeConfigs: pick(scrapeconfigs, 'scrapeConfig'),
    findings,
  };
}

/** The pairs of selectors by which it goes. */
export function prometheusPickings(root: Prometheus | PrometheusAgent): readonly Picking[] {
  return [
    picking(root, servicemonitors, 'serviceMonitor'),
    picking(root, podmonitors, 'podMonitor'),
    picking(root, probes, 'probe'),
    picking(root, scrapeconfigs, 'scrapeConfig'),
  ];
}

function picking<T extends KubeObject>(
  root: Prometheus | PrometheusAgent,
  type: ResourceType<T>,
  what: Chosen,
): Picking<T> {
  return {
    type,
    by: root,
    field: `spec.${what}Selector`,
    labels: root.spec[`${what}Selector`],
    namespacesField: `spec.${what}NamespaceSelector`,
    namespaces: root.spec[`${what}NamespaceSelector`],
  };
}

/** Whatever is selected, in the order in which people read it. */
export function monitorsOf(hierarchy: PrometheusHierarchy): readonly KubeObject[] {
  const { serviceMonitors, podMonitors, probes: probing, scrapeConfigs } = hierarchy;
  return [...serviceMonitors, ...podMonitors, ...probing, ...scrapeConfigs];
}
