/** What upstream's controllers of workloads, of their volumes and of what leads to them may do. */
import { type BuiltinRole, givenToItsAccount, rulesIn } from './role.ts';

export const rolesForWorkloadControllers: readonly BuiltinRole[] = [
  {
    name: 'system:controller:attachdetach-controller',
    rules: rulesIn(`
      list watch: persistentvolumeclaims persistentvolumes
      get list watch: nodes
      patch update: nodes/status
      list watch: pods
      create patch update: events in core events.k8s.io
      create delete get list watch: volumeattachments in storage.k8s.io
      get list watch: csidrivers in storage.k8s.io
      get list watch: csinodes in storage.k8s.io
    `),
  },
  {
    name: 'system:controller:cronjob-controller',
    rules: rulesIn(`
      get list update watch: cronjobs in batch
      create delete get list patch update watch: jobs in batch
      update: cronjobs/status in batch
      update: cronjobs/finalizers in batch
      delete list watch: pods
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:daemon-set-controller',
    rules: rulesIn(`
      get list watch: daemonsets in apps extensions
      update: daemonsets/status in apps extensions
      update: daemonsets/finalizers in apps extensions
      list watch: nodes
      create delete list patch watch: pods
      create: pods/binding
      create delete get list patch update watch: controllerrevisions in apps
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:deployment-controller',
    rules: rulesIn(`
      get list update watch: deployments in apps extensions
      update: deployments/status in apps extensions
      update: deployments/finalizers in apps extensions
      create delete get list patch update watch: replicasets in apps extensions
      get list update watch: pods
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:disruption-controller',
    rules: rulesIn(`
      get list watch: deployments in apps extensions
      get list watch: replicasets in apps extensions
      get list watch: replicationcontrollers
      get list watch: poddisruptionbudgets in policy
      get list watch: statefulsets in apps
      update: poddisruptionbudgets/status in policy
      patch update: pods/status
      get: */scale in *
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:endpoint-controller',
    rules: rulesIn(`
      get list watch: pods services
      create delete get list update watch: endpoints
      create: endpoints/restricted
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:endpointslice-controller',
    rules: rulesIn(`
      get list watch: nodes pods services
      update: services/finalizers
      create delete get list update watch: endpointslices in discovery.k8s.io
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:endpointslicemirroring-controller',
    rules: rulesIn(`
      get list watch: endpoints services
      update: services/finalizers
      update: endpoints/finalizers
      create delete get list update watch: endpointslices in discovery.k8s.io
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:ephemeral-volume-controller',
    rules: rulesIn(`
      get list watch: pods
      update: pods/finalizers
      create get list watch: persistentvolumeclaims
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:expand-controller',
    rules: rulesIn(`
      get list patch update watch: persistentvolumes
      patch update: persistentvolumeclaims/status
      get list watch: persistentvolumeclaims
      create patch update: events in core events.k8s.io
      get: services
    `),
  },
  {
    name: 'system:controller:horizontal-pod-autoscaler',
    rules: rulesIn(`
      get list watch: horizontalpodautoscalers in autoscaling
      update: horizontalpodautoscalers/status in autoscaling
      get update: */scale in *
      list watch: pods
      list watch: pods in metrics.k8s.io
      get list watch: * in custom.metrics.k8s.io
      get list watch: * in external.metrics.k8s.io
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:job-controller',
    rules: rulesIn(`
      get list patch update watch: jobs in batch
      update: jobs/status in batch
      update: jobs/finalizers in batch
      create delete list patch watch: pods
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:persistent-volume-binder',
    rules: rulesIn(`
      create delete get list update watch: persistentvolumes
      update: persistentvolumes/status
      get list update watch: persistentvolumeclaims
      update: persistentvolumeclaims/status
      create delete get list watch: pods
      get list watch: storageclasses in storage.k8s.io
      list watch: nodes
      create patch update: events in core events.k8s.io
      watch: events
      get: services
    `),
  },
  {
    name: 'system:controller:pod-garbage-collector',
    rules: rulesIn(`
      delete list watch: pods
      get list watch: nodes
      patch: pods/status
    `),
  },
  {
    name: 'system:controller:pv-protection-controller',
    rules: rulesIn(`
      get list update watch: persistentvolumes
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:pvc-protection-controller',
    rules: rulesIn(`
      get list update watch: persistentvolumeclaims
      get list watch: pods
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:replicaset-controller',
    rules: rulesIn(`
      get list update watch: replicasets in apps extensions
      update: replicasets/status in apps extensions
      update: replicasets/finalizers in apps extensions
      create delete list patch watch: pods
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:replication-controller',
    rules: rulesIn(`
      get list update watch: replicationcontrollers
      update: replicationcontrollers/status
      update: replicationcontrollers/finalizers
      create delete list patch watch: pods
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:resource-claim-controller',
    rules: rulesIn(`
      get list watch: pods
      update: pods/finalizers
      create delete get list watch: resourceclaims in resource.k8s.io
      patch update: resourceclaims resourceclaims/status in resource.k8s.io
      patch update: pods/status
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:statefulset-controller',
    rules: rulesIn(`
      list watch: pods
      get list watch: statefulsets in apps
      update: statefulsets/status in apps
      update: statefulsets/finalizers in apps
      create delete get patch update: pods
      create delete get list patch update watch: controllerrevisions in apps
      create get list watch: persistentvolumeclaims
      create patch update: events in core events.k8s.io
      delete update: persistentvolumeclaims
      update: pods/finalizers
    `),
  },
  {
    name: 'system:controller:ttl-after-finished-controller',
    rules: rulesIn(`
      delete get list watch: jobs in batch
      create patch update: events in core events.k8s.io
    `),
  },
].map(givenToItsAccount);
