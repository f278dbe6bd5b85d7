import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Cluster,
  createCluster,
  createDrivenClock,
  explainLive,
  nodes,
  pods,
  rejects,
  type SchedulerPlugin,
  type Serving,
  serveCluster,
  systemClock,
} from '@signalbox/cluster';
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

const podOf = (cpu: string): { readonly spec: object } => ({
  spec: { containers: [{ name: 'agent', image: 'agent:1', resources: { requests: { cpu } } }] },
});
const template = (cpu: string): object => ({ metadata: { labels: { app: 'agent' } }, ...podOf(cpu) });
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
  expect(await explain('deployment.v1.apps', 'web')).not.toBe(2);
  expect(await explain('pod.v1', 'gone', '-n', 'nons')).toBe(1);
  expect(io.err()).toContain(
    'there is no namespace nons, and so no Pod nons/gone; there are default, kube-node-lease, kube-public, kube-system',
  );
}, 60_000);

test('a daemonset is explained by the cluster that runs it, from settled to stuck', async () => {
  await cluster.apply([daemonset('agent', '100m')]);
  await until(0, 'daemonset', 'agent');
  expect(io.out()).toContain('✓ DaemonSet default/agent runs on all 3 nodes that should run it');
  expect(io.out()).toContain('3 nodes  run  [node-1, node-2, node-3]');

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

const { signal } = new AbortController();

test('a running cluster says by which rules its scheduler decides, and what only it can ask', async () => {
  const heedless = {
    schedulerName: 'heedless',
    plugins: { filter: { disabled: [{ name: 'NodeResourcesFit' }] } },
  };
  const configuration = { profiles: [{ schedulerName: 'default-scheduler' }, heedless] };
  const closed: SchedulerPlugin = { name: 'Closed', wakesOn: [], filter: () => rejects('the box is closed') };
  const other = await createCluster({ nodes: 1, scheduler: { configuration, plugins: [closed] } });
  const door = await serveCluster(other, { port: 0, kubeconfig: join(io.cwd, 'kubeconfig') });
  const pod = { metadata: { name: 'p', namespace: 'default' }, ...podOf('1k'), apiVersion: 'v1', kind: 'Pod' };
  await other.apply([{ ...pod, spec: { ...podOf('1k').spec, schedulerName: 'heedless' } } as never]);
  try {
    expect(await explain('pod', 'p', '-o', 'json')).toBe(3);
    const json: unknown = JSON.parse(io.out());
    expect(json).toMatchObject({
      causes: [{ cause: 'it fits 1 node and waits for the scheduler' }],
      facts: { profile: 'heedless', pluginsNotAsked: 'Closed' },
    });
    const options = { signal, nowMs: Date.now(), scheduler: other.scheduler };
    const asked = await explainLive(other.client, { type: pods, namespace: 'default', name: 'p' }, options);
    expect(asked?.causes[0]?.cause).toBe('1 node: Closed: the box is closed');
    expect(asked?.facts).not.toHaveProperty('pluginsNotAsked');

    await writeFile(join(io.cwd, 'other.yaml'), 'profiles: [{ schedulerName: heedless }]');
    await explain('pod', 'p', '--scheduler-config', 'other.yaml');
    expect(io.out()).toContain('1 node: NodeResourcesFit: 1k cpu is more than the node has');
    expect(await explain('pod', 'p', '--scheduler-config', 'gone.yaml')).toBe(1);
    expect(io.err()).toContain('--scheduler-config gone.yaml: ');
  } finally {
    await door.close();
    await other.close();
  }
}, 60_000);

test('the time is that of the cluster', async () => {
  const clock = createDrivenClock({ startMs: Date.parse('2040-01-01T00:00:00Z') });
  const virtual = await createCluster({ nodes: 1, clock, outsideClock: systemClock });
  const driven = { nowMs: clock.nowMs, driven: clock };
  const door = await serveCluster(virtual, { port: 0, kubeconfig: join(io.cwd, 'kubeconfig'), driven });
  const cronjob = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'report', namespace: 'default' },
    spec: {
      schedule: '0 * * * *',
      jobTemplate: { spec: { template: { spec: { ...podOf('1').spec, restartPolicy: 'Never' } } } },
    },
  };
  await virtual.apply([cronjob as never]);
  try {
    expect(await explain('cronjob', 'report')).toBe(0);
    expect(io.out()).toContain('✓ CronJob default/report comes due in 1h, at 2040-01-01T01:00:00Z');
  } finally {
    await door.close();
    await virtual.close();
  }
}, 60_000);

test('claims and ReplicaSets are asked about as kubectl calls them', async () => {
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'gone', resources: { requests: { storage: '1Gi' } } },
  };
  await cluster.apply([claim as never]);
  expect(await explain('pvc', 'data')).toBe(3);
  expect(io.out()).toContain('cause: storageclass.storage.k8s.io "gone" not found');
  expect(await explain('rs/none')).toBe(1);
  expect(io.err()).toContain('there is no ReplicaSet default/none');
  expect(await explain('rc', 'none')).toBe(1);
  expect(io.err()).toContain('there is no ReplicationController default/none');
});
