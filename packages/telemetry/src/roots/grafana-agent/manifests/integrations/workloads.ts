import type { DaemonSet, Deployment, New } from '@signalbox/cluster';
import { inheritedAnnotations, ownerReferences } from '../../../../manifests/owner.ts';
import { type GrafanaAgent, grafanaagents } from '../../../../resources/grafana-agent.ts';
import { given } from '../../../../scrape/given.ts';
import { type AgentOptions, selectorLabels, workloadLabels } from '../labels.ts';
import { type PodShape, podTemplate } from '../pod-template.ts';
import { integrationsName, type Kind } from './shape.ts';

/** The agents that run integrations: one pod for those that need one, a pod on every node for those that need all. */
export function integrationsDeployment(root: GrafanaAgent, shape: PodShape, options: AgentOptions): New<Deployment> {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadata(root, { kind: 'deploy', shape, options }),
    spec: {
      strategy: { type: 'RollingUpdate' },
      selector: { matchLabels: selectorLabels(root, shape.workload, options) },
      template: podTemplate(root, shape, options),
    },
  };
}

export function integrationsDaemonSet(root: GrafanaAgent, shape: PodShape, options: AgentOptions): New<DaemonSet> {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: metadata(root, { kind: 'ds', shape, options }),
    spec: {
      updateStrategy: { type: 'RollingUpdate' },
      selector: { matchLabels: selectorLabels(root, shape.workload, options) },
      template: podTemplate(root, shape, options),
    },
  };
}

function metadata(
  root: GrafanaAgent,
  { kind, shape, options }: { readonly kind: Kind; readonly shape: PodShape; readonly options: AgentOptions },
): New<DaemonSet>['metadata'] {
  const owners = ownerReferences(root, grafanaagents);
  return {
    name: integrationsName(root, kind),
    namespace: root.metadata.namespace ?? '',
    labels: workloadLabels(root, shape.workload, options),
    ...given({ annotations: inheritedAnnotations(root) }),
    ...(owners !== undefined && { ownerReferences: owners }),
  };
}
