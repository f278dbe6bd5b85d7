/** Pods whose node does not answer, is not there, or cannot say what it has to say. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { events, nodes, pods } from '../api/generated/kinds.ts';
import type { New } from '../api/meta.ts';
import { StatusError } from '../api/status.ts';
import { adminUser } from '../cluster.ts';
import { createTestCluster, type TestCluster } from '../testing/test-cluster.ts';

const { signal } = new AbortController();
let cluster: TestCluster;
beforeEach(async () => {
  cluster = await createTestCluster({ nodes: 1 });
});
afterEach(() => cluster.close());

const pod = (name: string, containers: readonly object[], nodeName?: string): New<Pod> =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { containers, ...(nodeName !== undefined && { nodeName }) },
  }) as unknown as New<Pod>;
const main = [{ name: 'main', image: 'app:1' }];

async function log(name: string): Promise<string> {
  const operation = {
    verb: 'get',
    resource: pods,
    namespace: 'default',
    name,
    subresource: 'log',
    user: adminUser,
  } as const;
  const read = async (): Promise<string> => {
    let text = '';
    for await (const line of (await cluster.api.text?.(operation, { signal })) ?? []) text += line;
    return text;
  };
  return cluster.during(
    read().catch((error: unknown) => {
      if (!(error instanceof StatusError)) throw error;
      return `${error.status.code} ${error.message}`;
    }),
  );
}

test('a node without power gives no log', async () => {
  await cluster.during(cluster.client.create(pods, pod('p', main), { signal }));
  await cluster.advance(10_000);
  expect(await log('p')).toContain('container started');
  const body = { metadata: { annotations: { 'signalbox.dev/stopped': 'true' } } };
  await cluster.during(cluster.client.patch(nodes, { name: 'node-1', patchType: 'merge', body, signal }));
  expect(await log('p')).toMatch(
    /^500 Get "https:\/\/172\.16\.\d+\.\d+:10250\/containerLogs\/default\/p\/main": dial tcp 172\.16\.\d+\.\d+:10250: i\/o timeout$/,
  );
});

test('a node that is not there gives none either, whatever the status says', async () => {
  await cluster.during(cluster.client.create(pods, pod('lost', main, 'ghost'), { signal }));
  const running = {
    name: 'main',
    image: 'app:1',
    imageID: '',
    ready: true,
    restartCount: 0,
    state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
  };
  const body = { status: { phase: 'Running', containerStatuses: [running] } };
  const place = { namespace: 'default', name: 'lost', subresource: 'status', patchType: 'merge', signal } as const;
  await cluster.during(cluster.client.patch(pods, { ...place, body }));
  expect(await log('lost')).toBe('404 nodes "ghost" not found');
});

test('a status that is too large to be stored is told once and tried ever more rarely', async () => {
  // As large as the API takes, owners included; with the status beside it, it is larger.
  const many = Array.from({ length: 2_600 }, (_, index) => ({
    name: `c-${index}`,
    image: `example.com/${'i'.repeat(200)}`,
  }));
  await cluster.during(cluster.client.create(pods, pod('many', many), { signal }));
  await cluster.advance(30 * 60_000);
  const told = cluster.problems.filter(({ component }) => component === 'fleet');
  expect(told.map(({ message }) => message)).toEqual(['cannot report on pod default/many']);
  const { items } = await cluster.during(cluster.client.list(events, { signal }));
  const notes = items.filter(({ reason }) => reason === 'FailedSync').map(({ message }) => message);
  expect(notes).toEqual([
    'The status of the pod cannot be written, so it stays as it is: Request entity too large: limit is 1572864',
  ]);
});

test('what the API warns about comes with what was applied', async () => {
  const [done] = await cluster.applyYaml('{ apiVersion: v1, kind: Endpoints, metadata: { name: old } }');
  expect(done?.warnings).toEqual(['v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice']);
  const [quiet] = await cluster.applyYaml('{ apiVersion: v1, kind: ConfigMap, metadata: { name: quiet } }');
  expect(quiet?.warnings).toEqual([]);
});

test('the root lists what there is to read of the API', () => {
  const { paths } = cluster.api.document({ what: 'paths' }) as { readonly paths: readonly string[] };
  expect(paths).toEqual(
    expect.arrayContaining(['/api', '/api/v1', '/apis', '/apis/apps', '/apis/apps/v1', '/openapi/v3', '/version']),
  );
  expect(paths).toEqual([...paths].sort());
});
