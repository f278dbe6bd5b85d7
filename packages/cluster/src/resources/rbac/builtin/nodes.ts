/** What agents and networks of nodes may do. */
import type { PolicyRule } from '../../../api/generated/rbac-v1.ts';
import { type BuiltinRole, rulesIn } from './role.ts';

/**
 * What an agent of one node may do anywhere; which of it, where only some objects are its business, is decided by what runs
 * on the node (`server/access/rbac/nodes.ts`). The role of its name is bound to nobody.
 */
export const nodeRules: readonly PolicyRule[] = rulesIn(`
  create: tokenreviews in authentication.k8s.io
  create: localsubjectaccessreviews subjectaccessreviews in authorization.k8s.io
  get list watch: services
  create get list watch: nodes
  patch update: nodes nodes/status
  create patch update: events
  create delete get list watch: pods
  patch update: pods/status
  create: pods/eviction
  get list watch: configmaps secrets
  get: persistentvolumeclaims persistentvolumes
  patch update: persistentvolumeclaims/status
  get: endpoints
  create: serviceaccounts/token
  get: volumeattachments in storage.k8s.io
  get list watch: csidrivers in storage.k8s.io
  create delete get patch update: csinodes in storage.k8s.io
  create delete get patch update: leases in coordination.k8s.io
  get list watch: runtimeclasses in node.k8s.io
  create get list watch: certificatesigningrequests in certificates.k8s.io
`);

export const rolesForNodes: readonly BuiltinRole[] = [
  {
    name: 'system:node',
    rules: rulesIn(`
      create: tokenreviews in authentication.k8s.io
      create: localsubjectaccessreviews subjectaccessreviews in authorization.k8s.io
      get list watch: services
      create get list watch: nodes
      patch update: nodes/status
      patch update: nodes
      create patch update: events
      get list watch: pods
      create delete: pods
      patch update: pods/status
      create: pods/eviction
      get list watch: configmaps secrets
      get: persistentvolumeclaims persistentvolumes
      get: endpoints
      create get list watch: certificatesigningrequests in certificates.k8s.io
      create delete get patch update: leases in coordination.k8s.io
      get: volumeattachments in storage.k8s.io
      create: serviceaccounts/token
      get patch update: persistentvolumeclaims/status
      get list watch: csidrivers in storage.k8s.io
      create delete get patch update: csinodes in storage.k8s.io
      get list watch: runtimeclasses in node.k8s.io
      get: resourceclaims in resource.k8s.io
      deletecollection: resourceslices in resource.k8s.io
      get: serviceaccounts
    `),
    users: [],
  },
  {
    name: 'system:node-proxier',
    rules: rulesIn(`
      list watch: endpoints services
      get list watch: nodes
      create patch update: events in core events.k8s.io
      list watch: servicecidrs in networking.k8s.io
      list watch: endpointslices in discovery.k8s.io
    `),
    users: ['system:kube-proxy'],
  },
  {
    name: 'system:node-bootstrapper',
    rules: rulesIn(`
      create get list watch: certificatesigningrequests in certificates.k8s.io
    `),
  },
  {
    name: 'system:node-problem-detector',
    rules: rulesIn(`
      get: nodes
      patch: nodes/status
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:kubelet-api-admin',
    rules: rulesIn(`
      get list watch: nodes
      proxy: nodes
      *: nodes/log nodes/metrics nodes/proxy nodes/stats
      *: nodes/configz nodes/healthz nodes/pods
    `),
  },
  // The network of a real node answers for simulated pods, too.
  { name: 'signalbox:node-network', rules: rulesIn('list watch: pods'), users: ['system:kube-proxy'] },
];
