/** What parts of a cluster may do that are no controllers. */
import { type BuiltinRole, rulesIn } from './role.ts';

export const rolesForComponents: readonly BuiltinRole[] = [
  {
    name: 'system:heapster',
    rules: rulesIn(`
      get list watch: events namespaces nodes pods
      get list watch: deployments in extensions
    `),
  },
  {
    name: 'system:kube-aggregator',
    rules: rulesIn(`
      get list watch: endpoints services
    `),
  },
  {
    name: 'system:kube-controller-manager',
    rules: rulesIn(`
      create patch update: events in core events.k8s.io
      create: leases in coordination.k8s.io
      get update: leases in coordination.k8s.io named kube-controller-manager
      create: secrets serviceaccounts
      delete: secrets
      get: configmaps namespaces secrets serviceaccounts
      update: secrets serviceaccounts
      create: tokenreviews in authentication.k8s.io
      create: subjectaccessreviews in authorization.k8s.io
      list watch: * in *
      create: serviceaccounts/token
    `),
    users: ['system:kube-controller-manager'],
  },
  {
    name: 'system:kube-dns',
    rules: rulesIn(`
      list watch: endpoints services
    `),
    serviceAccounts: ['kube-system/kube-dns'],
  },
  {
    name: 'system:kube-scheduler',
    rules: rulesIn(`
      create patch update: events in core events.k8s.io
      create: leases in coordination.k8s.io
      get list update watch: leases in coordination.k8s.io named kube-scheduler
      create delete deletecollection get list patch update watch: leasecandidates in coordination.k8s.io
      get list watch: nodes
      delete get list watch: pods
      create: bindings pods/binding
      patch update: pods/status
      get list watch: replicationcontrollers services
      get list watch: replicasets in apps extensions
      get list watch: statefulsets in apps
      get list watch: poddisruptionbudgets in policy
      get list watch: persistentvolumeclaims persistentvolumes
      create: tokenreviews in authentication.k8s.io
      create: subjectaccessreviews in authorization.k8s.io
      get list watch: csinodes in storage.k8s.io
      get list watch: volumeattachments in storage.k8s.io
      get list watch: namespaces
      get list watch: csidrivers in storage.k8s.io
      get list watch: csistoragecapacities in storage.k8s.io
      get list watch: deviceclasses in resource.k8s.io
      get list patch update watch: resourceclaims in resource.k8s.io
      get list patch update watch: resourceclaims/status in resource.k8s.io
      update: pods/finalizers
      get list watch: resourceslices in resource.k8s.io
    `),
    users: ['system:kube-scheduler'],
  },
  {
    name: 'system:persistent-volume-provisioner',
    rules: rulesIn(`
      create delete get list watch: persistentvolumes
      get list update watch: persistentvolumeclaims
      get list watch: storageclasses in storage.k8s.io
      watch: events
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:volume-scheduler',
    rules: rulesIn(`
      get list patch update watch: persistentvolumes
      get list watch: storageclasses in storage.k8s.io
      get list patch update watch: persistentvolumeclaims
    `),
    users: ['system:kube-scheduler'],
  },
];
