/** Who may decide about requests for the signers that every cluster has, and whose requests decide themselves. Given to nobody. */
import { type BuiltinRole, rulesIn } from './role.ts';

export const rolesForCertificates: readonly BuiltinRole[] = [
  {
    name: 'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
    rules: rulesIn(`
      create: certificatesigningrequests/nodeclient in certificates.k8s.io
    `),
  },
  {
    name: 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
    rules: rulesIn(`
      create: certificatesigningrequests/selfnodeclient in certificates.k8s.io
    `),
  },
  {
    name: 'system:certificates.k8s.io:kube-apiserver-client-approver',
    rules: rulesIn(`
      approve: signers in certificates.k8s.io named kubernetes.io/kube-apiserver-client
    `),
  },
  {
    name: 'system:certificates.k8s.io:kube-apiserver-client-kubelet-approver',
    rules: rulesIn(`
      approve: signers in certificates.k8s.io named kubernetes.io/kube-apiserver-client-kubelet
    `),
  },
  {
    name: 'system:certificates.k8s.io:kubelet-serving-approver',
    rules: rulesIn(`
      approve: signers in certificates.k8s.io named kubernetes.io/kubelet-serving
    `),
  },
  {
    name: 'system:certificates.k8s.io:legacy-unknown-approver',
    rules: rulesIn(`
      approve: signers in certificates.k8s.io named kubernetes.io/legacy-unknown
    `),
  },
];
