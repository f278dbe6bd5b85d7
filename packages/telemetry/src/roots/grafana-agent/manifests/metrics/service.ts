import type { New, Service } from '@signalbox/cluster';
import { ownerReferences } from '../../../../manifests/owner.ts';
import { type GrafanaAgent, grafanaagents } from '../../../../resources/grafana-agent.ts';
import type { AgentDoor } from '../../../../sharding/agents.ts';
import { type AgentOptions, managedBy } from '../labels.ts';
import { portName } from '../pod-template.ts';

/** Where the agents serve their pages. */
const agentPort = 8080;

/** How they are asked there. */
export const agentDoor: AgentDoor = { scheme: 'http', port: agentPort, prefix: '', speaks: 'grafana-agent' };

/** The headless Service that gives the shards' pods their names. */
export function governingService(root: GrafanaAgent, options: AgentOptions): New<Service> {
  const { name, namespace = '' } = root.metadata;
  const owners = ownerReferences(root, grafanaagents);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: serviceName(root),
      namespace,
      labels: {
        'app.kubernetes.io/managed-by': managedBy,
        'operator.agent.grafana.com/name': name,
        'operated-agent': 'true',
        ...options.labels,
      },
      ...(owners !== undefined && { ownerReferences: owners }),
    },
    spec: {
      clusterIP: 'None',
      ports: [{ name: portName(root), port: agentPort, targetPort: portName(root) }],
      selector: { 'app.kubernetes.io/name': 'grafana-agent', 'operator.agent.grafana.com/name': name },
    },
  };
}

export function serviceName({ metadata }: GrafanaAgent): string {
  return `${metadata.name}-operated`;
}
