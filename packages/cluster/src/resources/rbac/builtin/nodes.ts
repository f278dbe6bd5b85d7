import type { PolicyRule } from '../../../api/generated/rbac-v1.ts';
import { freeze } from '../../../base/freeze.ts';
import type { BuiltinRole } from './everybody.ts';

function may(verbs: readonly string[], group: string, ...resources: readonly string[]): PolicyRule {
  return { apiGroups: [group], resources, verbs };
}

/**
 * What an agent of one node may do anywhere; which of it, where only some objects are its business, is decided by what runs
 * on the node (`server/access/rbac/nodes.ts`).
 */
export const nodeRules: readonly PolicyRule[] = freeze([
  may(['create'], 'authentication.k8s.io', 'tokenreviews'),
  may(['create'], 'authorization.k8s.io', 'localsubjectaccessreviews', 'subjectaccessreviews'),
  may(['get', 'list', 'watch'], '', 'services'),
  may(['create', 'get', 'list', 'watch'], '', 'nodes'),
  may(['patch', 'update'], '', 'nodes', 'nodes/status'),
  may(['create', 'patch', 'update'], '', 'events'),
  may(['create', 'delete', 'get', 'list', 'watch'], '', 'pods'),
  may(['patch', 'update'], '', 'pods/status'),
  may(['create'], '', 'pods/eviction'),
  may(['get', 'list', 'watch'], '', 'configmaps', 'secrets'),
  may(['get'], '', 'persistentvolumeclaims', 'persistentvolumes'),
  may(['patch', 'update'], '', 'persistentvolumeclaims/status'),
  may(['get'], '', 'endpoints'),
  may(['create'], '', 'serviceaccounts/token'),
  may(['get'], 'storage.k8s.io', 'volumeattachments'),
  may(['get', 'list', 'watch'], 'storage.k8s.io', 'csidrivers'),
  may(['create', 'delete', 'get', 'patch', 'update'], 'storage.k8s.io', 'csinodes'),
  may(['create', 'delete', 'get', 'patch', 'update'], 'coordination.k8s.io', 'leases'),
  may(['get', 'list', 'watch'], 'node.k8s.io', 'runtimeclasses'),
  may(['create', 'get', 'list', 'watch'], 'certificates.k8s.io', 'certificatesigningrequests'),
  may(['get'], 'resource.k8s.io', 'resourceclaims'),
]);

/** What the network of a node looks at: all services and what stands behind them. */
const proxierRules: readonly PolicyRule[] = freeze([
  may(['list', 'watch'], '', 'services'),
  may(['get', 'list', 'watch'], '', 'nodes'),
  may(['list', 'watch'], 'discovery.k8s.io', 'endpointslices'),
  may(['list', 'watch'], 'networking.k8s.io', 'servicecidrs'),
  may(['create', 'patch', 'update'], '', 'events'),
  may(['create', 'patch', 'update'], 'events.k8s.io', 'events'),
]);

/** The role of agents is bound to nobody: it counts only for what concerns the node of whoever asks. */
export const rolesForNodes: readonly BuiltinRole[] = [
  { name: 'system:node', rules: nodeRules },
  { name: 'system:node-proxier', rules: proxierRules, users: ['system:kube-proxy'] },
  // The network of a real node answers for simulated pods, too.
  { name: 'signalbox:node-network', rules: [may(['list', 'watch'], '', 'pods')], users: ['system:kube-proxy'] },
];
