/**
 * `admin`, `edit` and `view`: what people are given in a namespace. Each gathers the rules of roles with its label, so that
 * whoever brings a kind of their own brings its part of them; the part for the built-in kinds stands here.
 */
import type { PolicyRule } from '../../../api/generated/rbac-v1.ts';
import type { BuiltinRole } from './everybody.ts';

const read = ['get', 'list', 'watch'];
const write = ['create', 'delete', 'deletecollection', 'patch', 'update'];

const workloads = ['daemonsets', 'deployments', 'replicasets', 'statefulsets'];
const scales = ['deployments/scale', 'replicasets/scale', 'statefulsets/scale'];
const replicationControllers = ['replicationcontrollers', 'replicationcontrollers/scale'];
/** Nothing serves them any more; charts still grant them, and nobody grants what they do not hold. */
const extensions = [
  ...['daemonsets', 'deployments', 'deployments/scale', 'ingresses', 'networkpolicies'],
  ...['replicasets', 'replicasets/scale', 'replicationcontrollers/scale'],
];
const ways = ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy'];

function may(verbs: readonly string[], group: string, ...resources: readonly string[]): PolicyRule {
  return { apiGroups: [group], resources, verbs };
}

const viewing: readonly PolicyRule[] = [
  may(
    read,
    '',
    ...['configmaps', 'endpoints', 'persistentvolumeclaims', 'persistentvolumeclaims/status', 'pods'],
    ...[...replicationControllers, 'serviceaccounts', 'services', 'services/status'],
  ),
  may(
    read,
    '',
    ...['bindings', 'events', 'limitranges', 'namespaces/status', 'pods/log', 'pods/status'],
    ...['replicationcontrollers/status', 'resourcequotas', 'resourcequotas/status'],
  ),
  // Within a namespace that is the namespace itself.
  may(read, '', 'namespaces'),
  may(read, 'discovery.k8s.io', 'endpointslices'),
  may(read, 'apps', 'controllerrevisions', ...workloads, ...scales, ...workloads.map((each) => `${each}/status`)),
  may(read, 'autoscaling', 'horizontalpodautoscalers', 'horizontalpodautoscalers/status'),
  may(read, 'batch', 'cronjobs', 'cronjobs/status', 'jobs', 'jobs/status'),
  may(read, 'extensions', ...extensions),
  may(read, 'policy', 'poddisruptionbudgets', 'poddisruptionbudgets/status'),
  may(read, 'networking.k8s.io', 'ingresses', 'ingresses/status', 'networkpolicies'),
  may(read, 'resource.k8s.io', 'resourceclaims', 'resourceclaims/status', 'resourceclaimtemplates'),
];

const editing: readonly PolicyRule[] = [
  may(read, '', ...ways, 'secrets', 'services/proxy'),
  may(['impersonate'], '', 'serviceaccounts'),
  may(write, '', 'pods', ...ways),
  may(['create'], '', 'pods/eviction'),
  may(
    write,
    '',
    ...['configmaps', 'events', 'persistentvolumeclaims', ...replicationControllers],
    ...['secrets', 'serviceaccounts', 'services', 'services/proxy'],
  ),
  may(['create'], '', 'serviceaccounts/token'),
  may(write, 'apps', ...workloads, 'deployments/rollback', ...scales),
  may(write, 'autoscaling', 'horizontalpodautoscalers'),
  may(write, 'batch', 'cronjobs', 'jobs'),
  may(write, 'extensions', ...extensions, 'deployments/rollback'),
  may(write, 'policy', 'poddisruptionbudgets'),
  may(write, 'networking.k8s.io', 'ingresses', 'networkpolicies'),
  may([...read, ...write], 'coordination.k8s.io', 'leases'),
  may(write, 'resource.k8s.io', 'resourceclaims', 'resourceclaimtemplates'),
];

const administering: readonly PolicyRule[] = [
  may(['create'], 'authorization.k8s.io', 'localsubjectaccessreviews'),
  may([...read, ...write], 'rbac.authorization.k8s.io', 'rolebindings', 'roles'),
];

function label(role: string): string {
  return `rbac.authorization.k8s.io/aggregate-to-${role}`;
}

function part(role: string, rules: readonly PolicyRule[]): BuiltinRole {
  return { name: `system:aggregate-to-${role}`, rules, labels: { [label(role)]: 'true' } };
}

/** Whoever may edit may view, and whoever administers may do both. */
export const rolesForNamespaces: readonly BuiltinRole[] = [
  { name: 'admin', rules: [], gathers: label('admin') },
  { name: 'edit', rules: [], gathers: label('edit'), labels: { [label('admin')]: 'true' } },
  { name: 'view', rules: [], gathers: label('view'), labels: { [label('edit')]: 'true' } },
  part('admin', administering),
  part('edit', editing),
  part('view', viewing),
  {
    name: 'system:aggregated-metrics-reader',
    rules: [may(read, 'metrics.k8s.io', 'pods', 'nodes')],
    labels: { [label('admin')]: 'true', [label('edit')]: 'true', [label('view')]: 'true' },
  },
];
