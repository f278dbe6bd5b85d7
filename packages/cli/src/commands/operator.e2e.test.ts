import { join } from 'node:path';
import {
  type Authorizer,
  type Cluster,
  createCluster,
  customresourcedefinitions,
  type Endpoints,
  endpoints,
  isStatusError,
  type KubeObject,
  leases,
  type New,
  rbac,
  type Serving,
  serveCluster,
  sleep,
  statefulsets,
  systemClock,
} from '@signalbox/cluster';
import { customResourceDefinitions, servicemonitors } from '@signalbox/telemetry';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { run } from '../run.ts';
import { createTestIo, type TestIo } from '../testing/io.ts';

const { signal } = new AbortController();
let io: TestIo;
/** What nobody outside of the cluster may list. */
let withheld: readonly string[];
let cluster: Cluster;
let serving: Serving;

beforeEach(async () => {
  io = await createTestIo();
  withheld = [];
  cluster = await createCluster({ nodes: 2, authorizer: withholding });
  serving = await serveCluster(cluster, { port: 0, kubeconfig: join(io.cwd, 'kubeconfig') });
});

const withholding: Authorizer = {
  ...rbac,
  authorize(access, world) {
    const isOurs = access.user.name.startsWith('system:');
    const isWithheld = !isOurs && 'resource' in access && withheld.includes(access.resource);
    return isWithheld ? { allowed: false, reason: 'withheld' } : rbac.authorize(access, world);
  },
};

afterEach(async () => {
  io.stop();
  await serving.close();
  await cluster.close();
  await io.remove();
});

const make = (apiVersion: string, kind: string, metadata: object, spec: object = {}): New<KubeObject> =>
  ({ apiVersion, kind, metadata, spec }) as unknown as New<KubeObject>;
const hierarchyIn = (namespace: string): readonly New<KubeObject>[] => [
  make('v1', 'Namespace', { name: namespace }),
  make(
    'monitoring.grafana.com/v1alpha1',
    'GrafanaAgent',
    { name: 'agent', namespace },
    { metrics: { instanceSelector: {} } },
  ),
  make('monitoring.grafana.com/v1alpha1', 'MetricsInstance', { name: 'primary', namespace }),
];
const until = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await sleep(systemClock, 20, { signal });
};
const shards = async (): Promise<readonly string[]> =>
  (await cluster.client.list(statefulsets, { signal })).items.map(
    ({ metadata }) => `${metadata.namespace}/${metadata.name}`,
  );

test('a cluster without the definitions is refused with the mend', async () => {
  expect(await run(['operator', '--kubeconfig', 'kubeconfig'], io)).toBe(1);
  expect(io.err()).toMatch(
    /^error: the cluster lacks \d+ custom resource definitions \(.*grafanaagents.*\); run with --install-crds/,
  );
});

test('it does its work for the namespaces that it is given, and gives the lease back', async () => {
  const argv = ['operator', '--kubeconfig', 'kubeconfig', '--install-crds', '--namespace', 'a', '--namespace', 'b'];
  const ended = run(argv, io);
  const isHeld = async (): Promise<boolean> =>
    (await cluster.client
      .get(leases, { namespace: 'kube-system', name: 'signalbox-operator', signal })
      .then(({ spec }) => /^test_[0-9a-f-]{36}$/.test(spec.holderIdentity ?? ''))
      .catch((error: unknown) => !isStatusError(error, 'NotFound'))) === true;
  await until(isHeld);
  expect((await cluster.client.list(customresourcedefinitions, { signal })).items.length).toBeGreaterThan(7);
  await cluster.apply([...hierarchyIn('c'), ...hierarchyIn('a'), ...hierarchyIn('b')]);
  await until(async () => (await shards()).length === 2);
  await sleep(systemClock, 300, { signal });
  expect([...(await shards())].sort()).toEqual(['a/agent', 'b/agent']);
  io.stop();
  expect(await ended).toBe(0);
  expect(await isHeld()).toBe(false);
  expect(io.err()).not.toMatch(/cannot|error/);
});

test('it says on a monitor who has taken it, from what its caches keep', async () => {
  const ended = run(['operator', '--kubeconfig', 'kubeconfig', '--install-crds'], io);
  await until(async () => io.err().includes('and works'));
  const [group, metadata] = ['monitoring.coreos.com', { name: 'web', namespace: 'default' }];
  const spec = { selector: {}, endpoints: [{ port: 'http' }] };
  await cluster.apply([
    make(`${group}/v1`, 'ServiceMonitor', metadata, spec),
    make(`${group}/v1`, 'Prometheus', { name: 'main', namespace: 'default' }, { serviceMonitorSelector: {} }),
  ]);
  const status = async (): Promise<unknown> =>
    ((await cluster.client.get(servicemonitors, { ...metadata, signal })) as { readonly status?: unknown }).status;
  await until(async () => (await status()) !== undefined);
  expect(await status()).toMatchObject({
    bindings: [{ resource: 'prometheuses', name: 'main', conditions: [{ type: 'Accepted', status: 'True' }] }],
    conditions: [{ type: 'Selected', status: 'True' }],
  });
  io.stop();
  expect(await ended).toBe(0);
});

test('a rehearsal ends when it has looked at everything, with the sum of what it would do', async () => {
  await cluster.apply(customResourceDefinitions());
  const argv = ['operator', '--kubeconfig', 'kubeconfig', '--dry-run', '--once'];
  expect(await run(argv, io)).toBe(0);
  expect(io.err()).toContain('would create 0, change 0 and delete 0 objects; 0 warnings');
  await cluster.apply(hierarchyIn('a'));
  expect(await run(argv, io)).toBe(3);
  expect(io.err()).toContain('would create StatefulSet a/agent\n');
  expect(io.err()).toContain('would create 4, change 0 and delete 0 objects; 0 warnings');
  expect(await shards()).toEqual([]);
});

test('a rehearsal that may not see everything says so instead of a sum, and what it lacks', async () => {
  await cluster.apply(customResourceDefinitions());
  await cluster.apply(hierarchyIn('a'));
  withheld = ['statefulsets', 'probes'];
  const argv = ['operator', '--kubeconfig', 'kubeconfig', '--dry-run', '--once'];
  expect(await run(argv, io)).toBe(1);
  expect(io.err()).toMatch(
    /error: cannot say what it would do, as it has not seen .*probes\.monitoring\.coreos\.com.*: ask for the right/,
  );
  expect(io.err()).toContain('statefulsets.apps');
  expect(io.err()).not.toContain('would create 0');
  // Once for each resource, though it is tried again.
  expect(io.err().match(/cannot follow probes/g)).toHaveLength(1);
});

test('what only findings need may be withheld from a rehearsal', async () => {
  await cluster.apply(customResourceDefinitions());
  await cluster.apply(hierarchyIn('a'));
  withheld = ['endpointslices', 'pods', 'ingresses'];
  expect(await run(['operator', '--kubeconfig', 'kubeconfig', '--dry-run', '--once'], io)).toBe(3);
});

test('diff needs no more than the operator does, and says what it leaves out', async () => {
  await cluster.apply(customResourceDefinitions());
  await cluster.apply(hierarchyIn('a'));
  withheld = ['replicasets', 'nodes'];
  expect(await run(['diff', '--kubeconfig', 'kubeconfig'], io)).toBe(3);
  expect(io.err()).toMatch(/^warning: what depends on replicasets is not told: replicasets.apps is forbidden/m);
  expect(io.out()).toContain('+ StatefulSet a/agent\n');
  withheld = ['secrets'];
  expect(await run(['diff', '--kubeconfig', 'kubeconfig'], io)).toBe(1);
  expect(io.err()).toContain('this reads secrets in all namespaces: ask for the right to list them');
});

test('of two on hosts of one name, as containers often are, one works and the other waits', async () => {
  const other = await createTestIo({ seed: 'other' });
  const argv = ['operator', '--kubeconfig', join(io.cwd, 'kubeconfig'), '--install-crds'];
  const ended = [run(argv, io), run(argv, other)];
  try {
    await until(async () => [io, other].every((each) => each.err().includes('holds the lease')));
    const said = [io, other].map((each) => /works$|waiting$/m.exec(each.err())?.[0]);
    expect([...said].sort((a = '', b = '') => a.localeCompare(b))).toEqual(['waiting', 'works']);
  } finally {
    io.stop();
    other.stop();
    expect(await Promise.all(ended)).toEqual([0, 0]);
    await other.remove();
  }
});

test('it labels what it makes, takes the agents that it is told, and gathers the kubelets', async () => {
  const flags = ['--labels', 'team=obs', '--agent-selector', 'mine', '--kubelet-service', 'default/kubelet'];
  const ended = run(['operator', '--kubeconfig', 'kubeconfig', '--install-crds', ...flags], io);
  await until(async () => io.err().includes('and works'));
  const [, agent, instance] = hierarchyIn('default');
  const labelled = { ...agent, metadata: { ...agent?.metadata, name: 'mine', labels: { mine: '' } } };
  await cluster.apply([labelled as New<KubeObject>, ...[agent, instance].filter((each) => each !== undefined)]);
  const found = async (): Promise<Endpoints | undefined> =>
    cluster.client.get(endpoints, { namespace: 'default', name: 'kubelet', signal }).catch(() => undefined);
  await until(async () => (await shards()).length > 0 && (await found())?.subsets?.[0]?.addresses?.length === 2);
  await sleep(systemClock, 300, { signal });
  expect(await shards()).toEqual(['default/mine']);
  const set = await cluster.client.get(statefulsets, { namespace: 'default', name: 'mine', signal });
  expect(set.spec.selector.matchLabels).toMatchObject({ team: 'obs' });
  io.stop();
  expect(await ended).toBe(0);
  expect(io.err()).not.toMatch(/cannot|error/);
});

test('with --listen it tells how it is, and what it does is in the log', async () => {
  const argv = [
    'operator',
    '--kubeconfig',
    'kubeconfig',
    '--install-crds',
    '--listen',
    '127.0.0.1:0',
    '--log-format',
    'json',
  ];
  const ended = run(argv, io);
  const lines = (): readonly Readonly<Record<string, unknown>>[] =>
    io
      .err()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  await until(async () => io.err().includes('/metrics'));
  const [, address = ''] = /on (http:\/\/127\.0\.0\.1:\d+)/.exec(io.err()) ?? [];
  const read = async (path: string): Promise<string> => (await fetch(`${address}${path}`)).text();
  // Who waits for the lease is ready, too.
  await until(async () => /^signalbox_leader 1$/m.test(await read('/metrics')));
  await until(async () => (await fetch(`${address}/readyz`)).ok);
  await cluster.apply(hierarchyIn('a'));
  await until(async () => (await read('/metrics')).includes('name="agent"'));
  await until(async () => lines().some(({ message }) => String(message).startsWith('created StatefulSet a/agent')));
  expect(lines().find(({ message }) => String(message).startsWith('created StatefulSet'))).toMatchObject({
    component: 'grafana-agent',
    action: 'create',
    object: { kind: 'StatefulSet', namespace: 'a', name: 'agent' },
    reason: expect.stringMatching(/ a\/\w+ was created/),
  });
  // A look is counted when the caches show what was written.
  await until(async () => (await read('/metrics')).includes('component="grafana-agent",result="succeeded"'));
  const metrics = await read('/metrics');
  expect(metrics).toMatch(/^signalbox_leader 1$/m);
  expect(metrics).toMatch(/^signalbox_api_requests_total\{verb="create",resource="statefulsets.apps",code="201"\} 1$/m);
  expect(metrics).toMatch(/^signalbox_reconciles_total\{component="grafana-agent",result="succeeded"\} \d+$/m);
  expect(await read('/readyz?verbose')).toMatch(/\[\+\]informer-sync ok\n/);
  expect(await read('/healthz')).toBe('ok');
  io.stop();
  expect(await ended).toBe(0);
  await expect(fetch(`${address}/healthz`)).rejects.toThrow();
});

test.each([
  [['--listen', '8080'], /It must be an address and a port such as 127.0.0.1:8080 or :8080/],
  [['--metrics-token-file', 'token'], /need --listen/],
  [['--listen', ':0', '--tls-cert-file', 'tls.crt'], /go together/],
])('%j is wrong usage', async (flags, why) => {
  expect(await run(['operator', ...flags], io)).toBe(2);
  expect(io.err()).toMatch(why);
});

test('a kubelet Service outside of what is looked after is refused with the mend', async () => {
  const argv = ['operator', '--kubeconfig', 'kubeconfig', '--namespace', 'a', '--kubelet-service', 'default/kubelet'];
  expect(await run(argv, io)).toBe(1);
  expect(io.err()).toContain('add --namespace default');
});

test('a server that is not there is named', async () => {
  await serving.close();
  expect(await run(['operator', '--kubeconfig', 'kubeconfig'], io)).toBe(1);
  expect(io.err()).toMatch(
    /^error: cannot reach https:\/\/127\.0\.0\.1:\d+: nothing listens there; is the server running\?\n$/,
  );
});
