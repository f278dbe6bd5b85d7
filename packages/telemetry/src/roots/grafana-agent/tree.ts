import type { KubeObject, New } from '@signalbox/cluster';
import type { GrafanaAgent } from '../../resources/grafana-agent.ts';
import type { TreeNode } from '../../tree/tree.ts';
import { treeNodes, workloadNodes } from '../../tree/tree-nodes.ts';
import type { Finding } from '../../world/findings.ts';
import type { AgentHierarchy } from './discover.ts';

interface Built {
  readonly findings: readonly Finding[];
  readonly objects: readonly New<KubeObject>[];
}

/** A root's hierarchy, with what is wrong beside each object and the generated workloads last. */
export function agentTree(root: GrafanaAgent, hierarchy: AgentHierarchy, { findings, objects }: Built): TreeNode {
  const node = treeNodes(findings);
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
    ...workloadNodes(objects),
  ]);
}
