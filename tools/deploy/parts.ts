/** What the objects of all components have in common. */
import {
  and,
  appVersion,
  type Expression,
  item,
  or,
  releaseName,
  releaseNamespace,
  text,
  value,
} from './expression.ts';
import { each, given, joined, type Template, type TemplateMap, when } from './template.ts';

export type Component = 'operator' | 'adapter';

/** `signalbox-operator` */
export function nameOf(component: Component, rest = ''): Expression {
  return { $: 'text', parts: [releaseName, `-${component}${rest}`] };
}

/** By which its pods are known; they can never change. */
export function selectorOf(component: Component): TemplateMap {
  return {
    'app.kubernetes.io/name': 'signalbox',
    'app.kubernetes.io/instance': releaseName,
    'app.kubernetes.io/component': component,
  };
}

/** Of what belongs to the release's namespace, or, where it is said, to none or to another. */
export function metadataOf(
  component: Component,
  {
    name = nameOf(component),
    namespace = releaseNamespace,
  }: { readonly name?: Template; readonly namespace?: Template } = {},
): TemplateMap {
  return { name, namespace, labels: selectorOf(component) };
}

/** Who its pods are. Clouds read from annotations which rights of theirs that one has. */
export function account(component: Component, annotations: Expression): TemplateMap {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { ...metadataOf(component), annotations: when(annotations, annotations) },
  };
}

export function clusterMetadata(component: Component, name: Template = nameOf(component)): TemplateMap {
  return { name, labels: selectorOf(component) };
}

export function subjects(component: Component): Template {
  return [{ kind: 'ServiceAccount', name: nameOf(component), namespace: releaseNamespace }];
}

export function roleRef(kind: 'Role' | 'ClusterRole', name: Template): TemplateMap {
  return { apiGroup: 'rbac.authorization.k8s.io', kind, name };
}

export interface ContainerParts {
  readonly args: readonly Template[];
  readonly resources: Template;
  /** The name of its PriorityClass, or nothing. */
  readonly priority: Expression;
  readonly rest?: TemplateMap;
  /** Absent where it is empty. */
  readonly volumes?: TemplateMap;
}

/**
 * Pods that hold to the profile `restricted`. Nobody says which user they run as: the image does, and where it may not (OpenShift) the
 * cluster; any of them can run it, as it writes no file.
 */
export function podTemplate(
  component: Component,
  { args, resources, priority, rest = {}, volumes = {} }: ContainerParts,
): TemplateMap {
  return {
    metadata: {
      labels: joined(selectorOf(component), value('podLabels')),
      annotations: when(value('podAnnotations'), value('podAnnotations')),
    },
    spec: {
      serviceAccountName: nameOf(component),
      priorityClassName: when(priority, priority),
      imagePullSecrets: when(value('imagePullSecrets'), value('imagePullSecrets')),
      nodeSelector: when(value('nodeSelector'), value('nodeSelector')),
      tolerations: when(value('tolerations'), value('tolerations')),
      affinity: given(value('affinity'), {
        podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [apart(component)] },
      }),
      topologySpreadConstraints: when(value('topologySpreadConstraints'), [
        each(
          value('topologySpreadConstraints'),
          'constraint',
          joined({ labelSelector: { matchLabels: selectorOf(component) } }, item('constraint')),
        ),
      ]),
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: component,
          image: or(
            and(value('image.digest'), text`${value('image.repository')}@${value('image.digest')}`),
            text`${value('image.repository')}:${or(value('image.tag'), appVersion)}`,
          ),
          imagePullPolicy: value('image.pullPolicy'),
          args: [...args, '--log-level', value('logLevel'), '--log-format', value('logFormat')],
          // As the command line starts them: they rest nearly always, and what a burst of work leaves is collected sooner.
          env: [{ name: 'NODE_OPTIONS', value: '--max-semi-space-size=4' }],
          ...rest,
          resources,
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            readOnlyRootFilesystem: true,
          },
        },
      ],
      ...volumes,
    },
  };
}

/** A node that fails takes one of them along. */
function apart(component: Component): TemplateMap {
  const labelSelector = { matchLabels: selectorOf(component) };
  return { weight: 100, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector } };
}

export interface Traffic {
  /** Ports on which it is asked. */
  readonly ingress: readonly Template[];
}

/** OpenShift's name servers listen on another port than everybody else's, behind the same Service. */
const dnsPorts = [53, 5353].flatMap((port) => ['UDP', 'TCP'].map((protocol) => ({ protocol, port })));

export function networkPolicy(component: Component, { ingress }: Traffic): Template {
  return when(value('networkPolicy.enabled'), {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadataOf(component),
    spec: {
      podSelector: { matchLabels: selectorOf(component) },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [...ingress],
      egress: [
        { ports: dnsPorts },
        {
          ports: [
            each(value('networkPolicy.apiPorts'), 'port', { protocol: 'TCP', port: { $: 'item', name: 'port' } }),
          ],
        },
        each(value('networkPolicy.egress'), 'rule', { $: 'item', name: 'rule' }),
      ],
    },
  });
}

export function disruptionBudget(component: Component): Template {
  return when(value('podDisruptionBudget.enabled'), {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metadataOf(component),
    spec: { maxUnavailable: 1, selector: { matchLabels: selectorOf(component) } },
  });
}
