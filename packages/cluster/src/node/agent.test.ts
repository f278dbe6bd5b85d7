import { expect, test } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { jobs, leases, namespaces, nodes, pods } from '../api/generated/kinds.ts';
import type { KubeObject } from '../api/meta.ts';
import { nodeAgent } from '../api/system-identities.ts';
import type { Transport } from '../client/transport.ts';
import { createTestCluster, type TestCluster } from '../testing/test-cluster.ts';

const { signal } = new AbortController();

async function readPod(cluster: TestCluster, name: string): Promise<Pod> {
  return cluster.during(cluster.client.get(pods, { namespace: 'default', name, signal }));
}

const manifest = (name: string, extra = ''): string => `
apiVersion: v1
kind: Pod
metadata:
  name: ${name}
spec:
  containers:
    - name: main
      image: example/main:1
${extra}`;

test('nodes register: status, labels, addresses of their own, a lease that is renewed', async () => {
  const cluster = await createTestCluster({ nodes: 2 });
  await cluster.advance(1_000);
  const list = await cluster.during(cluster.client.list(nodes, { signal }));
  expect(list.items.map(({ status }) => status.addresses?.[0]?.address)).toEqual(['172.16.0.1', '172.16.0.2']);
  expect(list.items[0]?.status.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
  expect(list.items[0]?.metadata.labels?.['kubernetes.io/hostname']).toBe('node-1');
  const renewed = async (): Promise<string | undefined> =>
    (await cluster.during(cluster.client.get(leases, { namespace: 'kube-node-lease', name: 'node-1', signal }))).spec
      ?.renewTime;
  const first = await renewed();
  await cluster.advance(11_000);
  expect(await renewed()).not.toBe(first);
  expect(cluster.problems).toEqual([]);
  await cluster.close();
});

test('a node goes on living whoever changes its lease, or takes it away', async () => {
  const cluster = await createTestCluster({ nodes: 1 });
  const place = { namespace: 'kube-node-lease', name: 'node-1', signal };
  await cluster.advance(60_000);
  const labels = { a: 'b' };
  await cluster.during(cluster.client.patch(leases, { ...place, patchType: 'merge', body: { metadata: { labels } } }));
  const age = async (): Promise<number> => {
    const { spec } = await cluster.during(cluster.client.get(leases, place));
    return cluster.platform.clock.nowMs() - Date.parse(spec?.renewTime ?? '');
  };
  await cluster.advance(30_000);
  expect(await age()).toBeLessThan(12_000);
  expect((await cluster.during(cluster.client.get(leases, place))).metadata.labels).toEqual(labels);
  await cluster.during(cluster.client.delete(leases, place));
  await cluster.advance(30_000);
  expect(await age()).toBeLessThan(12_000);
  expect((await cluster.during(cluster.client.get(leases, place))).metadata.labels).toBeUndefined();
  expect(cluster.problems).toEqual([]);
  await cluster.close();
});

test('a node goes on living when its lease is taken away between look and write', async () => {
  const place = { namespace: 'kube-node-lease', name: 'node-1', signal };
  let isTaken = false;
  const cluster: TestCluster = await createTestCluster({
    nodes: 1,
    between: (transport) => ({
      watch: (operation, waiting) => transport.watch(operation, waiting),
      async perform(operation, waiting) {
        const lease = operation.verb === 'update' && operation.resource.resource === leases.resource;
        // It was changed before, so that it was looked at again.
        if (lease && !isTaken && (operation.body as KubeObject).metadata.labels?.['a'] === 'b') {
          isTaken = true;
          await cluster.client.delete(leases, place);
        }
        return transport.perform(operation, waiting);
      },
    }),
  });
  await cluster.advance(60_000);
  const body = { metadata: { labels: { a: 'b' } } };
  await cluster.during(cluster.client.patch(leases, { ...place, patchType: 'merge', body }));
  // Sooner than it would become NotReady, which brings it back as well.
  await cluster.advance(30_000);
  expect(isTaken).toBe(true);
  const { metadata, spec } = await cluster.during(cluster.client.get(leases, place));
  expect(cluster.clock.nowMs() - Date.parse(spec?.renewTime ?? '')).toBeLessThan(12_000);
  expect(metadata.labels).toBeUndefined();
  expect(cluster.problems).toEqual([]);
  await cluster.close();
});

test('a node lives again soon after the namespace of leases is back, and that it was gone is told once', async () => {
  let tries = 0;
  const cluster = await createTestCluster({
    nodes: 1,
    between: (transport) => ({
      watch: (operation, waiting) => transport.watch(operation, waiting),
      perform(operation, waiting) {
        tries += Number(operation.verb === 'create' && operation.resource.resource === leases.resource);
        return transport.perform(operation, waiting);
      },
    }),
  });
  await cluster.advance(60_000);
  const name = 'kube-node-lease';
  await cluster.during(cluster.client.delete(namespaces, { name, signal }));
  await cluster.advance(5 * 60_000);
  expect(tries).toBeGreaterThan(20);
  expect(tries).toBeLessThan(60);
  expect(cluster.problems.map(({ message }) => message)).toEqual(['cannot report on node node-1']);
  const made = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} } as const;
  await cluster.during(cluster.client.create(namespaces, made, { signal }));
  await cluster.advance(15_000);
  const { spec } = await cluster.during(cluster.client.get(leases, { namespace: name, name: 'node-1', signal }));
  expect(cluster.clock.nowMs() - Date.parse(spec?.renewTime ?? '')).toBeLessThan(12_000);
  await cluster.close();
});

test('of very many nodes so many speak at once, and the next as soon as one has been heard', async () => {
  let under = 0;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const slow = (transport: Transport): Transport => ({
    watch: (operation, waiting) => transport.watch(operation, waiting),
    async perform(operation, waiting) {
      const isAgents = operation.user.name === nodeAgent.user.name;
      under += Number(isAgents);
      if (isAgents) await opened;
      return transport.perform(operation, waiting);
    },
  });
  const cluster = await createTestCluster({ nodes: 600, between: slow });
  await cluster.advance(1_050);
  expect(under).toBe(256);
  open();
  await cluster.advance(1);
  const { items } = await cluster.during(cluster.client.list(leases, { signal, namespace: 'kube-node-lease' }));
  expect(items).toHaveLength(600);
  await cluster.close();
});

test('nodes go on living while hundreds of pods cannot be told of', async () => {
  let held = 0;
  const stuck = (transport: Transport): Transport => ({
    watch: (operation, waiting) => transport.watch(operation, waiting),
    async perform(operation, waiting) {
      const isOfPod = operation.user.name === nodeAgent.user.name && operation.resource.resource === pods.resource;
      held += Number(isOfPod);
      return isOfPod ? new Promise(() => undefined) : transport.perform(operation, waiting);
    },
  });
  const cluster = await createTestCluster({ nodes: 520, between: stuck });
  await cluster.advance(1_000);
  await cluster.applyYaml(`
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: everywhere }
spec:
  selector: { matchLabels: { app: everywhere } }
  template:
    metadata: { labels: { app: everywhere } }
    spec: { containers: [{ name: main, image: example/main:1 }] }
`);
  await cluster.advance(60_000);
  expect(held).toBe(512);
  const { items } = await cluster.during(cluster.client.list(leases, { signal, namespace: 'kube-node-lease' }));
  const oldestMs = Math.min(...items.map(({ spec }) => Date.parse(spec?.renewTime ?? '')));
  expect(cluster.clock.nowMs() - oldestMs).toBeLessThan(16_000);
  await cluster.close();
});

test('a pod runs, and a deleted one stops before it is gone', async () => {
  const cluster = await createTestCluster({ nodes: 1 });
  await cluster.advance(1_000);
  await cluster.applyYaml(manifest('web'));
  await cluster.advance(1_000);
  expect((await readPod(cluster, 'web')).status).toMatchObject({
    phase: 'Running',
    podIP: '10.128.0.1',
    hostIP: '172.16.0.1',
  });
  await cluster.during(cluster.client.delete(pods, { namespace: 'default', name: 'web', signal }));
  expect((await readPod(cluster, 'web')).metadata.deletionTimestamp).toBeDefined();
  await cluster.advance(500);
  await expect(readPod(cluster, 'web')).rejects.toThrow('not found');
  await cluster.close();
});

test('a Job that waits for the end of a pod that was deleted is told of it', async () => {
  const cluster = await createTestCluster({ nodes: 1 });
  await cluster.advance(1_000);
  await cluster.applyYaml(`
apiVersion: batch/v1
kind: Job
metadata: { name: work }
spec:
  podReplacementPolicy: Failed
  template:
    metadata: { annotations: { signalbox.dev/exit-after: never } }
    spec: { restartPolicy: Never, containers: [{ name: main, image: example/work:1 }] }
`);
  await cluster.advance(3_000);
  const named = async (): Promise<readonly string[]> =>
    (await cluster.during(cluster.client.list(pods, { namespace: 'default', signal }))).items.map(
      ({ metadata }) => metadata.name,
    );
  const [first = ''] = await named();
  const ended: unknown[] = [];
  const stop = cluster.platform.informers.listen(pods, ({ object: { metadata, status } }) => {
    if (metadata.name === first && status.phase !== 'Running')
      ended.push([status.phase, status.containerStatuses?.[0]?.state?.terminated?.exitCode]);
  });
  await cluster.during(cluster.client.delete(pods, { namespace: 'default', name: first, signal }));
  await cluster.advance(20_000);
  stop();
  expect(ended[0]).toEqual(['Failed', 143]);
  const [second, ...more] = await named();
  expect(second).not.toBe(first);
  expect(more).toEqual([]);
  const { status } = await cluster.during(cluster.client.get(jobs, { namespace: 'default', name: 'work', signal }));
  expect(status).toMatchObject({ active: 1, failed: 1 });
  expect(cluster.problems).toEqual([]);
  await cluster.close();
});

test('a stopped machine is silent: no lease, no pods started; it goes on where it was', async () => {
  const cluster = await createTestCluster({ nodes: 1 });
  await cluster.advance(1_000);
  const mark = (value: string | null) =>
    cluster.during(
      cluster.client.patch(nodes, {
        name: 'node-1',
        signal,
        patchType: 'merge',
        body: { metadata: { annotations: { 'signalbox.dev/stopped': value } } },
      }),
    );
  await mark('true');
  await cluster.applyYaml(manifest('web', '  nodeName: node-1\n'));
  await cluster.advance(5_000);
  expect((await readPod(cluster, 'web')).status.phase).toBe('Pending');
  await mark(null);
  await cluster.advance(2_000);
  expect((await readPod(cluster, 'web')).status.phase).toBe('Running');
  await cluster.close();
});

test('pods on the network of their host share its address, others never share one', async () => {
  const cluster = await createTestCluster({ nodes: 1 });
  await cluster.advance(1_000);
  await cluster.applyYaml(manifest('host', '  hostNetwork: true\n'));
  for (const name of ['a', 'b']) await cluster.applyYaml(manifest(name));
  await cluster.advance(1_000);
  const addresses = await Promise.all(
    ['host', 'a', 'b'].map(async (name) => (await readPod(cluster, name)).status.podIP),
  );
  expect(addresses[0]).toBe('172.16.0.1');
  expect(new Set(addresses).size).toBe(3);
  await cluster.close();
});

test('pods of a Node that is made again show the address that it gets', async () => {
  const cluster = await createTestCluster({ nodes: 1 });
  await cluster.advance(1_000);
  await cluster.applyYaml(manifest('web'));
  await cluster.applyYaml(manifest('host', '  hostNetwork: true\n'));
  await cluster.advance(1_000);
  const shown: (string | undefined)[] = [];
  const stop = cluster.platform.informers.listen(pods, ({ object }) => void shown.push(object.status.hostIP));
  await cluster.during(cluster.client.delete(nodes, { name: 'node-1', signal }));
  await cluster.applyYaml('{ apiVersion: v1, kind: Node, metadata: { name: node-1 } }');
  await cluster.advance(5_000);
  stop();
  const node = await cluster.during(cluster.client.get(nodes, { name: 'node-1', signal }));
  const address = node.status.addresses?.[0]?.address;
  expect(address).not.toBe('172.16.0.1');
  expect(new Set(shown)).toEqual(new Set(['172.16.0.1', address]));
  expect((await readPod(cluster, 'web')).status).toMatchObject({ hostIP: address, hostIPs: [{ ip: address }] });
  expect((await readPod(cluster, 'host')).status).toMatchObject({ hostIP: address, podIP: address });
  await cluster.close();
});
