/**
 * `admin`, `edit` and `view`: what people are given in a namespace. Each gathers the rules of roles with its label, so that
 * whoever brings a kind of their own brings its part of them; the part for the built-in kinds stands here.
 */
import { type BuiltinRole, rulesIn } from './role.ts';

export const rolesForNamespaces: readonly BuiltinRole[] = [
  {
    name: 'admin',
    rules: [],
    gathers: 'rbac.authorization.k8s.io/aggregate-to-admin',
  },
  {
    name: 'edit',
    rules: [],
    gathers: 'rbac.authorization.k8s.io/aggregate-to-edit',
    labels: { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' },
  },
  {
    name: 'view',
    rules: [],
    gathers: 'rbac.authorization.k8s.io/aggregate-to-view',
    labels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' },
  },
  {
    name: 'system:aggregate-to-admin',
    rules: rulesIn(`
      create: localsubjectaccessreviews in authorization.k8s.io
      create delete deletecollection get list patch update watch: rolebindings roles in
        rbac.authorization.k8s.io
    `),
    labels: { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' },
  },
  {
    name: 'system:aggregate-to-edit',
    rules: rulesIn(`
      get list watch: pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy
      impersonate: serviceaccounts
      create delete deletecollection patch update: pods pods/attach pods/exec pods/portforward pods/proxy
      create: pods/eviction
      create delete deletecollection patch update: configmaps events persistentvolumeclaims
        replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy
      create: serviceaccounts/token
      create delete deletecollection patch update: daemonsets deployments deployments/rollback
        deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale in apps
      create delete deletecollection patch update: horizontalpodautoscalers in autoscaling
      create delete deletecollection patch update: cronjobs jobs in batch
      create delete deletecollection patch update: daemonsets deployments deployments/rollback
        deployments/scale ingresses networkpolicies replicasets replicasets/scale
        replicationcontrollers/scale in extensions
      create delete deletecollection patch update: poddisruptionbudgets in policy
      create delete deletecollection patch update: ingresses networkpolicies in networking.k8s.io
      create delete deletecollection get list patch update watch: leases in coordination.k8s.io
      create delete deletecollection patch update: resourceclaims resourceclaimtemplates in resource.k8s.io
    `),
    labels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' },
  },
  {
    name: 'system:aggregate-to-view',
    rules: rulesIn(`
      get list watch: configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods
        replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status
      get list watch: bindings events limitranges namespaces/status pods/log pods/status
        replicationcontrollers/status resourcequotas resourcequotas/status
      get list watch: namespaces
      get list watch: endpointslices in discovery.k8s.io
      get list watch: controllerrevisions daemonsets daemonsets/status deployments deployments/scale
        deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale
        statefulsets/status in apps
      get list watch: horizontalpodautoscalers horizontalpodautoscalers/status in autoscaling
      get list watch: cronjobs cronjobs/status jobs jobs/status in batch
      get list watch: daemonsets daemonsets/status deployments deployments/scale deployments/status
        ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status
        replicationcontrollers/scale in extensions
      get list watch: poddisruptionbudgets poddisruptionbudgets/status in policy
      get list watch: ingresses ingresses/status networkpolicies in networking.k8s.io
      get list watch: resourceclaims resourceclaims/status resourceclaimtemplates in resource.k8s.io
    `),
    labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' },
  },
  {
    name: 'system:aggregated-metrics-reader',
    rules: rulesIn('get list watch: pods nodes in metrics.k8s.io'),
    labels: {
      'rbac.authorization.k8s.io/aggregate-to-admin': 'true',
      'rbac.authorization.k8s.io/aggregate-to-edit': 'true',
      'rbac.authorization.k8s.io/aggregate-to-view': 'true',
    },
  },
];
