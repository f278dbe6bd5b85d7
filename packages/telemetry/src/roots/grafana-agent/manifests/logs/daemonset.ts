import type { DaemonSet, New } from '@signalbox/cluster';
import { inheritedAnnotations, ownerReferences } from '../../../../manifests/owner.ts';
import { type GrafanaAgent, grafanaagents } from '../../../../resources/grafana-agent.ts';
import { given } from '../../../../scrape/given.ts';
import { type AgentOptions, selectorLabels, workloadLabels } from '../labels.ts';
import { type PodShape, podTemplate } from '../pod-template.ts';

/** The agents that tail the logs, one on every node. */
export function logsDaemonSet(root: GrafanaAgent, options: AgentOptions): New<DaemonSet> {
  const shape = logsShape(root);
  const owners = ownerReferences(root, grafanaagents);
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: {
      name: logsName(root),
      namespace: root.metadata.namespace ?? '',
      labels: workloadLabels(root, shape.workload, options),
      ...given({ annotations: inheritedAnnotations(root) }),
      ...(owners !== undefined && { ownerReferences: owners }),
    },
    spec: {
      updateStrategy: { type: 'RollingUpdate' },
      selector: { matchLabels: selectorLabels(root, shape.workload, options) },
      template: podTemplate(root, shape, options),
    },
  };
}

export function logsName({ metadata }: GrafanaAgent): string {
  return `${metadata.name}-logs`;
}

export function logsShape(root: GrafanaAgent): PodShape {
  return {
    workload: { type: 'logs' },
    configSecret: `${logsName(root)}-config`,
    env: [
      // The agent tails only what runs on the node of this name.
      { name: 'HOSTNAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      { name: 'SHARD', value: '0' },
    ],
    volumes: [
      { name: 'varlog', hostPath: { path: '/var/log' } },
      { name: 'dockerlogs', hostPath: { path: '/var/lib/docker/containers' } },
      { name: 'data', hostPath: { path: '/var/lib/grafana-agent/data' } },
    ],
    volumeMounts: [
      { name: 'varlog', mountPath: '/var/log', readOnly: true },
      { name: 'dockerlogs', mountPath: '/var/lib/docker/containers', readOnly: true },
      { name: 'data', mountPath: '/var/lib/grafana-agent/data' },
    ],
    isPrivileged: true,
  };
}
