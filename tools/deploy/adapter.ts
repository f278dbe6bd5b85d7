/** The objects of the adapter for metrics. */
import type { PolicyRule } from '@signalbox/cluster';
import type { Document } from './documents.ts';
import { item, releaseNamespace, value } from './expression.ts';
import {
  account,
  clusterMetadata,
  disruptionBudget,
  metadataOf,
  nameOf,
  networkPolicy,
  podTemplate,
  roleRef,
  selectorOf,
  subjects,
} from './parts.ts';
import { grouped } from './rules.ts';
import { each, type TemplateMap, when } from './template.ts';

const component = 'adapter';
const role = 'rbac.authorization.k8s.io/v1';

export function adapterDocuments(rights: readonly PolicyRule[]): readonly Document[] {
  return [...roles(rights), ...workload, ...apis].map(({ why, object }) => ({
    why,
    object: when(value('adapter.enabled'), object),
  }));
}

function roles(rights: readonly PolicyRule[]): readonly Document[] {
  return [
    {
      why: 'Who the adapter is.',
      object: account(component, value('adapter.serviceAccount.annotations')),
    },
    {
      why: 'Pods whose pages it reads, rules, and the autoscalers that say which metrics are wanted.',
      object: {
        ...{ apiVersion: role, kind: 'ClusterRole', metadata: clusterMetadata(component) },
        rules: [...grouped(rights)],
      },
    },
    {
      why: '',
      object: {
        ...{ apiVersion: role, kind: 'ClusterRoleBinding', metadata: clusterMetadata(component) },
        ...{ roleRef: roleRef('ClusterRole', nameOf(component)), subjects: subjects(component) },
      },
    },
    {
      why: `Whom the API server speaks for when it passes requests on. Whether they may ask is decided there, so nothing is asked back
(system:auth-delegator).`,
      object: {
        apiVersion: role,
        kind: 'RoleBinding',
        metadata: metadataOf(component, { namespace: 'kube-system' }),
        roleRef: roleRef('Role', 'extension-apiserver-authentication-reader'),
        subjects: subjects(component),
      },
    },
  ];
}

const probe = (path: string): TemplateMap => ({
  httpGet: { path, port: 'https', scheme: 'HTTPS' },
  timeoutSeconds: 5,
});

const workload: readonly Document[] = [
  {
    why: '',
    object: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: metadataOf(component),
      spec: {
        replicas: value('adapter.replicas'),
        selector: { matchLabels: selectorOf(component) },
        template: podTemplate(component, {
          args: [component, '--listen', ':6443', each(value('adapter.extraArgs'), 'arg', item('arg'))],
          resources: value('adapter.resources'),
          priority: value('priorityClass.name'),
          rest: {
            ports: [{ name: 'https', containerPort: 6443 }],
            readinessProbe: probe('/readyz'),
            livenessProbe: { ...probe('/healthz'), initialDelaySeconds: 10 },
          },
        }),
      },
    },
  },
  { why: '', object: disruptionBudget(component) },
  {
    why: 'The API server, which is no pod, asks it.',
    object: networkPolicy(component, { ingress: [{ ports: [{ protocol: 'TCP', port: 6443 }] }] }),
  },
  {
    why: '',
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadataOf(component),
      spec: { selector: selectorOf(component), ports: [{ name: 'https', port: 443, targetPort: 'https' }] },
    },
  },
];

const apis: readonly Document[] = [
  api('custom.metrics.k8s.io', { version: 'v1beta2', versionPriority: 200 }),
  api('custom.metrics.k8s.io', { version: 'v1beta1', versionPriority: 100 }),
  api('external.metrics.k8s.io', { version: 'v1beta1', versionPriority: 100 }),
];

function api(
  group: string,
  { version, versionPriority }: { readonly version: string; readonly versionPriority: number },
): Document {
  return {
    why: 'Its certificate is signed by nobody, and new with every start: it answers who shows one of the API server, and nobody else.',
    object: {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: clusterMetadata(component, `${version}.${group}`),
      spec: {
        ...{ group, version, groupPriorityMinimum: 100, versionPriority },
        service: { name: nameOf(component), namespace: releaseNamespace },
        insecureSkipTLSVerify: true,
      },
    },
  };
}
