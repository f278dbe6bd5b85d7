/** Roles and bindings of single namespaces that every cluster has. */

import type { PolicyRule } from '../../../api/generated/rbac-v1.ts';
import { rulesIn } from './role.ts';

export interface NamespacedRole {
  readonly namespace: string;
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  /** What its binding is called, where that is not the name of the role; and to whom it is given. */
  readonly binding?: string;
  readonly users?: readonly string[];
  /** In `kube-system`. */
  readonly serviceAccounts?: readonly string[];
}

export const rolesInNamespaces: readonly NamespacedRole[] = [
  {
    namespace: 'kube-public',
    name: 'system:controller:bootstrap-signer',
    rules: rulesIn(`
      get list watch: configmaps
      update: configmaps named cluster-info
      create patch update: events in core events.k8s.io
    `),
    serviceAccounts: ['bootstrap-signer'],
  },
  {
    namespace: 'kube-system',
    name: 'extension-apiserver-authentication-reader',
    rules: rulesIn(`
      get list watch: configmaps named extension-apiserver-authentication
    `),
    binding: 'system::extension-apiserver-authentication-reader',
    users: ['system:kube-controller-manager', 'system:kube-scheduler'],
  },
  {
    namespace: 'kube-system',
    name: 'system::leader-locking-kube-controller-manager',
    rules: rulesIn(`
      watch: configmaps
      get update: configmaps named kube-controller-manager
      create get list update watch: leases in coordination.k8s.io
      create get list update watch: leasecandidates in coordination.k8s.io
    `),
    users: ['system:kube-controller-manager'],
    serviceAccounts: ['kube-controller-manager', 'leader-election-controller'],
  },
  {
    namespace: 'kube-system',
    name: 'system::leader-locking-kube-scheduler',
    rules: rulesIn(`
      watch: configmaps
      get update: configmaps named kube-scheduler
      create get list update watch: leases in coordination.k8s.io
      create get list update watch: leasecandidates in coordination.k8s.io
    `),
    users: ['system:kube-scheduler'],
    serviceAccounts: ['kube-scheduler'],
  },
  {
    namespace: 'kube-system',
    name: 'system:controller:bootstrap-signer',
    rules: rulesIn(`
      get list watch: secrets
    `),
    serviceAccounts: ['bootstrap-signer'],
  },
  {
    namespace: 'kube-system',
    name: 'system:controller:cloud-provider',
    rules: rulesIn(`
      create get list watch: configmaps
    `),
    serviceAccounts: ['cloud-provider'],
  },
  {
    namespace: 'kube-system',
    name: 'system:controller:token-cleaner',
    rules: rulesIn(`
      delete get list watch: secrets
      create patch update: events in core events.k8s.io
    `),
    serviceAccounts: ['token-cleaner'],
  },
];
