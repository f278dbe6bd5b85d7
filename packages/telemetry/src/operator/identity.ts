import {
  customresourcedefinitions,
  endpoints,
  events,
  type Identity,
  leases,
  nodes,
  type PolicyRule,
  type ResourceType,
  resourceId,
  serviceAccount,
  services,
} from '@signalbox/cluster';
import { definitionNames } from '../resources/bare-crds.ts';
import type { RootComponent } from './component.ts';
import { collectedTypes } from './monitors/controller.ts';
import { sightTypes } from './monitors/reach.ts';

/** What the operator has to be allowed on a cluster that it is no part of. */
export interface OperatorRights {
  /** Of what belongs to no namespace: it is only read. */
  readonly cluster: readonly PolicyRule[];
  /** In every namespace that it looks after. */
  readonly namespaced: readonly PolicyRule[];
  /** Besides, for `--kubelet-service`. */
  readonly kubeletService: Pick<OperatorRights, 'cluster' | 'namespaced'>;
  /** Besides, for `--install-crds`. */
  readonly definitions: readonly PolicyRule[];
  /** Where the lease is. */
  lease(name: string): readonly PolicyRule[];
}

/** Reading is listing and watching: nothing but the lease, the definitions and pages of pods is got by its name. */
export function operatorRights(components: readonly RootComponent[]): OperatorRights {
  const read = unique([
    ...components.flatMap(({ rootType, reads, owns }) => [rootType, ...reads, ...owns]),
    ...collectedTypes(components),
    ...sightTypes,
  ]);
  const names = definitionNames();
  return {
    cluster: [
      may(customresourcedefinitions, ['get', 'list', 'watch']),
      ...read.filter(({ namespaced }) => !namespaced).map((type) => may(type, ['list', 'watch'])),
    ],
    namespaced: [
      ...read.filter(({ namespaced }) => namespaced).map((type) => may(type, ['list', 'watch'])),
      ...writes(components),
    ],
    kubeletService: {
      cluster: [may(nodes, ['list', 'watch'])],
      namespaced: [may(services, ['create', 'update']), may(endpoints, ['list', 'watch', 'create', 'update'])],
    },
    definitions: [
      may(customresourcedefinitions, ['create']),
      { ...may(customresourcedefinitions, ['patch']), resourceNames: names },
    ],
    // Who may create cannot be held to a name.
    lease: (name) => [may(leases, ['create']), { ...may(leases, ['get', 'update']), resourceNames: [name] }],
  };
}

/**
 * Who the operator acts as in a cluster that it is a part of, and what it may do there besides reading. Against another cluster the
 * kubeconfig says who it is, and {@link operatorRights} what that one has to be allowed.
 */
export function operatorIdentity(components: readonly RootComponent[]): Identity {
  return {
    user: serviceAccount('kube-system', 'signalbox-operator'),
    role: 'signalbox:operator',
    rules: [may(leases, ['get', 'create', 'update']), ...writes(components)],
  };
}

/** What its roots own, their statuses and those of the monitors that they collect, what it says of what happens. */
function writes(components: readonly RootComponent[]): readonly PolicyRule[] {
  const roots = components.map(({ rootType }) => rootType);
  return [
    may(events, ['create', 'patch']),
    // Whether agents have what was handed over to them.
    may(below({ group: '', resource: 'pods' }, 'proxy'), ['get']),
    ...unique(components.flatMap(({ owns }) => owns)).map((type) => may(type, ['create', 'update', 'delete'])),
    ...unique(components.flatMap(({ patches }) => patches)).map((type) => may(type, ['patch'])),
    ...[...roots, ...collectedTypes(components)].map((type) => may(below(type, 'status'), ['update'])),
    // Whoever makes an owner wait for what it owns has to be allowed so, where OwnerReferencesPermissionEnforcement is on (OpenShift).
    ...roots.map((type) => may(below(type, 'finalizers'), ['update'])),
  ];
}

type Named = Pick<ResourceType, 'group' | 'resource'>;

function below({ group, resource }: Named, subresource: string): Named {
  return { group, resource: `${resource}/${subresource}` };
}

function unique(types: readonly ResourceType[]): readonly ResourceType[] {
  return [...new Map(types.map((type) => [resourceId(type), type])).values()];
}

function may({ group, resource }: Named, verbs: readonly string[]): PolicyRule {
  return { apiGroups: [group], resources: [resource], verbs };
}
