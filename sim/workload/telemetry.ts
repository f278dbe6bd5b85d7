import { type KubeObject, type New, type ResourceType, resourceType } from '@signalbox/cluster';
import { chance, namespacePool, pick } from '../manifests.ts';
import { anyPolicy, deleteAny, patchAny, type RandomOperation } from './operation.ts';

const agents: ResourceType = resourceType({
  group: 'monitoring.grafana.com',
  version: 'v1alpha1',
  resource: 'grafanaagents',
  kind: 'GrafanaAgent',
  namespaced: true,
});
const instances: ResourceType = resourceType({
  group: 'monitoring.grafana.com',
  version: 'v1alpha1',
  resource: 'metricsinstances',
  kind: 'MetricsInstance',
  namespaced: true,
});
const monitors: ResourceType = resourceType({
  group: 'monitoring.coreos.com',
  version: 'v1',
  resource: 'servicemonitors',
  kind: 'ServiceMonitor',
  namespaced: true,
});

function create(
  type: ResourceType,
  { weight, spec }: { readonly weight: number; readonly spec: object },
): RandomOperation {
  return {
    name: `create one of ${type.resource}`,
    weight,
    async run({ client, random, signal }) {
      const metadata = { namespace: pick(random, namespacePool), name: `${type.resource}-${random.below(2)}` };
      const apiVersion = `${type.group}/${type.version}`;
      await client.create(type, { apiVersion, kind: type.kind, metadata, spec } as New<KubeObject>, { signal });
      return `${metadata.namespace}/${metadata.name}`;
    },
  };
}

/** What people do with the operator's resources; without its definitions the API knows nothing of them. */
export const telemetryOperations: readonly RandomOperation[] = [
  create(agents, { weight: 3, spec: { metrics: { instanceSelector: {} }, logs: { instanceSelector: {} } } }),
  create(instances, { weight: 3, spec: { serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: {} } }),
  create(monitors, {
    weight: 3,
    spec: { selector: {}, endpoints: [{ port: 'http', bearerTokenSecret: { name: 'secret-0', key: 'a' } }] },
  }),
  {
    name: 'change the shards of an agent',
    weight: 3,
    run: (doing) =>
      patchAny(agents, doing, (random) => ({
        spec: {
          metrics: { shards: 1 + random.below(3), replicas: 1 + random.below(2) },
          logs: chance(random, 0.7) ? { instanceSelector: {} } : null,
        },
      })),
  },
  { name: 'delete an agent', weight: 1, run: (doing) => deleteAny(agents, doing, anyPolicy) },
  { name: 'delete an instance', weight: 1, run: (doing) => deleteAny(instances, doing, anyPolicy) },
  { name: 'delete a monitor', weight: 1, run: (doing) => deleteAny(monitors, doing, anyPolicy) },
];
