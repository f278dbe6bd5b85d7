import { type Played, played } from './played.ts';

const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }];
const group = 'rbac.authorization.k8s.io';
const nobodys = [
  { apiGroups: ['nobody.example.com'], apiVersions: ['v1'], resources: ['things'], operations: ['CREATE'] },
];
const hook = {
  ...{ name: 'a.example.com', rules: nobodys, sideEffects: 'None', admissionReviewVersions: ['v1'] },
  clientConfig: { service: { name: 'a', namespace: 'played' } },
};
const matchConstraints = { resourceRules: nobodys };
const mutations = [
  { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{metadata: Object.metadata{}}' } },
];
/** What somebody asked for who has made a key for it. */
const request =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlITU1ITUNBUUF3RVRFUE1BMEdBMVVFQXd3R2NHeGhlV1ZrTUZrd0V3WUhLb1pJemowQ0FRWUlLb1pJemowRApBUWNEUWdBRXcxL2tHOWdsRHo5L3QvaEhFa2dpWURJUGdsYVc4SGdSaVhaSHJkQSs1TFhhUXYxWWFzd0RGZTAyClA5Y1lTYlZGWjRGdUVDV2lWaDV1TWxKZGJPU2pGYUFBTUFvR0NDcUdTTTQ5QkFNQ0Ewa0FNRVlDSVFDR3J1QmUKKzlqRzM3VHIxWGlZLzFwVEVkNExlZm1IbU9CYUYwMjFIM2hjMWdJaEFKbS9DdldNSllVQVpIaFpMZWdjdEpQNApESHBpVGw4ZXQxZ0MrUDM5R2E5MAotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K';

/** Who may what, and what judges writes. */
export const access: readonly Played[] = [
  played('rbac.authorization.k8s.io/v1 Role roles', { examples: [{ rules }] }),
  played('rbac.authorization.k8s.io/v1 RoleBinding rolebindings', {
    examples: [
      {
        subjects: [{ kind: 'ServiceAccount', name: 'a', namespace: 'b' }],
        roleRef: { apiGroup: group, kind: 'Role', name: 'a' },
      },
    ],
  }),
  played('rbac.authorization.k8s.io/v1 ClusterRole clusterroles', {
    ...{ isNamespaced: false, isShared: true },
    examples: [{ rules }, { rules: [{ nonResourceURLs: ['/healthz'], verbs: ['get'] }] }],
  }),
  played('rbac.authorization.k8s.io/v1 ClusterRoleBinding clusterrolebindings', {
    ...{ isNamespaced: false, isShared: true },
    examples: [
      {
        subjects: [{ apiGroup: group, kind: 'Group', name: 'a' }],
        roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'a' },
      },
    ],
  }),
  played('certificates.k8s.io/v1 CertificateSigningRequest certificatesigningrequests', {
    ...{ isNamespaced: false, hasStatus: true },
    examples: [{ spec: { request, signerName: 'example.com/a', usages: ['client auth'] } }],
    doors: [
      {
        path: 'approval',
        definition: 'io.k8s.api.certificates.v1.CertificateSigningRequest',
        methods: ['GET', 'PUT'],
      },
    ],
  }),
  played('admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration validatingwebhookconfigurations', {
    ...{ isNamespaced: false, examples: [{ webhooks: [hook] }] },
  }),
  played('admissionregistration.k8s.io/v1 MutatingWebhookConfiguration mutatingwebhookconfigurations', {
    ...{ isNamespaced: false, examples: [{ webhooks: [hook] }] },
  }),
  played('admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy validatingadmissionpolicies', {
    ...{ isNamespaced: false, hasStatus: true },
    examples: [{ spec: { matchConstraints, validations: [{ expression: 'object.metadata.name != "x"' }] } }],
  }),
  played('admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings', {
    ...{ isNamespaced: false, examples: [{ spec: { policyName: 'none', validationActions: ['Deny'] } }] },
  }),
  ...['v1beta1', 'v1alpha1'].flatMap((version) => [
    played(`admissionregistration.k8s.io/${version} MutatingAdmissionPolicy mutatingadmissionpolicies`, {
      ...{ isNamespaced: false, examples: [{ spec: { matchConstraints, reinvocationPolicy: 'Never', mutations } }] },
    }),
    played(`admissionregistration.k8s.io/${version} MutatingAdmissionPolicyBinding mutatingadmissionpolicybindings`, {
      ...{ isNamespaced: false, examples: [{ spec: { policyName: 'none' } }] },
    }),
  ]),
  played('flowcontrol.apiserver.k8s.io/v1 FlowSchema flowschemas', {
    ...{ isNamespaced: false, hasStatus: true, isShared: true },
    isSettled: ({ status }) => (status as { readonly conditions?: unknown } | undefined)?.conditions !== undefined,
    examples: [
      {
        spec: {
          ...{ priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 9000 },
          rules: [
            {
              subjects: [{ kind: 'User', user: { name: 'nobody' } }],
              resourceRules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'], namespaces: ['a'] }],
            },
          ],
        },
      },
    ],
  }),
  played('flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration prioritylevelconfigurations', {
    ...{ isNamespaced: false, hasStatus: true, isShared: true },
    examples: [
      { spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } } },
    ],
  }),
];

const reviewed = { isNamespaced: false, isReview: true };
const resourceAttributes = { verb: 'get', resource: 'pods', namespace: 'played' };

/** What is asked and not kept. */
export const reviews: readonly Played[] = [
  played('authorization.k8s.io/v1 SubjectAccessReview subjectaccessreviews', {
    ...reviewed,
    examples: [
      { spec: { user: 'nobody', resourceAttributes } },
      { spec: { groups: ['a'], nonResourceAttributes: { path: '/x', verb: 'get' } } },
    ],
  }),
  played('authorization.k8s.io/v1 SelfSubjectAccessReview selfsubjectaccessreviews', {
    ...{ ...reviewed, examples: [{ spec: { resourceAttributes } }] },
  }),
  played('authorization.k8s.io/v1 LocalSubjectAccessReview localsubjectaccessreviews', {
    ...{ isReview: true, examples: [{ spec: { user: 'nobody', resourceAttributes } }] },
  }),
  played('authorization.k8s.io/v1 SelfSubjectRulesReview selfsubjectrulesreviews', {
    ...{ ...reviewed, examples: [{ spec: { namespace: 'played' } }] },
  }),
  played('authentication.k8s.io/v1 TokenReview tokenreviews', { ...reviewed, examples: [{ spec: { token: 'x' } }] }),
  played('authentication.k8s.io/v1 SelfSubjectReview selfsubjectreviews', { ...reviewed, examples: [{}] }),
];
