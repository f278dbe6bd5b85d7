import type { KubeObject, New } from '@signalbox/cluster';
import type { Finding } from '../component.ts';
import type { GrafanaAgent } from '../resources/grafana-agent.ts';
import type { AgentHierarchy } from './agent.ts';
import type { TreeNode } from './tree.ts';

interface Built {
  readonly findings: readonly Finding[];
  readonly objects: readonly New<KubeObject>[];
}

/** A root's hierarchy, with what is wrong beside each object and the generated workloads last. */
export function agentTree(root: GrafanaAgent, hierarchy: AgentHierarchy, { findings, objects }: Built): TreeNode {
  const problemsBy = new Map<KubeObject, string[]>();
  for (const { regarding, severity, field, message } of findings) {
    const line = `${severity}: ${field === '' ? '' : `${field}: `}${message}`;
    problemsBy.set(regarding, [...(problemsBy.get(regarding) ?? []), line]);
  }
  const node = (object: KubeObject, children: readonly TreeNode[] = []): TreeNode => ({
    kind: object.kind,
    key: keyOf(object),
    problems: problemsBy.get(object) ?? [],
    children,
  });
  return node(root, [
    ...hierarchy.metrics.map(({ instance, serviceMonitors, podMonitors, probes }) =>
      node(
        instance,
        [...serviceMonitors, ...podMonitors, ...probes].map((monitor) => node(monitor)),
      ),
    ),
    ...hierarchy.logs.map(({ instance, podLogs }) =>
      node(
        instance,
        podLogs.map((logs) => node(logs)),
      ),
    ),
    ...hierarchy.integrations.map((integration) => node(integration)),
    ...objects.filter(({ kind }) => workloadKinds.has(kind)).map(workloadNode),
  ]);
}

const workloadKinds: ReadonlySet<string> = new Set(['DaemonSet', 'Deployment', 'StatefulSet']);

function workloadNode(object: New<KubeObject>): TreeNode {
  const { replicas } = (object as { readonly spec?: { readonly replicas?: number } }).spec ?? {};
  return {
    kind: object.kind,
    key: keyOf(object),
    notes: replicas === undefined ? [] : [replicas === 1 ? '1 replica' : `${replicas} replicas`],
  };
}

function keyOf({ metadata }: New<KubeObject> | KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}
