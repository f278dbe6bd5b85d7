/**
 * Everybody that is part of the plane: under which name it acts, and what it may do. The names are those of the Kubernetes
 * counterparts; the rules have the shape of upstream's bootstrap roles and hold what our parts do, nothing more. Parts read
 * by shared caches, so all that is read by watching is the controller manager's.
 */

import { apiservices } from './apiservices.ts';
import {
  certificatesigningrequests,
  clusterroles,
  configmaps,
  controllerrevisions,
  cronjobs,
  daemonsets,
  deployments,
  endpoints,
  endpointslices,
  events,
  horizontalpodautoscalers,
  jobs,
  leases,
  namespaces,
  nodes,
  persistentvolumeclaims,
  persistentvolumes,
  poddisruptionbudgets,
  pods,
  replicasets,
  replicationcontrollers,
  resourcequotas,
  secrets,
  serviceaccounts,
  statefulsets,
  subjectaccessreviews,
  validatingadmissionpolicies,
  volumeattachments,
} from './generated/kinds.ts';
import type { PolicyRule } from './generated/rbac-v1.ts';
import type { GroupVersionResource } from './gvk.ts';
import { groups, serviceAccount } from './identities.ts';
import { podmetrics } from './metrics.ts';
import type { User } from './operation.ts';

export interface Identity {
  readonly user: User;
  /** What the role is called that holds its rules, where that does not follow from the user's name. */
  readonly role?: string;
  /** What it may do, anywhere in the cluster. */
  readonly rules: readonly PolicyRule[];
}

const everything: readonly PolicyRule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
];

/** What the server does unasked: what every cluster has, custom resources that go, the nodes that it has to reach. */
export const apiServer: Identity = master('system:apiserver');

/** Who owns a cluster in process, and who holds the kubeconfig and the token of one that is served. */
export const clusterOwner: Identity = master('kubernetes-admin');
export const administrator: Identity = master('admin');

/** Fills the caches that all controllers share. */
export const controllerManager: Identity = {
  user: component('system:kube-controller-manager'),
  rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['list', 'watch'] }],
};

export const scheduler: Identity = {
  user: component('system:kube-scheduler'),
  rules: [
    may(events, 'create', 'patch'),
    may(pods, 'get', 'delete'),
    may([pods, 'binding'], 'create'),
    may([pods, 'status'], 'patch'),
    may(persistentvolumeclaims, 'update'),
    may(persistentvolumes, 'update'),
  ],
};

/** All machines of the fleet. */
export const nodeAgent: Identity = {
  user: component('system:node', groups.nodes),
  role: 'signalbox:simulated-nodes',
  rules: [
    may(events, 'create', 'patch'),
    may(leases, 'get', 'create', 'update'),
    may(nodes, 'create', 'patch'),
    may([nodes, 'status'], 'patch'),
    may(pods, 'delete'),
    may([pods, 'status'], 'update'),
  ],
};

/** Approves, signs and cleans up, as one. */
const certificates: Identity = controller('certificate-controller', [
  may([certificatesigningrequests, 'approval'], 'update'),
  may([certificatesigningrequests, 'status'], 'update'),
  may(certificatesigningrequests, 'delete'),
  ...signers('approve', 'kube-apiserver-client-kubelet'),
  ...signers('sign', 'kube-apiserver-client', 'kube-apiserver-client-kubelet', 'kubelet-serving'),
  may(subjectaccessreviews, 'create'),
]);

/** Looks after nodes, and gives them their ranges of addresses. */
const nodeController: Identity = telling('node-controller', [
  may(nodes, 'patch'),
  may([nodes, 'status'], 'update'),
  may(pods, 'delete'),
  may([pods, 'status'], 'patch'),
]);

/** Attaches volumes and tells their nodes, as one. */
const attacher: Identity = telling('attachdetach-controller', [
  may(volumeattachments, 'create', 'delete'),
  may([nodes, 'status'], 'patch'),
]);

/** Drivers of storage that is only simulated: they attach, and keep volumes until they have let go of them. */
export const simulatedStorage: Identity = {
  user: component('signalbox:simulated-storage'),
  role: 'signalbox:simulated-storage',
  rules: [
    may(persistentvolumes, 'update'),
    may(volumeattachments, 'update'),
    may([volumeattachments, 'status'], 'update'),
  ],
};

/** By the name of the controller. */
const controllers: Readonly<Record<string, Identity>> = {
  attachdetach: attacher,
  'attachdetach-status': attacher,
  apiservice: controller('apiservice-status-controller', [may([apiservices, 'status'], 'update')]),
  'certificatesigningrequest-approving': certificates,
  'certificatesigningrequest-signing': certificates,
  'certificatesigningrequest-cleaner': certificates,
  'clusterrole-aggregation': controller('clusterrole-aggregation-controller', [
    may(clusterroles, 'update', 'escalate'),
  ]),
  cronjob: telling('cronjob-controller', [may([cronjobs, 'status'], 'update'), may(jobs, 'create', 'delete')]),
  daemonset: telling('daemon-set-controller', [
    may(controllerrevisions, 'create', 'update', 'patch', 'delete'),
    may(daemonsets, 'get'),
    may([daemonsets, 'status'], 'update'),
    may(pods, 'create', 'patch', 'delete'),
  ]),
  deployment: telling('deployment-controller', [
    may(deployments, 'get'),
    may([deployments, 'status'], 'update', 'patch'),
    may(replicasets, 'create', 'update', 'patch', 'delete'),
  ]),
  disruption: telling('disruption-controller', [
    may([poddisruptionbudgets, 'status'], 'update'),
    may([pods, 'status'], 'patch'),
    { apiGroups: ['*'], resources: ['*/scale'], verbs: ['get'] },
  ]),
  endpoint: telling('endpoint-controller', [may(endpoints, 'create', 'update', 'delete')]),
  endpointslice: telling('endpointslice-controller', [may(endpointslices, 'create', 'update', 'delete')]),
  endpointslicemirroring: telling('endpointslicemirroring-controller', [
    may(endpointslices, 'create', 'update', 'delete'),
  ]),
  'ephemeral-volume': telling('ephemeral-volume-controller', [may(persistentvolumeclaims, 'create')]),
  'generic-garbage-collector': telling('generic-garbage-collector', [
    { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'patch', 'delete'] },
  ]),
  'horizontal-pod-autoscaler': telling('horizontal-pod-autoscaler', [
    may([horizontalpodautoscalers, 'status'], 'update'),
    may(podmetrics, 'list'),
    { apiGroups: ['custom.metrics.k8s.io'], resources: ['*'], verbs: ['get'] },
    { apiGroups: ['external.metrics.k8s.io'], resources: ['*'], verbs: ['list'] },
    { apiGroups: ['*'], resources: ['*/scale'], verbs: ['get', 'update'] },
  ]),
  job: telling('job-controller', [
    may(jobs, 'get'),
    may([jobs, 'status'], 'update'),
    may(pods, 'create', 'patch', 'delete'),
  ]),
  'namespace-controller': controller('namespace-controller', [
    may([namespaces, 'finalize'], 'update'),
    may([namespaces, 'status'], 'update'),
    { apiGroups: ['*'], resources: ['*'], verbs: ['list', 'delete'] },
  ]),
  'node-controller': nodeController,
  'node-ipam': nodeController,
  persistentvolume: telling('persistent-volume-binder', [
    may(persistentvolumeclaims, 'update'),
    may([persistentvolumeclaims, 'status'], 'update'),
    may(persistentvolumes, 'create', 'update'),
  ]),
  'persistentvolume-reclaim': telling('persistent-volume-reclaimer', [
    may(persistentvolumes, 'update', 'delete'),
    may([persistentvolumes, 'status'], 'update'),
  ]),
  'pod-garbage-collector': controller('pod-garbage-collector', [
    may(nodes, 'get'),
    may(pods, 'delete'),
    may([pods, 'status'], 'patch'),
  ]),
  replicaset: telling('replicaset-controller', [
    may(pods, 'create', 'patch', 'delete'),
    may(replicasets, 'get'),
    may([replicasets, 'status'], 'update'),
  ]),
  replicationcontroller: telling('replication-controller', [
    may(pods, 'create', 'patch', 'delete'),
    may(replicationcontrollers, 'get'),
    may([replicationcontrollers, 'status'], 'update'),
  ]),
  resourcequota: controller('resourcequota-controller', [may([resourcequotas, 'status'], 'update')]),
  'service-account': controller('service-account-controller', [
    may(configmaps, 'create', 'update'),
    may(serviceaccounts, 'create'),
  ]),
  'serviceaccount-token': controller('token-controller', [
    may(secrets, 'update', 'delete'),
    may(serviceaccounts, 'get', 'update'),
  ]),
  statefulset: telling('statefulset-controller', [
    may(controllerrevisions, 'create', 'update', 'patch', 'delete'),
    may(persistentvolumeclaims, 'create', 'patch'),
    may(pods, 'create', 'patch', 'delete'),
    may(statefulsets, 'get'),
    may([statefulsets, 'status'], 'update'),
  ]),
  'ttl-after-finished': controller('ttl-after-finished-controller', [may(jobs, 'delete')]),
  'validatingadmissionpolicy-status': controller('validatingadmissionpolicy-status-controller', [
    may([validatingadmissionpolicies, 'status'], 'update'),
  ]),
};

/**
 * Who a controller acts as: one of the plane as listed. Any other is somebody's own code in their own process, so it may do
 * what they may; one that should do less names a user of its own.
 */
export function controllerUser(name: string): User {
  if (Object.hasOwn(controllers, name)) return (controllers[name] as Identity).user;
  const { name: account, groups: own } = serviceAccount('kube-system', `${name}-controller`);
  return { name: account, groups: [groups.masters, ...own] };
}

/** Whether a part of the plane is one of upstream's controller manager; what looks after APIServices is one of its API server. */
export function isOfControllerManager(name: string): boolean {
  return Object.hasOwn(controllers, name) && name !== 'apiservice';
}

/**
 * By which name those own fields who give none for themselves: a part of the plane has the program's name that it is upstream,
 * everybody else is unknown.
 */
export function managerOfUser({ name }: User): string {
  return managers.get(name) ?? 'unknown';
}

export const systemIdentities: readonly Identity[] = [
  apiServer,
  clusterOwner,
  administrator,
  controllerManager,
  scheduler,
  nodeAgent,
  simulatedStorage,
  ...new Set(Object.values(controllers)),
];

function master(name: string): Identity {
  return { user: component(name, groups.masters), rules: everything };
}

function component(name: string, ...own: readonly string[]): User {
  return { name, groups: [...own, groups.authenticated] };
}

function controller(account: string, rules: readonly PolicyRule[]): Identity {
  return { user: serviceAccount('kube-system', account), rules };
}

/** A controller that says by events what happens to the objects that it is about. */
function telling(account: string, rules: readonly PolicyRule[]): Identity {
  return controller(account, [may(events, 'create', 'patch'), ...rules]);
}

function signers(verb: 'approve' | 'sign', ...names: readonly string[]): readonly PolicyRule[] {
  const resourceNames = names.map((name) => `kubernetes.io/${name}`);
  return [{ apiGroups: [certificatesigningrequests.group], resources: ['signers'], resourceNames, verbs: [verb] }];
}

type Resource = Pick<GroupVersionResource, 'group' | 'resource'>;

function may(what: Resource | readonly [Resource, string], ...verbs: readonly string[]): PolicyRule {
  const [{ group, resource }, subresource] = 'group' in what ? [what] : what;
  return {
    apiGroups: [group],
    resources: [subresource === undefined ? resource : `${resource}/${subresource}`],
    verbs,
  };
}

/** Last in the file, because it needs what stands above. */
const managers: ReadonlyMap<string, string> = new Map([
  [apiServer.user.name, 'kube-apiserver'],
  [scheduler.user.name, 'kube-scheduler'],
  [nodeAgent.user.name, 'kubelet'],
  [simulatedStorage.user.name, 'csi-attacher'],
  [clusterOwner.user.name, 'signalbox'],
  [controllerManager.user.name, 'kube-controller-manager'],
  ...Object.entries(controllers).map(
    ([name, { user }]) =>
      [user.name, isOfControllerManager(name) ? 'kube-controller-manager' : 'kube-apiserver'] as const,
  ),
]);
