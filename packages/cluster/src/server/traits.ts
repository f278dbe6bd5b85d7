/**
 * How Kubernetes 1.34 treats each resource beyond what its definition says: facts of its storage strategies that clients
 * can observe. Custom resources share one set.
 */
export interface Traits {
  /** `metadata.generation` counts changes of the desired state. */
  readonly counted: boolean;
  /** An update without a resourceVersion is taken as "whatever stands there now". */
  readonly updatesUnconditionally: boolean;
  /** An update of a missing object creates it. */
  readonly createsOnUpdate: boolean;
  /** A delete answers with the last state of the object, not with a Status. */
  readonly returnsDeleted: boolean;
  /** Dependents outlive the object when the request names no propagation policy. */
  readonly orphansByDefault: boolean;
  readonly verbs: readonly ApiVerb[];
}

export type ApiVerb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

const storedVerbs: readonly ApiVerb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

const counted = new Set([
  '/pods',
  '/replicationcontrollers',
  'apiextensions.k8s.io/customresourcedefinitions',
  'apps/daemonsets',
  'apps/deployments',
  'apps/replicasets',
  'apps/statefulsets',
  'batch/cronjobs',
  'batch/jobs',
  'discovery.k8s.io/endpointslices',
  'networking.k8s.io/ingressclasses',
  'networking.k8s.io/ingresses',
  'networking.k8s.io/networkpolicies',
  'networking.k8s.io/servicecidrs',
  'policy/poddisruptionbudgets',
  'scheduling.k8s.io/priorityclasses',
]);

const conditionalOnly = new Set([
  'apiextensions.k8s.io/customresourcedefinitions',
  'coordination.k8s.io/leases',
  'networking.k8s.io/servicecidrs',
  'node.k8s.io/runtimeclasses',
  'policy/poddisruptionbudgets',
  'storage.k8s.io/csidrivers',
  'storage.k8s.io/csinodes',
  'storage.k8s.io/csistoragecapacities',
  'storage.k8s.io/volumeattachments',
]);

const createsOnUpdate = new Set([
  '/endpoints',
  '/events',
  '/limitranges',
  '/podtemplates',
  '/services',
  'coordination.k8s.io/leases',
  'events.k8s.io/events',
  'rbac.authorization.k8s.io/clusterrolebindings',
  'rbac.authorization.k8s.io/clusterroles',
  'rbac.authorization.k8s.io/rolebindings',
  'rbac.authorization.k8s.io/roles',
]);

const returnsDeleted = new Set([
  '/persistentvolumeclaims',
  '/persistentvolumes',
  '/pods',
  '/podtemplates',
  '/resourcequotas',
  '/serviceaccounts',
  '/services',
  'storage.k8s.io/csidrivers',
  'storage.k8s.io/csinodes',
  'storage.k8s.io/storageclasses',
  'storage.k8s.io/volumeattachments',
]);

/** Kinds that are questions: the answer comes back, nothing is kept. */
const answered = new Set([
  '/bindings',
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authorization.k8s.io/subjectaccessreviews',
]);

export function traitsOf(
  { group, resource }: { readonly group: string; readonly resource: string },
  { custom }: { readonly custom: boolean },
): Traits {
  const name = `${group}/${resource}`;
  if (custom)
    return {
      counted: true,
      updatesUnconditionally: false,
      createsOnUpdate: false,
      returnsDeleted: false,
      orphansByDefault: false,
      verbs: storedVerbs,
    };
  return {
    counted: counted.has(name),
    updatesUnconditionally: !conditionalOnly.has(name),
    createsOnUpdate: createsOnUpdate.has(name),
    returnsDeleted: returnsDeleted.has(name),
    orphansByDefault: name === 'batch/jobs',
    verbs: verbsOf(name),
  };
}

function verbsOf(name: string): readonly ApiVerb[] {
  if (answered.has(name)) return ['create'];
  return name === '/namespaces' ? storedVerbs.filter((verb) => verb !== 'deletecollection') : storedVerbs;
}
