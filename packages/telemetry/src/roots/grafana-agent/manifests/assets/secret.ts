import type { New, Secret } from '@signalbox/cluster';
import { ownerReferences } from '../../../../manifests/owner.ts';
import { type GrafanaAgent, grafanaagents } from '../../../../resources/grafana-agent.ts';
import { managedBy } from '../labels.ts';

/** Copies of everything that the hierarchy refers to, so that the agents can read it from their own namespace. */
export function assetsSecret(root: GrafanaAgent, content: NonNullable<Secret['data']>): New<Secret> {
  const owners = ownerReferences(root, grafanaagents);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `${root.metadata.name}-secrets`,
      namespace: root.metadata.namespace ?? '',
      labels: { 'app.kubernetes.io/managed-by': managedBy },
      ...(owners !== undefined && { ownerReferences: owners }),
    },
    data: content,
    type: 'Opaque',
  };
}
