import type { PolicyRule } from '../../../api/generated/rbac-v1.ts';
import type { BuiltinRole } from './everybody.ts';

const prefix = 'system:certificates.k8s.io';

function approves(signer: string): readonly PolicyRule[] {
  const resourceNames = [`kubernetes.io/${signer}`];
  return [{ apiGroups: ['certificates.k8s.io'], resources: ['signers'], resourceNames, verbs: ['approve'] }];
}

function asks(subresource: string): readonly PolicyRule[] {
  const resources = [`certificatesigningrequests/${subresource}`];
  return [{ apiGroups: ['certificates.k8s.io'], resources, verbs: ['create'] }];
}

/** Who may decide about requests for the signers that every cluster has, and whose requests decide themselves. Given to nobody. */
export const rolesForCertificates: readonly BuiltinRole[] = [
  { name: `${prefix}:certificatesigningrequests:nodeclient`, rules: asks('nodeclient') },
  { name: `${prefix}:certificatesigningrequests:selfnodeclient`, rules: asks('selfnodeclient') },
  { name: `${prefix}:kube-apiserver-client-approver`, rules: approves('kube-apiserver-client') },
  { name: `${prefix}:kube-apiserver-client-kubelet-approver`, rules: approves('kube-apiserver-client-kubelet') },
  { name: `${prefix}:kubelet-serving-approver`, rules: approves('kubelet-serving') },
  { name: `${prefix}:legacy-unknown-approver`, rules: approves('legacy-unknown') },
];
