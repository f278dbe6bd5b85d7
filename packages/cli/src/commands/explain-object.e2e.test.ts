import { join } from 'node:path';
import { type Cluster, createCluster, nodes, type Serving, serveCluster } from '@signalbox/cluster';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { run } from '../run.ts';
import { createTestIo, type TestIo } from '../testing/io.ts';

let io: TestIo;
let cluster: Cluster;
let serving: Serving;

beforeEach(async () => {
  io = await createTestIo();
  cluster = await createCluster({ nodes: 3 });
  serving = await serveCluster(cluster, { port: 0, kubeconfig: join(io.cwd, 'kubeconfig') });
});
afterEach(async () => {
  io.stop();
  await serving.close();
  await cluster.close();
  await io.remove();
});

const template = (cpu: string): object => ({
  metadata: { labels: { app: 'agent' } },
  spec: { containers: [{ name: 'agent', image: 'agent:1', resources: { requests: { cpu } } }] },
});
const daemonset = (name: string, cpu: string): never =>
  ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'default' },
    spec: { selector: { matchLabels: { app: 'agent' } }, template: template(cpu) },
  }) as never;

const explain = (...words: readonly string[]): Promise<number> =>
  run(['explain', ...words, '--kubeconfig', 'kubeconfig'], io);

async function until(code: number, ...words: readonly string[]): Promise<void> {
  const endMs = performance.now() + 20_000;
  while ((await explain(...words)) !== code) if (performance.now() > endMs) throw new Error(io.out());
}

test('workloads and nodes are asked about alike', async () => {
  const spec = { replicas: 2, selector: { matchLabels: { app: 'agent' } }, template: template('1k') };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default' },
    spec,
  };
  await cluster.apply([deployment as never]);
  const isTold = (): boolean => io.out().includes('2 pods wait for a node: 3 nodes: NodeResourcesFit: 1k cpu is more');
  const endMs = performance.now() + 20_000;
  while (!isTold() && performance.now() < endMs) expect([0, 3]).toContain(await explain('deploy', 'web'));
  expect(isTold()).toBe(true);

  await until(0, 'node', 'node-1');
  expect(io.out()).toContain('✓ Node node-1 is ready, and has 0 pods');
  await cluster.client.patch(nodes, {
    name: 'node-1',
    patchType: 'merge',
    body: { spec: { unschedulable: true } },
    signal: new AbortController().signal,
  });
  expect(await explain('no/node-1')).toBe(3);
  expect(io.out()).toContain('mend:  kubectl uncordon node-1');
  expect(await explain('node', 'node-1', '--node', 'node-2')).toBe(2);
  expect(await explain('statefulset', 'db')).toBe(1);
}, 60_000);

test('a daemonset is explained by the cluster that runs it, from settled to stuck', async () => {
  await cluster.apply([daemonset('agent', '100m')]);
  await until(0, 'daemonset', 'agent');
  expect(io.out()).toContain('✓ DaemonSet default/agent runs on all 3 nodes that should run it');
  expect(io.out()).toContain('3 nodes  runs  [node-1, node-2, node-3]');

  await cluster.apply([daemonset('large', '1k')]);
  await until(3, 'ds/large');
  const told = (): string => io.out().slice(io.out().lastIndexOf('✗ DaemonSet default/large'));
  while (!told().includes('NodeResourcesFit')) await explain('ds', 'large');
  expect(told()).toContain('cause: 3 nodes: NodeResourcesFit: 1k cpu is more than the node has');
  expect(told()).toContain('mend:  request less cpu, or add larger nodes');

  expect(await explain('daemonset', 'large', '--node', 'node-2', '-o', 'json')).toBe(3);
  const json: unknown = JSON.parse(io.out().slice(io.out().lastIndexOf('\n{\n')));
  expect(json).toMatchObject({
    subject: { kind: 'DaemonSet', namespace: 'default', name: 'large' },
    outcome: 'waits',
    groups: [
      {
        of: 'node',
        state: 'should run',
        names: ['node-2'],
        rules: [{ plugin: 'NodeResourcesFit', shortage: { resource: 'cpu', wanted: 1_000_000 } }],
      },
    ],
  });
  expect(await explain('daemonset', 'gone')).toBe(1);
  expect(io.err()).toContain('there is no DaemonSet default/gone; namespace default has agent, large');
  expect(await explain('daemonset', 'agent', '--node', 'nowhere')).toBe(1);
  expect(io.err()).toContain('there is no node nowhere');
}, 60_000);
