/** What whoever installs may choose: `values.yaml` and its schema are written from this table. */
import type { Plain } from './template.ts';

export type Schema = { readonly [key: string]: Plain };

export interface Choice {
  readonly says: string;
  readonly usual: Plain;
  readonly schema: Schema;
}

export interface Choices {
  readonly says: string;
  readonly of: Readonly<Record<string, Choice | Choices>>;
}

const text = { type: 'string' } as const;
const yesOrNo = { type: 'boolean' } as const;
const map = { type: 'object' } as const;
const texts = { type: 'object', additionalProperties: text } as const;
const count = (minimum: number): Schema => ({ type: 'integer', minimum });
const list = (items: Schema): Schema => ({ type: 'array', items });
const port = { type: 'integer', minimum: 1, maximum: 65_535 } as const;
const namespace = { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$' } as const;

function choice(says: string, usual: Plain, schema: Schema): Choice {
  return { says, usual, schema };
}

const logging: Choices['of'] = {
  logLevel: choice('What is logged at least: debug, info, warn or error.', 'info', {
    enum: ['debug', 'info', 'warn', 'error'],
  }),
  logFormat: choice('One JSON object a line, or text.', 'json', { enum: ['json', 'text'] }),
};

/** By these a Deployment knows its pods. */
const ownLabels = 'app\\.kubernetes\\.io/(name|instance|component)';

const placing: Choices['of'] = {
  podAnnotations: choice('Annotations of all pods.', {}, texts),
  podLabels: choice(
    'Further labels of all pods, not those by which their Deployments know them (app.kubernetes.io/name, instance, component).',
    {},
    { ...texts, propertyNames: { not: { ...text, pattern: `^${ownLabels}$` } } },
  ),
  nodeSelector: choice('Labels of the nodes that pods may run on.', { 'kubernetes.io/os': 'linux' }, texts),
  tolerations: choice('Taints that pods tolerate.', [], list(map)),
  affinity: choice(
    'Instead of the usual: two pods of one Deployment are on one node only where there is no other.',
    {},
    map,
  ),
  topologySpreadConstraints: choice(
    `How pods of one Deployment are spread over zones, say: [{ topologyKey: topology.kubernetes.io/zone, maxSkew: 1,
whenUnsatisfiable: ScheduleAnyway }]. Which pods are meant is filled in.`,
    [],
    list({
      ...{ type: 'object', required: ['maxSkew', 'topologyKey', 'whenUnsatisfiable'] },
      properties: {
        maxSkew: count(1),
        topologyKey: text,
        whenUnsatisfiable: { ...text, enum: ['DoNotSchedule', 'ScheduleAnyway'] },
        labelSelector: false,
      },
    }),
  ),
};

const serviceAccount = (who: string): Choices => ({
  says: `The account of the ${who}.`,
  of: { annotations: choice('Its annotations: { eks.amazonaws.com/role-arn: … }.', {}, texts) },
});

const resources = (usual: Plain): Choice =>
  choice(
    `What a pod asks for, and may take at most. Measured: docs/operating.md. A limit of CPU would only make starts slow.`,
    usual,
    map,
  );

function watched(says: string, labels: Plain): Choices {
  return {
    says: `${says}.`,
    of: {
      enabled: choice('Whether there is one.', false, yesOrNo),
      labels: choice('Labels by which it is selected: { release: prometheus }.', labels, texts),
    },
  };
}

export const choices: Choices = {
  says: 'Values of the chart of Signalbox. A typing error is refused: values.schema.json knows every name.',
  of: {
    image: {
      says: '`npm run image` or the Containerfile builds it; push it to a registry that the nodes can pull from.',
      of: {
        repository: choice('Where it is, without its tag and digest.', 'signalbox', {
          ...{ ...text, minLength: 1 },
          pattern: '^[^@]*$',
        }),
        tag: choice('The version of the chart unless given. Quote it: 1.10 is a number.', '', text),
        digest: choice('Exactly this one, whatever its tag says: sha256:… . Empty: what the tag says.', '', {
          ...text,
          pattern: '^(sha256:[0-9a-f]{64})?$',
        }),
        pullPolicy: choice('IfNotPresent, Always or Never.', 'IfNotPresent', {
          enum: ['IfNotPresent', 'Always', 'Never'],
        }),
      },
    },
    imagePullSecrets: choice('Secrets for the registry: [{ name: registry }].', [], list(map)),
    namespaces: choice(
      'Namespaces to look after, and to have any rights in. Empty: the whole cluster. They have to be there already.',
      [],
      { ...list(namespace), uniqueItems: true },
    ),
    replicas: choice('One works; the others wait and take over within seconds.', 2, count(0)),
    leaseNamespace: choice(
      `Where the Lease is by which operators agree who works. Unless given: kube-system, so that there is one in the whole
cluster however it was started; the release's namespace where it looks after some namespaces only, as others may look
after others. Give the release's namespace where nothing may be put into kube-system (GKE Autopilot).`,
      '',
      { anyOf: [{ const: '' }, namespace] },
    ),
    installCrds: choice(
      `Whether the operator brings the custom resource definitions up to date whenever it starts, which takes the right to
create definitions and to change ours. Without it Helm installs those in crds/ once, and never touches them again:
before an upgrade run \`kubectl apply --server-side -f crds/\`. Neither way are they ever deleted.`,
      false,
      yesOrNo,
    ),
    kubeletService: choice(
      'Keeps a Service with the addresses of all kubelets, as namespace/name: kube-system/kubelet. Empty: none.',
      '',
      { type: 'string', pattern: '^([^/]+/[^/]+)?$' },
    ),
    extraArgs: choice(
      'Further flags of `signalbox operator`: ["--labels=team=obs", "--agent-selector=mine"].',
      [],
      list(text),
    ),
    ...logging,
    resources: resources({ requests: { cpu: '20m', memory: '128Mi' }, limits: { memory: '512Mi' } }),
    ...placing,
    serviceAccount: serviceAccount('operator'),
    priorityClass: {
      says: 'Telemetry is missed most when a cluster is short of room. An own one is for the operator alone.',
      of: {
        create: choice('Whether to make a PriorityClass for it.', true, yesOrNo),
        value: choice('Its value: what users have is at 0 mostly.', 1_000_000, {
          type: 'integer',
          maximum: 1_000_000_000,
        }),
        name: choice('One that is there already, instead.', '', text),
      },
    },
    podDisruptionBudget: {
      says: 'A drain takes one pod at a time.',
      of: { enabled: choice('Whether there is one.', true, yesOrNo) },
    },
    networkPolicy: {
      says: 'Pods reach the API server and the name server, and nothing else. Agents are asked by way of the API server.',
      of: {
        enabled: choice('Whether there is one.', true, yesOrNo),
        apiPorts: choice(
          'Ports of the API server: of the Service "kubernetes", and of what stands behind it.',
          [443, 6443, 8443, 16443],
          { ...list(port), minItems: 1 },
        ),
        metricsFrom: choice(
          'Who may ask for the metrics: [{ namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: monitoring } } }]. Empty: everybody.',
          [],
          list(map),
        ),
        egress: choice('Further rules: where the Prometheus server of the adapter is, say.', [], list(map)),
      },
    },
    metrics: {
      says: 'How the metrics of the operator are served: in the clear and to everybody who reaches them, unless Secrets are named here, in the namespace of the release.',
      of: {
        tlsSecret: choice(
          'With tls.crt and tls.key, as cert-manager makes it, for NAME-operator.NAMESPACE.svc; the ServiceMonitor trusts its ca.crt. A new certificate is taken up by itself.',
          '',
          text,
        ),
        tokenSecret: choice(
          'With the bearer token under "token", which is then asked for. Probes need none. The ServiceMonitor shows it.',
          '',
          text,
        ),
      },
    },
    monitoring: {
      says: 'How the operator is watched: docs/operating.md. deploy/monitoring.yaml has the same for kubectl.',
      of: {
        serviceMonitor: watched('A ServiceMonitor', {}),
        rules: watched('A PrometheusRule with the alerts', {}),
        dashboard: watched('A ConfigMap with the dashboard, as the sidecar of Grafana looks for it', {
          grafana_dashboard: '1',
        }),
      },
    },
    adapter: {
      says: `Serves the metrics of agents to HorizontalPodAutoscalers: docs/metrics-adapter.md. It reads pods in the whole cluster,
and of all adapters in a cluster one can have these APIs.`,
      of: {
        enabled: choice('Whether there is one.', false, yesOrNo),
        replicas: choice('Each answers for itself.', 1, count(0)),
        extraArgs: choice(
          'Further flags of `signalbox adapter`: ["--prometheus-url=http://prometheus.monitoring:9090"].',
          [],
          list(text),
        ),
        resources: resources({ requests: { cpu: '20m', memory: '128Mi' }, limits: { memory: '512Mi' } }),
        serviceAccount: serviceAccount('adapter'),
      },
    },
  },
};

export function isChoice(one: Choice | Choices): one is Choice {
  return 'usual' in one;
}

/** What holds where nobody gives anything. */
export function usualValues({ of }: Choices): { readonly [name: string]: Plain } {
  return Object.fromEntries(
    Object.entries(of).map(([name, one]) => [name, isChoice(one) ? one.usual : usualValues(one)]),
  );
}

export function schemaOf(all: Choices): Schema {
  const { properties, ...rest } = groupSchema(all);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart of Signalbox',
    ...rest,
    // Helm hands these down to every chart within another.
    properties: { ...(properties as Schema), global: map },
  };
}

function groupSchema({ says, of }: Choices): Schema {
  const properties = Object.entries(of).map(([name, one]) => [
    name,
    isChoice(one) ? { description: one.says, ...one.schema } : groupSchema(one),
  ]);
  return {
    description: says,
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(properties) as Schema,
  };
}
