import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Client,
  configmaps,
  createClient,
  createHttpTransport,
  customresourcedefinitions,
  daemonsets,
  loadKubeconfig,
  nodes,
  statefulsets,
  systemClock,
  systemRandom,
} from '@signalbox/cluster';
import { grafanaagents, type LiveNode } from '@signalbox/telemetry';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandProcess, repository, startCommand } from '../testing/process.ts';

const { signal } = new AbortController();
const quickstart = join(repository, 'examples', 'quickstart');
let cwd: string;
let running: CommandProcess[];
let closes: (() => Promise<void>)[];

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'signalbox-up-'));
  running = [];
  closes = [];
});
afterEach(async () => {
  for (const close of closes) await close();
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(running.map(({ ended }) => ended));
  await rm(cwd, { recursive: true });
});

const start = (...argv: readonly string[]): CommandProcess => {
  const started = startCommand(argv, { cwd });
  running.push(started);
  return started;
};
const clientOf = async (kubeconfig = '.signalbox/kubeconfig'): Promise<Client> => {
  const loaded = await loadKubeconfig({ path: join(cwd, kubeconfig), env: {}, clock: systemClock });
  const transport = createHttpTransport({
    connection: loaded.connection,
    clock: systemClock,
    random: systemRandom(),
  });
  closes.push(() => transport.close());
  return createClient(transport, { name: '', groups: [] });
};
const modeOf = async (path: string): Promise<string> => ((await stat(join(cwd, path))).mode & 0o777).toString(8);

interface Report {
  readonly ready: boolean;
  readonly server: string;
  readonly waiting: readonly unknown[];
  readonly tree: readonly LiveNode[];
}

test('the quickstart gets ready, and the result alone is on standard output', async () => {
  const up = start('up', '-f', quickstart, '--memory', '--port', '0', '--exit-when-ready', '-o', 'json');
  expect(await up.ended, up.err()).toBe(0);
  const report = JSON.parse(up.out()) as Report;
  expect(report).toMatchObject({ ready: true, waiting: [] });
  expect(report.tree.map(({ kind, name, state }) => `${state} ${kind} ${name}`)).toEqual(
    expect.arrayContaining(['ready GrafanaAgent grafana-agent', 'ready DaemonSet fluentd-elasticsearch']),
  );
  expect(up.err()).toContain('grafanaagent.monitoring.grafana.com/grafana-agent created');
  expect(up.err()).not.toMatch(/warning|error/);
});

describe('a cluster in a folder', () => {
  test('outlives a kill -9: what was acknowledged is there again, and deleted nodes stay deleted', async () => {
    const first = start('up', '-f', quickstart, '--port', '0');
    await first.printed('export KUBECONFIG=');
    expect([await modeOf('.signalbox'), await modeOf('.signalbox/kubeconfig')]).toEqual(['700', '600']);
    const before = await clientOf();
    const names = Array.from({ length: 20 }, (_, index) => `kept-${index}`);
    await Promise.all(
      names.map((name) =>
        before.create(
          configmaps,
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { name } },
          { signal },
        ),
      ),
    );
    await before.delete(nodes, { name: 'node-2', signal });
    first.child.kill('SIGKILL');
    expect(await first.ended).toBeNull();

    const second = start('up', '--port', '0');
    await second.printed('export KUBECONFIG=');
    const after = await clientOf();
    const kept = await after.list(configmaps, { namespace: 'default', signal });
    expect(kept.items.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(names));
    expect((await after.list(nodes, { signal })).items.map(({ metadata }) => metadata.name)).toEqual([
      'node-1',
      'node-3',
    ]);
    const sets = await after.list(daemonsets, { signal });
    expect(sets.items.map(({ status }) => [status?.desiredNumberScheduled, status?.numberReady])).toEqual([
      [2, 2],
      [2, 2],
    ]);

    const inMemory = start('up', '--memory', '--port', '0', '--exit-when-ready');
    expect(await inMemory.ended, inMemory.err()).toBe(0);
    expect((await (await clientOf()).list(nodes, { signal })).items).toHaveLength(2);

    const third = start('up', '--port', '0');
    expect(await third.ended).toBe(1);
    expect(third.err()).toMatch(
      /^error: cannot open the data folder .*: it is in use by process \d+; stop that process/,
    );

    const startedMs = systemClock.nowMs();
    second.child.kill('SIGINT');
    expect(await second.ended).toBe(0);
    expect(systemClock.nowMs() - startedMs).toBeLessThan(2_000);
    expect(second.err()).not.toMatch(/warning|error/);

    const fewer = start('up', '--port', '0', '--nodes', '1', '--exit-when-ready');
    expect(await fewer.ended).toBe(0);
    // The one that was asked for is there, as are the others.
    expect(fewer.err()).toContain('warning: the cluster has 2 nodes; --nodes 1 removes none of them');
  });

  test('is shown by tree, and an operator from outside waits for the one inside', async () => {
    const up = start('up', '-f', quickstart, '--port', '0');
    await up.printed('export KUBECONFIG=');
    const tree = start('tree');
    expect(await tree.ended, tree.err()).toBe(0);
    expect(tree.out()).toContain('✓ GrafanaAgent monitoring/grafana-agent · ✓ Reconciled, ✓ Available');
    expect(tree.out()).toMatch(/└─ ✓ DaemonSet monitoring\/grafana-agent-logs · 3 of 3 ready/);

    const operator = start('operator', '--kubeconfig', '.signalbox/kubeconfig');
    const waits = new Promise<void>((resolve) =>
      operator.child.stderr?.on('data', () => operator.err().includes('waiting') && resolve()),
    );
    await waits;
    expect(operator.err()).toContain('signalbox-up holds the lease kube-system/signalbox-operator; waiting');
    operator.child.kill('SIGTERM');
    expect(await operator.ended).toBe(0);

    const taken = new URL((await clientAddress()) ?? '').port;
    const other = start('up', '--memory', '--port', taken, '--kubeconfig', 'other');
    expect(await other.ended).toBe(1);
    expect(other.err()).toBe(
      `error: port ${taken} on 127.0.0.1 is in use; choose another with --port, or 0 for any free one\n`,
    );
  });
});

const clientAddress = async (): Promise<string | undefined> =>
  (await loadKubeconfig({ path: join(cwd, '.signalbox/kubeconfig'), env: {}, clock: systemClock })).connection.server;

test('without its own operator a cluster leaves telemetry to one from outside', async () => {
  const up = start('up', '--no-operator', '-f', quickstart, '--port', '0');
  await up.printed('export KUBECONFIG=');
  const client = await clientOf();
  const workloads = async (): Promise<number> =>
    (await client.list(statefulsets, { signal, namespace: 'monitoring' })).items.length;
  expect(await workloads()).toBe(0);
  start('operator', '--kubeconfig', '.signalbox/kubeconfig');
  await expect.poll(workloads, { timeout: 30_000 }).toBe(4);
});

test('what does not get ready within the time is told with the reason of whoever holds it up', async () => {
  await writeFile(
    join(cwd, 'big.yaml'),
    `apiVersion: apps/v1
kind: Deployment
metadata: { name: big }
spec:
  replicas: 1
  selector: { matchLabels: { app: big } }
  template:
    metadata: { labels: { app: big } }
    spec: { containers: [{ name: c, image: i, resources: { requests: { cpu: "1000" } } }] }
`,
  );
  const up = start('up', '-f', 'big.yaml', '--memory', '--port', '0', '--exit-when-ready', '--timeout', '2s');
  expect(await up.ended).toBe(1);
  expect(up.err()).toContain('not ready after 2s:');
  expect(up.err()).toMatch(
    /Deployment default\/big: 0 of 1 pods ready; pod big-\S+: 0\/3 nodes are available: 3 Insufficient cpu/,
  );
});

test('what the API refuses is told with file, line, object and field; the rest is applied', async () => {
  await writeFile(
    join(cwd, 'mixed.yaml'),
    `apiVersion: v1
kind: ConfigMap
metadata: { name: good }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: Bad_Name }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: typo }
datta: {}
---
apiVersion: v1
kind: Secret
metadata: { name: s, namespace: nowhere }
---
apiVersion: example.com/v1
kind: Thing
metadata: { name: t }
`,
  );
  const up = start('up', '-f', 'mixed.yaml', '--memory', '--port', '0', '--exit-when-ready', '-o', 'json');
  expect(await up.ended).toBe(1);
  const errors = up
    .err()
    .split('\n')
    .filter((line) => line.startsWith('error:'));
  expect(errors).toHaveLength(4);
  expect(up.err()).toContain('configmap/good created');
  expect(errors[0]).toMatch(/^error: mixed.yaml:\d+: secret\/s: .*; add a manifest of the Namespace nowhere$/);
  expect(errors[1]).toMatch(/^error: mixed.yaml:5: configmap\/Bad_Name: .*metadata.name: Invalid value: "Bad_Name"/);
  expect(errors[2]).toMatch(/^error: mixed.yaml:9: configmap\/typo: .*\.datta: field not declared in schema$/);
  expect(errors[3]).toMatch(
    /^error: mixed.yaml:18: thing.example.com\/t: no matches for kind "Thing".*CustomResourceDefinition$/,
  );
  expect(JSON.parse(up.out())).toMatchObject({
    ready: true,
    refused: errors.map((line) => line.slice('error: '.length)),
  });

  const staying = start('up', '-f', 'mixed.yaml', '--port', '0');
  await staying.printed('export KUBECONFIG=');
  expect(
    (await (await clientOf()).get(configmaps, { namespace: 'default', name: 'good', signal })).data,
  ).toBeUndefined();
  await expect.poll(() => staying.err().match(/^error: /gm)?.length).toBe(4);
  staying.child.kill('SIGTERM');
  expect(await staying.ended).toBe(0);
});

test('whoever finds the kubeconfig finds everything served', async () => {
  const up = start('up', '--port', '0');
  const found = (): Promise<boolean> =>
    modeOf('.signalbox/kubeconfig')
      .then(() => true)
      .catch(() => false);
  await expect.poll(found, { interval: 2, timeout: 20_000 }).toBe(true);
  expect((await (await clientOf()).list(grafanaagents, { signal })).items).toEqual([]);
  expect(up.err()).toBe('');
});

test('on every address it is called by the loopback or the name that is advertised, and who can reach it is told', async () => {
  const up = start('up', '--host', '0.0.0.0', '--port', '0', '--tls-san', 'box.example.com');
  await up.printed('export KUBECONFIG=');
  expect(up.out()).toMatch(/The API is at https:\/\/127\.0\.0\.1:\d+/);
  expect(up.err()).toMatch(
    /^warning: the API listens on every address of this computer.*--host 127\.0\.0\.1 keeps it/m,
  );
  expect((await (await clientOf()).list(nodes, { signal })).items).toHaveLength(3);
  up.child.kill('SIGTERM');
  await up.ended;
  await chmod(join(cwd, '.signalbox'), 0o755);
  const named = start(
    'up',
    '--host',
    '0.0.0.0',
    '--port',
    '0',
    '--advertise',
    'localhost',
    '--no-operator',
    '--no-crds',
  );
  await named.printed('export KUBECONFIG=');
  expect(named.out()).toMatch(/The API is at https:\/\/localhost:\d+/);
  expect((await (await clientOf()).list(nodes, { signal })).items).toHaveLength(3);
  expect(named.err()).toMatch(
    /^warning: data folder: .*\.signalbox is open to its group and every user.*chmod -R go= /m,
  );
});

test('definitions are left alone when that is asked for', async () => {
  const up = start(
    'up',
    '--memory',
    '--no-operator',
    '--no-crds',
    '--port',
    '0',
    '--kubeconfig',
    '.signalbox/kubeconfig',
  );
  await up.printed('export KUBECONFIG=');
  expect((await (await clientOf()).list(customresourcedefinitions, { signal })).items).toEqual([]);
});
