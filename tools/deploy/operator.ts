/** The objects of the operator. */
import type { OperatorRights } from '@signalbox/telemetry';
import type { Document } from './documents.ts';
import { and, item, not, or, releaseNamespace, text, value } from './expression.ts';
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
import { each, type Template, type TemplateMap, when } from './template.ts';

export interface OperatorFacts {
  readonly rights: OperatorRights;
  readonly leaseName: string;
}

const component = 'operator';
const namespaces = value('namespaces');
const leaseNamespace = or(value('leaseNamespace'), and(namespaces, releaseNamespace), text`kube-system`);
const metricsFrom = value('networkPolicy.metricsFrom');
const [tlsSecret, tokenSecret] = [value('metrics.tlsSecret'), value('metrics.tokenSecret')];
const hasSecrets = or(tlsSecret, tokenSecret);
/** Where the pods have them. */
const [tlsFolder, tokenFolder] = ['/etc/signalbox/tls', '/etc/signalbox/token'];
const reader = nameOf(component, '-cluster');
const leader = nameOf(component, '-lease');

export function operatorRoles({ rights, leaseName }: OperatorFacts): readonly Document[] {
  const { kubeletService } = rights;
  const role = 'rbac.authorization.k8s.io/v1';
  return [
    {
      why: 'Who the operator is.',
      object: account(component, value('serviceAccount.annotations')),
    },
    {
      why: `What it reads and writes in the namespaces that it looks after. Secrets are among it: configurations are Secrets, and
credentials that monitors name are read from where they are.`,
      object: {
        ...{ apiVersion: role, kind: 'ClusterRole', metadata: clusterMetadata(component) },
        rules: [...grouped(rights.namespaced), ...optional(value('kubeletService'), kubeletService.namespaced)],
      },
    },
    {
      why: 'Everywhere, unless namespaces are listed.',
      object: when(not(namespaces), {
        ...{ apiVersion: role, kind: 'ClusterRoleBinding', metadata: clusterMetadata(component) },
        ...{ roleRef: roleRef('ClusterRole', nameOf(component)), subjects: subjects(component) },
      }),
    },
    {
      why: 'Only here.',
      object: each(namespaces, 'namespace', {
        apiVersion: role,
        kind: 'RoleBinding',
        metadata: metadataOf(component, { namespace: item('namespace') }),
        ...{ roleRef: roleRef('ClusterRole', nameOf(component)), subjects: subjects(component) },
      }),
    },
    {
      why: 'What belongs to no namespace. It is read, not written.',
      object: {
        ...{ apiVersion: role, kind: 'ClusterRole', metadata: clusterMetadata(component, reader) },
        rules: [
          ...grouped(rights.cluster),
          ...optional(value('kubeletService'), kubeletService.cluster),
          ...optional(value('installCrds'), rights.definitions),
        ],
      },
    },
    {
      why: '',
      object: {
        ...{ apiVersion: role, kind: 'ClusterRoleBinding', metadata: clusterMetadata(component, reader) },
        ...{ roleRef: roleRef('ClusterRole', reader), subjects: subjects(component) },
      },
    },
    {
      why: 'The Lease by which several of them agree who works.',
      object: {
        apiVersion: role,
        kind: 'Role',
        metadata: metadataOf(component, { name: leader, namespace: leaseNamespace }),
        rules: [...grouped(rights.lease(leaseName))],
      },
    },
    {
      why: '',
      object: {
        apiVersion: role,
        kind: 'RoleBinding',
        metadata: metadataOf(component, { name: leader, namespace: leaseNamespace }),
        ...{ roleRef: roleRef('Role', leader), subjects: subjects(component) },
      },
    },
  ];
}

function optional(condition: Parameters<typeof when>[0], rules: Parameters<typeof grouped>[0]): readonly Template[] {
  return grouped(rules).map((rule) => when(condition, rule));
}

const probe = (path: string): TemplateMap => ({
  httpGet: { path, port: 'metrics', scheme: when(tlsSecret, 'HTTPS') },
  timeoutSeconds: 5,
});

export const operatorWorkload: readonly Document[] = [
  {
    why: 'Before others where there is no room for all.',
    object: when(and(value('priorityClass.create'), not(value('priorityClass.name'))), {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: clusterMetadata(component),
      value: value('priorityClass.value'),
      description: 'Signalbox, which configures the agents of this cluster.',
    }),
  },
  {
    why: 'One of the pods holds the lease and works; the others wait for it.',
    object: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: metadataOf(component),
      spec: {
        replicas: value('replicas'),
        selector: { matchLabels: selectorOf(component) },
        template: podTemplate(component, {
          args: [
            component,
            ...['--lease-namespace', leaseNamespace],
            ...['--listen', ':8080'],
            when(tlsSecret, `--tls-cert-file=${tlsFolder}/tls.crt`),
            when(tlsSecret, `--tls-private-key-file=${tlsFolder}/tls.key`),
            when(tokenSecret, `--metrics-token-file=${tokenFolder}/token`),
            each(namespaces, 'namespace', text`--namespace=${item('namespace')}`),
            when(value('installCrds'), '--install-crds'),
            when(value('kubeletService'), text`--kubelet-service=${value('kubeletService')}`),
            each(value('extraArgs'), 'arg', item('arg')),
          ],
          resources: value('resources'),
          rest: {
            ports: [{ name: 'metrics', containerPort: 8080 }],
            // A first list of very much takes a while; a loop that stands still answers nobody.
            livenessProbe: { ...probe('/healthz'), initialDelaySeconds: 10 },
            readinessProbe: probe('/readyz'),
            volumeMounts: when(hasSecrets, [
              when(tlsSecret, { name: 'tls', mountPath: tlsFolder, readOnly: true }),
              when(tokenSecret, { name: 'token', mountPath: tokenFolder, readOnly: true }),
            ]),
          },
          volumes: {
            volumes: when(hasSecrets, [
              when(tlsSecret, { name: 'tls', secret: { secretName: tlsSecret } }),
              when(tokenSecret, { name: 'token', secret: { secretName: tokenSecret } }),
            ]),
          },
          priority: or(value('priorityClass.name'), and(value('priorityClass.create'), nameOf(component))),
        }),
      },
    },
  },
  { why: 'A drain takes one of the pods at a time.', object: disruptionBudget(component) },
  {
    why: 'It asks the API server and the name server, and is asked for its metrics; kubelets come to their probes anyway.',
    object: networkPolicy(component, {
      ingress: [{ from: when(metricsFrom, metricsFrom), ports: [{ protocol: 'TCP', port: 8080 }] }],
    }),
  },
  {
    why: 'Where its metrics are: docs/operating.md.',
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadataOf(component),
      spec: { selector: selectorOf(component), ports: [{ name: 'metrics', port: 8080, targetPort: 'metrics' }] },
    },
  },
];
