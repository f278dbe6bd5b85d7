/** `signalbox adapter` behind APIServices of a cluster that knows nothing of it: what it is asked, whom it answers, who scales by it. */
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  type Cluster,
  createCluster,
  type Deployment,
  deployments,
  isStatusError,
  type KubeObject,
  loadServingPki,
  type New,
  parseYamlDocuments,
  type ResourceType,
  type Serving,
  serveCluster,
  sleep,
  systemClock,
} from '@signalbox/cluster';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { run } from '../run.ts';
import { createTestIo, type TestIo } from '../testing/io.ts';

const { signal } = new AbortController();
let io: TestIo;
let cluster: Cluster;
let serving: Serving;
let prometheus: Server;
let waiting: number;
let asked: string[];

beforeEach(async () => {
  io = await createTestIo();
  const pki = await loadServingPki({});
  cluster = await createCluster({ nodes: 2, certificateAuthority: pki });
  serving = await serveCluster(cluster, { pki, port: 0, kubeconfig: join(io.cwd, 'kubeconfig') });
  waiting = 12;
  asked = [];
  prometheus = createServer((incoming, response) => {
    let body = '';
    incoming.on('data', (part: Buffer) => {
      body += part.toString();
    });
    incoming.on('end', () => {
      asked.push(`${incoming.headers.authorization} ${new URLSearchParams(body).get('query')}`);
      const result = [{ metric: { queue: 'orders' }, value: [systemClock.nowMs() / 1_000, String(waiting)] }];
      response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
    });
  });
  await new Promise<void>((resolve) => prometheus.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  io.stop();
  prometheus.close();
  await serving.close();
  await cluster.close();
  await io.remove();
});

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const queue = {
  ...{ group: 'external.metrics.k8s.io', version: 'v1beta1', resource: 'queue', kind: 'ExternalMetricValueList' },
  namespaced: true,
} as ResourceType;

async function until<T>(get: () => Promise<T> | T, holds: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await get();
    if (holds(value)) return value;
    await sleep(systemClock, 50, { signal });
  }
}

const registered = (port: number): string => `
apiVersion: v1
kind: Service
metadata: { name: adapter, namespace: default }
spec: { type: ExternalName, externalName: localhost }
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: v1beta1.external.metrics.k8s.io }
spec: { group: external.metrics.k8s.io, version: v1beta1, groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true, service: { namespace: default, name: adapter, port: ${port} } }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: workers, namespace: default }
spec:
  replicas: 1
  selector: { matchLabels: { app: workers } }
  template: { metadata: { labels: { app: workers } }, spec: { containers: [{ name: main, image: worker }] } }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: workers, namespace: default }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: workers }
  maxReplicas: 10
  metrics: [{ type: External, external: { metric: { name: queue }, target: { type: AverageValue, averageValue: "3" } } }]
`;

test('an autoscaler follows a query by way of it, and nobody else gets an answer', { timeout: 60_000 }, async () => {
  await writeFile(
    join(io.cwd, 'rules.yaml'),
    "rules: [{ metric: queue, query: 'sum by (queue) (waiting)', external: true }]",
  );
  await writeFile(join(io.cwd, 'token'), 'secret\n');
  const at = ['--kubeconfig', 'kubeconfig', '--listen', '127.0.0.1:0', '--rules', 'rules.yaml'];
  const from = ['--prometheus-url', `http://127.0.0.1:${portOf(prometheus)}`, '--prometheus-token-file', 'token'];
  const ended = run(['adapter', ...at, ...from], io);
  const said = await until(io.err, (text) => text.includes('serves the metrics'));
  const port = Number(/on 127\.0\.0\.1:(\d+)/.exec(said)?.[1]);

  const codeAt = (path: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' };
      request({ host: '127.0.0.1', port, path, headers, rejectUnauthorized: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .once('error', reject)
        .end();
    });
  expect(await codeAt('/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue')).toBe(401);
  expect(await codeAt('/healthz')).toBe(200);
  await until(
    () => codeAt('/readyz'),
    (code) => code === 200,
  );

  await cluster.apply(
    parseYamlDocuments(registered(port), { source: 'test' }).map(({ value }) => value as New<KubeObject>),
  );
  const list = async (): Promise<readonly object[] | string> =>
    cluster.client.list(queue, { namespace: 'default', signal }).then(
      ({ items }) => items,
      (error: unknown) => (isStatusError(error) ? error.message : Promise.reject(error as Error)),
    );
  const items = await until(list, (value) => typeof value !== 'string');
  expect(items).toMatchObject([{ metricName: 'queue', metricLabels: { queue: 'orders' }, value: '12' }]);
  expect(asked[0]).toBe('Bearer secret sum by (queue) (waiting)');
  const replicas = async (): Promise<number | undefined> =>
    (await cluster.client.get<Deployment>(deployments, { namespace: 'default', name: 'workers', signal })).spec
      .replicas;
  expect(await until(replicas, (count) => count === 4)).toBe(4);
  io.stop();
  expect(await ended).toBe(0);
});

test('rules that cannot be read end it with where and why', async () => {
  await writeFile(join(io.cwd, 'rules.yaml'), 'rules: [{ metric: queue }]');
  expect(await run(['adapter', '--kubeconfig', 'kubeconfig', '--rules', 'rules.yaml'], io)).toBe(1);
  expect(io.err()).toContain('rules.yaml: rules[0]: wanted one of rate, gauge and query, found none');
});
