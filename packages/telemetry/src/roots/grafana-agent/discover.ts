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
  const pick = <T extends KubeObject>(type: ResourceType<T>, by: Picking): readonly T[] =>
    picked(type, by, { world, findings });
  const { metrics, logs, integrations: wanted } = root.spec;
  return {
    metrics: pick(metricsinstances, {
      by: root,
      field: 'spec.metrics.instanceSelector',
      labels: metrics?.instanceSelector,
      namespaces: metrics?.instanceNamespaceSelector,
    }).map((instance) => {
      const monitors = <T extends KubeObject>(type: ResourceType<T>, kind: MonitorField): readonly T[] =>
        pick(type, {
          by: instance,
          field: `spec.${kind}Selector`,
          labels: instance.spec?.[`${kind}Selector`],
          namespaces: instance.spec?.[`${kind}NamespaceSelector`],
        });
      return {
        instance,
        serviceMonitors: monitors(servicemonitors, 'serviceMonitor'),
        podMonitors: monitors(podmonitors, 'podMonitor'),
        probes: monitors(probes, 'probe'),
      };
    }),
    logs: pick(logsinstances, {
      by: root,
      field: 'spec.logs.instanceSelector',
      labels: logs?.instanceSelector,
      namespaces: logs?.instanceNamespaceSelector,
    }).map((instance) => ({
      instance,
      podLogs: withSpec(
        pick(podlogs, {
          by: instance,
          field: 'spec.podLogsSelector',
          labels: instance.spec?.podLogsSelector,
          namespaces: instance.spec?.podLogsNamespaceSelector,
        }),
        findings,
      ),
    })),
    integrations: withSpec(
      pick(integrations, {
        by: root,
        field: 'spec.integrations.selector',
        labels: wanted?.selector,
        namespaces: wanted?.namespaceSelector,
      }),
      findings,
    ),
    findings,
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
