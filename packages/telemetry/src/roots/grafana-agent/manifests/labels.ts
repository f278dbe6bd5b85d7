import type { Labels } from '@signalbox/cluster';
import type { GrafanaAgent } from '../../../resources/grafana-agent.ts';

/** What an operator is told once for all roots. */
export interface AgentOptions {
  /** What the pods' `app.kubernetes.io/version` label says, e.g. `v0.44.8`. */
  readonly operatorVersion: string;
  /** The agent's version where the root names none. */
  readonly agentVersion: string;
  /** The config reloader's version where the root names none. */
  readonly configReloaderVersion: string;
  /** Put on every object, and into the selectors; wins over all other labels. */
  readonly labels: Labels;
  /** A label selector as text: roots that it does not match are left to another operator. Empty: all are ours. */
  readonly agentSelector: string;
}

/** Those of the last Agent Operator, so that a running installation is taken over without a restart. */
export const defaultAgentOptions: AgentOptions = Object.freeze({
  operatorVersion: 'v0.44.8',
  agentVersion: 'v0.44.8',
  configReloaderVersion: 'v0.67.1',
  labels: {},
  agentSelector: '',
});

export const managedBy = 'grafana-agent-operator';

export interface Workload {
  readonly type: 'integrations' | 'logs' | 'metrics';
  /** Absent for logs. */
  readonly shard?: number;
}

/** What the workload finds its pods by. It can never change, so it must stay what it was. */
export function selectorLabels({ metadata }: GrafanaAgent, workload: Workload, options: AgentOptions): Labels {
  return {
    'app.kubernetes.io/name': 'grafana-agent',
    'app.kubernetes.io/instance': metadata.name,
    'grafana-agent': metadata.name,
    'app.kubernetes.io/managed-by': managedBy,
    'operator.agent.grafana.com/name': metadata.name,
    'operator.agent.grafana.com/type': workload.type,
    ...(workload.shard !== undefined && { 'operator.agent.grafana.com/shard': String(workload.shard) }),
    ...options.labels,
  };
}

export function podLabels(root: GrafanaAgent, workload: Workload, options: AgentOptions): Labels {
  return {
    'app.kubernetes.io/version': versionLabel(options.operatorVersion),
    ...root.spec.podMetadata?.labels,
    ...selectorLabels(root, workload, options),
  };
}

/** The pods' labels without the version: a new operator must not make a workload look changed. */
export function workloadLabels(root: GrafanaAgent, workload: Workload, options: AgentOptions): Labels {
  const { 'app.kubernetes.io/version': _version, ...labels } = podLabels(root, workload, options);
  return labels;
}

export function configSecretLabels(options: AgentOptions): Labels {
  return { ...options.labels, 'app.kubernetes.io/managed-by': managedBy };
}

function versionLabel(version: string): string {
  return version
    .toLowerCase()
    .replace(/[^-a-z0-9]/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '');
}
