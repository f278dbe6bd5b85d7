import type { KubeObject, ResourceType } from '@signalbox/cluster';
import type { GrafanaAgent } from '../../resources/grafana-agent.ts';
import { type Integration, integrations } from '../../resources/integration.ts';
import { type LogsInstance, logsinstances } from '../../resources/logs-instance.ts';
import { type MetricsInstance, metricsinstances } from '../../resources/metrics-instance.ts';
import { type PodLogs, podlogs } from '../../resources/pod-logs.ts';
import { type PodMonitor, podmonitors } from '../../resources/pod-monitor.ts';
import { type Probe, probes } from '../../resources/probe.ts';
import { type ServiceMonitor, servicemonitors } from '../../resources/service-monitor.ts';
import type { Finding } from '../../world/findings.ts';
import { type Picking, picked } from '../../world/pick.ts';
import type { World } from '../../world/world.ts';

/** Everything that belongs to one GrafanaAgent, each list sorted by namespace and name. */
export interface AgentHierarchy {
  readonly metrics: readonly MetricsBranch[];
  readonly logs: readonly LogsBranch[];
  readonly integrations: readonly Integration[];
  /** Selectors that cannot be evaluated, which select nothing, and what was selected but says nothing. */
  readonly findings: readonly Finding[];
}

export interface MetricsBranch {
  readonly instance: MetricsInstance;
  readonly serviceMonitors: readonly ServiceMonitor[];
  readonly podMonitors: readonly PodMonitor[];
  readonly probes: readonly Probe[];
}

export interface LogsBranch {
  readonly instance: LogsInstance;
  readonly podLogs: readonly PodLogs[];
}

export function discoverAgent(root: GrafanaAgent, world: World): AgentHierarchy {
  const findings: Finding[] = [];
  const pick = <T extends KubeObject>(picking: Picking<T>): readonly T[] => picked(picking, { world, findings });
  return {
    metrics: pick(ofRoot(root).metrics).map((instance) => {
      const own = ofMetrics(instance);
      return {
        instance,
        serviceMonitors: pick(own.serviceMonitors),
        podMonitors: pick(own.podMonitors),
        probes: pick(own.probes),
      };
    }),
    logs: pick(ofRoot(root).logs).map((instance) => ({
      instance,
      podLogs: withSpec(pick(ofLogs(instance).podLogs), findings),
    })),
    integrations: withSpec(pick(ofRoot(root).integrations), findings),
    findings,
  };
}

/** The pairs of selectors by which it goes, and those of every instance there is, whether the root selects it or not. */
export function agentPickings(root: GrafanaAgent, world: World): readonly Picking[] {
  return [
    ...Object.values(ofRoot(root)),
    ...world.list(metricsinstances).flatMap((instance) => Object.values(ofMetrics(instance))),
    ...world.list(logsinstances).flatMap((instance) => Object.values(ofLogs(instance))),
  ];
}

function ofRoot(root: GrafanaAgent): {
  readonly metrics: Picking<MetricsInstance>;
  readonly logs: Picking<LogsInstance>;
  readonly integrations: Picking<Integration>;
} {
  const { metrics, logs, integrations: wanted } = root.spec;
  return {
    metrics: {
      type: metricsinstances,
      by: root,
      field: 'spec.metrics.instanceSelector',
      labels: metrics?.instanceSelector,
      namespacesField: 'spec.metrics.instanceNamespaceSelector',
      namespaces: metrics?.instanceNamespaceSelector,
    },
    logs: {
      type: logsinstances,
      by: root,
      field: 'spec.logs.instanceSelector',
      labels: logs?.instanceSelector,
      namespacesField: 'spec.logs.instanceNamespaceSelector',
      namespaces: logs?.instanceNamespaceSelector,
    },
    integrations: {
      type: integrations,
      by: root,
      field: 'spec.integrations.selector',
      labels: wanted?.selector,
      namespacesField: 'spec.integrations.namespaceSelector',
      namespaces: wanted?.namespaceSelector,
    },
  };
}

function ofMetrics(instance: MetricsInstance): {
  readonly serviceMonitors: Picking<ServiceMonitor>;
  readonly podMonitors: Picking<PodMonitor>;
  readonly probes: Picking<Probe>;
} {
  const monitors = <T extends KubeObject>(type: ResourceType<T>, kind: MonitorField): Picking<T> => ({
    type,
    by: instance,
    field: `spec.${kind}Selector`,
    labels: instance.spec?.[`${kind}Selector`],
    namespacesField: `spec.${kind}NamespaceSelector`,
    namespaces: instance.spec?.[`${kind}NamespaceSelector`],
  });
  return {
    serviceMonitors: monitors(servicemonitors, 'serviceMonitor'),
    podMonitors: monitors(podmonitors, 'podMonitor'),
    probes: monitors(probes, 'probe'),
  };
}

function ofLogs(instance: LogsInstance): { readonly podLogs: Picking<PodLogs> } {
  return {
    podLogs: {
      type: podlogs,
      by: instance,
      field: 'spec.podLogsSelector',
      labels: instance.spec?.podLogsSelector,
      namespacesField: 'spec.podLogsNamespaceSelector',
      namespaces: instance.spec?.podLogsNamespaceSelector,
    },
  };
}

/** How an instance's pairs of selectors begin. */
type MonitorField = 'podMonitor' | 'probe' | 'serviceMonitor';

/** Their definitions demand much of a spec, but no spec. */
function withSpec<T extends KubeObject & { readonly spec?: object }>(
  all: readonly T[],
  findings: Finding[],
): readonly T[] {
  return all.filter((object) => {
    if (object.spec !== undefined) return true;
    findings.push({
      severity: 'error',
      regarding: object,
      reason: 'InvalidField',
      field: 'spec',
      message: 'is missing',
    });
    return false;
  });
}
