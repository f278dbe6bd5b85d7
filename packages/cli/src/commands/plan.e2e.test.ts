import { join } from 'node:path';
import {
  type Cluster,
  createCluster,
  leases,
  type Serving,
  serveCluster,
  sleep,
  statefulsets,
  systemClock,
} from '@signalbox/cluster';
import { createTelemetryOperator, customResourceDefinitions, defaultComponents } from '@signalbox/telemetry';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseManifests } from '../io/manifests.ts';
import { run } from '../run.ts';
import { createTestIo, type TestIo } from '../testing/io.ts';

const { signal } = new AbortController();
let io: TestIo;
let cluster: Cluster;
let serving: Serving;

const root = `
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: default }
spec: { podMonitorSelector: {} }
`;

beforeEach(async () => {
  io = await createTestIo();
  await io.file('root.yaml', root);
  cluster = await createCluster({
    nodes: 1,
    manifests: customResourceDefinitions(),
    components: [(platform) => createTelemetryOperator(platform, { components: defaultComponents() })],
  });
  serving = await serveCluster(cluster, { port: 0, kubeconfig: join(io.cwd, 'kubeconfig') });
});
afterEach(async () => {
  io.stop();
  await serving.close();
  await cluster.close();
  await io.remove();
});

const plan = (...words: string[]): Promise<number> => run(['plan', '--kubeconfig', 'kubeconfig', ...words], io);
const sets = async (): Promise<readonly string[]> =>
  (await cluster.client.list(statefulsets, { signal })).items.map(({ metadata }) => metadata.name);

test('what a cluster would come to is told, and nothing of it is done', async () => {
  expect(await plan('-f', 'root.yaml')).toBe(3);
  expect(io.out()).toContain('  + Prometheus default/main\n');
  expect(io.out()).toContain('  + StatefulSet default/prometheus-main\n');
  expect(await sets()).toEqual([]);
  await cluster.apply(parseManifests(root, 'root.yaml').found.map(({ object }) => object));
  // As soon as the operator has done what was foretold.
  while ((await plan('-f', 'root.yaml')) !== 0) await sleep(systemClock, 20, { signal });
  expect(await sets()).toEqual(['prometheus-main']);
  expect(io.out()).toContain('Nothing would change.\n');
  expect(await plan('--scale', 'prometheus/main=2')).toBe(3);
  expect(io.out()).toContain('  + StatefulSet default/prometheus-main-shard-1\n');
  expect(io.err()).toBe('');
});

test('what another operator would change is told of some namespaces alone', async () => {
  const diff = (...words: string[]): Promise<number> =>
    run(['diff', '--kubeconfig', 'kubeconfig', '--labels', 'team=a', ...words], io);
  await cluster.apply(parseManifests(root, 'root.yaml').found.map(({ object }) => object));
  while (!(await sets()).includes('prometheus-main')) await sleep(systemClock, 20, { signal });
  expect(await diff('-n', 'default', '-n', 'kube-system')).toBe(3);
  expect(await diff('-n', 'kube-system')).toBe(0);
  expect(io.out()).toMatch(/Nothing would change\.\n$/);
  expect(await diff('-n', 'default', '-n', 'nope')).toBe(1);
  expect(io.err()).toBe('error: the cluster has no namespace nope\n');
});

test('a dry run of the operator takes no lease', async () => {
  const ended = run(['operator', '--kubeconfig', 'kubeconfig', '--dry-run'], io);
  while (!io.err().includes('tells what it would do for')) await sleep(systemClock, 20, { signal });
  const held = await cluster.client.list(leases, { namespace: 'kube-system', signal });
  expect(held.items.map(({ metadata }) => metadata.name)).not.toContain('signalbox-operator');
  io.stop();
  expect(await ended).toBe(0);
});
