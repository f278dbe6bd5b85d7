import type { KubeObject } from '@signalbox/cluster';

/** Kinds that tell of the cluster itself, or that pass. */
const ownKinds: ReadonlySet<string> = new Set([
  'APIService',
  'ComponentStatus',
  'FlowSchema',
  'PriorityLevelConfiguration',
  'ServiceCIDR',
  'IPAddress',
  'Lease',
  'Event',
  'Node',
  'NodeMetrics',
  'PodMetrics',
  'CSINode',
]);

/** What every cluster has before anybody brings anything, by their kinds and names. */
const ownNames: ReadonlySet<string> = new Set([
  'Service default/kubernetes',
  'ConfigMap kube-system/extension-apiserver-authentication',
  'ConfigMap kube-system/kube-apiserver-legacy-service-account-token-tracking',
  'StorageClass undefined/standard',
]);

const rbacKinds: ReadonlySet<string> = new Set(['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding']);

/** Whether an object came of what somebody brought into the cluster, or would have come anywhere. */
export function isBrought({ kind, metadata }: KubeObject): boolean {
  const { name, namespace, labels } = metadata;
  if (ownKinds.has(kind) || ownNames.has(`${kind} ${namespace}/${name}`)) return false;
  if (rbacKinds.has(kind)) return labels?.['kubernetes.io/bootstrapping'] === undefined && !name.startsWith('system:');
  // Each of upstream's controllers has an account.
  return !(kind === 'ServiceAccount' && namespace === 'kube-system' && name !== 'default');
}
