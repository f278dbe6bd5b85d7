/** The operator and the adapter with the roles that are installed, and nothing else: nothing is refused, and nothing is allowed in vain. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  applyObject,
  type Component,
  type CreateComponent,
  createClient,
  createInformers,
  customresourcedefinitions,
  type KubeObject,
  type New,
  type Platform,
  type ResourceType,
  rbac,
  runWithLease,
  serviceAccount,
  statefulsets,
  type Transport,
  type User,
} from '@signalbox/cluster';
import {
  createIdentityJudge,
  createTestCluster,
  type IdentityJudge,
  type TestCluster,
} from '@signalbox/cluster/testing';
import {
  createKubeletServiceSync,
  createMetricsAdapter,
  createTelemetryOperator,
  customResourceDefinitions,
  defaultComponents,
  grafanaagents,
  operatorTrim,
  prometheusagents,
  prometheuses,
} from '@signalbox/telemetry';
import { expect, test } from 'vitest';
import { operatorLease } from '../../packages/cli/src/io/lease.ts';
import { deployed, objectsIn, rulesIn } from './deployed.ts';
import { chartManifest, scopeOf } from './files.ts';

const { signal } = new AbortController();
const operator = serviceAccount('signalbox', 'signalbox-operator');
const workload = readFileSync(join(import.meta.dirname, 'testdata/workload.yaml'), 'utf8');

/** Only where the API server asks whether who makes an owner wait may do so; this one does not. */
const finalizers = [
  'grafanaagents.monitoring.grafana.com',
  'prometheuses.monitoring.coreos.com',
  'prometheusagents.monitoring.coreos.com',
];
const neverSeenHere = finalizers.map((name) => `update ${name}/finalizers`);
/** The command looks whether they are there before it starts: `deployed.e2e.test.ts`. */
const byTheCommand = ['get customresourcedefinitions.apiextensions.k8s.io'];

test('the operator is refused nothing, and needs all that it is allowed', async () => {
  const objects = deployed('operator.yaml');
  const judge = createIdentityJudge(rbac, [{ user: operator, rules: rulesIn(objects) }]);
  const parts = [leading({ namespace: operatorLease.namespace, create: [telemetry()] })];
  await play({ objects, parts, judge }, life);
  expect([...judge.excess]).toEqual([]);
  expect([...judge.unused(operator.name)].sort()).toEqual([...neverSeenHere, ...byTheCommand].sort());
});

test('one for some namespaces, which keeps the kubelets, needs no more there and nothing elsewhere', async () => {
  const namespaces = ['shop', 'monitoring'];
  const values = { namespaces, kubeletService: 'monitoring/kubelet' };
  const objects = objectsIn(chartManifest(scopeOf({ version: '1.0.0', values })), 'chart');
  const judge = createIdentityJudge(rbac, [{ user: operator, rules: rulesIn(objects) }]);
  const create: readonly CreateComponent[] = [
    telemetry(namespaces),
    (platform) => createKubeletServiceSync(platform, { namespace: 'monitoring', name: 'kubelet' }),
  ];
  await play({ objects, parts: [leading({ namespace: 'signalbox', namespaces, create })], judge }, async (cluster) => {
    await life(cluster);
    await cluster.applyYaml('{ apiVersion: v1, kind: Node, metadata: { name: node-3 } }');
    await cluster.advance(10_000);
    const elsewhere = {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'Prometheus',
      metadata: { name: 'main', namespace: 'signalbox' },
      spec: {},
    };
    await cluster.apply([elsewhere as New<KubeObject>]);
    await cluster.advance(60_000);
    const { items } = await cluster.client.list(statefulsets, { namespace: 'signalbox', signal });
    expect(items).toEqual([]);
  });
  expect([...judge.excess]).toEqual([]);
  expect([...judge.unused(operator.name)].sort()).toEqual([...neverSeenHere, ...byTheCommand].sort());
});

test('with installCrds it may bring its definitions up to date, and no others', async () => {
  const objects = objectsIn(chartManifest(scopeOf({ version: '1.0.0', values: { installCrds: true } })), 'chart');
  await play({ objects, parts: [], judge: createIdentityJudge(rbac, []) }, async ({ during, client, transport }) => {
    const [own, ...others] = customResourceDefinitions();
    if (own === undefined) throw new Error('there are definitions');
    const asked = { type: customresourcedefinitions as ResourceType<KubeObject>, signal };
    const asOperator = createClient(acting(transport, operator), operator);
    const labelled = { ...own, metadata: { ...own.metadata, labels: { a: 'b' } } };
    expect(await during(applyObject(asOperator, labelled as New<KubeObject>, asked))).toBe('configured');
    await client.delete(customresourcedefinitions, { name: others[0]?.metadata.name ?? '', signal });
    expect(await during(applyObject(asOperator, others[0] as New<KubeObject>, asked))).toBe('created');
    const deletion = asOperator.delete(customresourcedefinitions, { name: own.metadata.name ?? '', signal });
    await expect(during(deletion)).rejects.toThrow('cannot delete');
  });
});

test('the adapter is refused nothing, and needs all that it is allowed', async () => {
  const user = serviceAccount('signalbox', 'signalbox-adapter');
  const objects = deployed('adapter.yaml');
  const judge = createIdentityJudge(rbac, [{ user, rules: rulesIn(objects) }]);
  const { parts } = createMetricsAdapter({ followsRoots: false, user });
  const create = parts.map(
    (part): CreateComponent =>
      (platform) =>
        part(apart(platform, { user })),
  );
  await play({ objects, parts: create, judge }, async (cluster) => {
    await cluster.applyYaml(followed);
    await cluster.advance(120_000);
    await cluster.applyYaml(followed.replace('rules: none', 'rules: []'));
    await cluster.advance(10_000);
    await cluster.applyYaml(followed);
    await cluster.advance(60_000);
  });
  expect([...judge.excess]).toEqual([]);
  expect(judge.unused(user.name)).toEqual([]);
});

interface Played {
  readonly objects: readonly New<KubeObject>[];
  readonly parts: readonly CreateComponent[];
  readonly judge: IdentityJudge;
}

async function play(
  { objects, parts, judge }: Played,
  story: (cluster: TestCluster & Pick<Platform, 'transport'>) => Promise<void>,
): Promise<void> {
  const namespaces = ['signalbox', 'monitoring', 'shop'].map(
    (name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }) as New<KubeObject>,
  );
  const manifests = [
    ...namespaces,
    ...customResourceDefinitions(),
    ...objects.filter(({ kind }) => kind !== 'Namespace'),
  ];
  const cluster = await createTestCluster({ nodes: 2, authorizer: judge, manifests, components: parts });
  try {
    await story({ ...cluster, transport: cluster.platform.transport });
    const problems = cluster.problems.map(
      ({ component, message, error }) => `${component}: ${message}: ${String(error)}`,
    );
    expect(problems.filter((line) => /forbidden/.test(line))).toEqual([]);
  } finally {
    await cluster.close();
  }
}

interface As {
  readonly user: User;
  readonly namespaces?: readonly string[];
}

/** As a process has it that knows the cluster by its API alone: its caches are its own, and its token says who asks. */
function apart(platform: Platform, { user, namespaces }: As): Platform {
  const transport = acting(platform.transport, user);
  const { clock, random, report } = platform;
  const informers = createInformers({
    ...{ client: createClient(transport, user), clock, random: random.fork(user.name), trim: operatorTrim },
    ...(namespaces !== undefined && { namespaces }),
    report: (message, error) => report({ component: 'informers', message, error }),
  });
  return { ...platform, transport, informers };
}

function acting(transport: Transport, user: User): Transport {
  return {
    perform: (operation, waiting) => transport.perform({ ...operation, user }, waiting),
    watch: (operation, waiting) => transport.watch({ ...operation, user }, waiting),
  };
}

function telemetry(namespaces: readonly string[] = []): CreateComponent {
  return (platform) =>
    createTelemetryOperator(platform, { components: defaultComponents(), isPartial: namespaces.length > 0 });
}

interface Leading {
  readonly namespace: string;
  readonly namespaces?: readonly string[];
  readonly create: readonly CreateComponent[];
}

/** What `signalbox operator` consists of. */
function leading({ namespace, namespaces, create }: Leading): CreateComponent {
  return (platform): Component => ({
    name: 'operator',
    async run({ signal }) {
      const own = apart(platform, { user: operator, ...(namespaces !== undefined && { namespaces }) });
      const { transport, clock, random, report } = own;
      const lease = {
        ...{
          client: createClient(transport, operator),
          clock,
          random,
          identity: 'me',
          namespace,
          name: operatorLease.name,
        },
        report: (message: string, error?: unknown) => {
          if (error !== undefined) report({ component: 'lease', message, error });
        },
      };
      const work = async ({ signal: holding }: { readonly signal: AbortSignal }): Promise<void> => {
        await Promise.all(create.map((part) => part(own).run({ signal: holding })));
      };
      await runWithLease(lease, work, { signal });
    },
  });
}

/** Everything that the operator ever does to an object: makes it, changes it, marks it, takes it away. */
async function life(cluster: TestCluster): Promise<void> {
  const change = (type: ResourceType, body: object) =>
    cluster.client.patch(type, { namespace: 'monitoring', name: 'main', patchType: 'merge', body, signal });
  await cluster.applyYaml(workload);
  await cluster.advance(120_000);
  await change(grafanaagents, { spec: { image: 'grafana/agent:v0.44.3', portName: 'web' } });
  await change(prometheusagents, { spec: { shards: 3 } });
  await change(prometheuses, { spec: { shards: 1, portName: 'http' } });
  await cluster.advance(300_000);
  const nobody = { shards: 1, instanceSelector: { matchLabels: { no: 'one' } } };
  await change(grafanaagents, { spec: { metrics: nobody, logs: null, integrations: null } });
  await cluster.advance(300_000);
}

const followed = `
apiVersion: v1
kind: ConfigMap
metadata: { name: rules, namespace: shop, labels: { signalbox.dev/metric-rules: "" } }
data: { rules.yaml: "rules: none" }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec:
  replicas: 1
  selector: { matchLabels: { app.kubernetes.io/name: grafana-agent } }
  template:
    metadata: { labels: { app.kubernetes.io/name: grafana-agent } }
    spec: { containers: [{ name: web, image: web, ports: [{ name: http, containerPort: 8080 }] }] }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web
  namespace: shop
  annotations: { signalbox.dev/metric-rules: "rules: [{ metric: orders, rate: orders_total, pods: { selector: app.kubernetes.io/name=grafana-agent } }]" }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  maxReplicas: 2
  metrics: [{ type: Pods, pods: { metric: { name: orders }, target: { type: AverageValue, averageValue: "1" } } }]
`;
