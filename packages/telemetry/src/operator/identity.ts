import { events, type Identity, leases, type PolicyRule, type ResourceType, serviceAccount } from '@signalbox/cluster';
import type { RootComponent } from './component.ts';
import { collectedTypes } from './monitors/controller.ts';

/**
 * Who the operator acts as in a cluster that it is a part of, and what it may do there besides reading: write what its roots
 * own, their statuses and those of the monitors that they collect, say what happens, hold its lease. Against another cluster the kubeconfig says who it is.
 */
export function operatorIdentity(components: readonly RootComponent[]): Identity {
  const owned = new Map(components.flatMap(({ owns }) => owns.map((type) => [`${type.resource}.${type.group}`, type])));
  return {
    user: serviceAccount('kube-system', 'signalbox-operator'),
    role: 'signalbox:operator',
    rules: [
      may(events, ['create', 'patch']),
      may(leases, ['get', 'create', 'update']),
      // Whether agents have what was handed over to them.
      may({ group: '', resource: 'pods/proxy' }, ['get']),
      ...[...owned.values()].map((type) => may(type, ['create', 'update', 'patch', 'delete'])),
      ...[...components.map(({ rootType }) => rootType), ...collectedTypes(components)].map((type) =>
        may({ ...type, resource: `${type.resource}/status` }, ['update']),
      ),
    ],
  };
}

function may({ group, resource }: Pick<ResourceType, 'group' | 'resource'>, verbs: readonly string[]): PolicyRule {
  return { apiGroups: [group], resources: [resource], verbs };
}
