/** What upstream's other controllers may do: those of the cluster itself. */
import { type BuiltinRole, givenToItsAccount, rulesIn } from './role.ts';

export const rolesForClusterControllers: readonly BuiltinRole[] = [
  {
    name: 'system:controller:certificate-controller',
    rules: rulesIn(`
      delete get list watch: certificatesigningrequests in certificates.k8s.io
      update: certificatesigningrequests/approval certificatesigningrequests/status in certificates.k8s.io
      approve: signers in certificates.k8s.io named kubernetes.io/kube-apiserver-client-kubelet
      sign: signers in certificates.k8s.io named kubernetes.io/kube-apiserver-client
        kubernetes.io/kube-apiserver-client-kubelet kubernetes.io/kubelet-serving
        kubernetes.io/legacy-unknown
      create: subjectaccessreviews in authorization.k8s.io
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:clusterrole-aggregation-controller',
    rules: rulesIn(`
      escalate get list patch update watch: clusterroles in rbac.authorization.k8s.io
    `),
  },
  {
    name: 'system:controller:generic-garbage-collector',
    rules: rulesIn(`
      delete get list patch update watch: * in *
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:legacy-service-account-token-cleaner',
    rules: rulesIn(`
      get: configmaps named kube-apiserver-legacy-service-account-token-tracking
      delete patch: secrets
    `),
  },
  {
    name: 'system:controller:namespace-controller',
    rules: rulesIn(`
      delete get list watch: namespaces
      update: namespaces/finalize namespaces/status
      delete deletecollection get list watch: * in *
    `),
  },
  {
    name: 'system:controller:node-controller',
    rules: rulesIn(`
      delete get list patch update watch: nodes
      patch update: nodes/status
      patch update: pods/status
      delete get list watch: pods
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:resourcequota-controller',
    rules: rulesIn(`
      list watch: * in *
      update: resourcequotas/status
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:root-ca-cert-publisher',
    rules: rulesIn(`
      create update: configmaps
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:route-controller',
    rules: rulesIn(`
      list watch: nodes
      patch: nodes/status
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:selinux-warning-controller',
    rules: rulesIn(`
      create patch update: events in core events.k8s.io
      get list watch: persistentvolumes
      get list watch: persistentvolumeclaims
      get list watch: pods
      get list watch: csidrivers in storage.k8s.io
    `),
  },
  {
    name: 'system:controller:service-account-controller',
    rules: rulesIn(`
      create: serviceaccounts
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:service-cidrs-controller',
    rules: rulesIn(`
      get list patch update watch: servicecidrs in networking.k8s.io
      patch update: servicecidrs/finalizers in networking.k8s.io
      patch update: servicecidrs/status in networking.k8s.io
      get list watch: ipaddresses in networking.k8s.io
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:service-controller',
    rules: rulesIn(`
      get list watch: services
      patch update: services/status
      list watch: nodes
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:ttl-controller',
    rules: rulesIn(`
      list patch update watch: nodes
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:validatingadmissionpolicy-status-controller',
    rules: rulesIn(`
      get list watch: validatingadmissionpolicies in admissionregistration.k8s.io
      get patch update: validatingadmissionpolicies/status in admissionregistration.k8s.io
      create patch update: events in core events.k8s.io
    `),
  },
  {
    name: 'system:controller:volumeattributesclass-protection-controller',
    rules: rulesIn(`
      get list watch: persistentvolumeclaims
      get list watch: persistentvolumes
      get list update watch: volumeattributesclasses in storage.k8s.io
      create patch update: events in core events.k8s.io
    `),
  },
].map(givenToItsAccount);
