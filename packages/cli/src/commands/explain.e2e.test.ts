import { join } from 'node:path';
import { type Cluster, createCluster, type KubeObject, type New, type Serving, serveCluster } from '@signalbox/cluster';
import { customResourceDefinitions } from '@signalbox/telemetry';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { run } from '../run.ts';
import { createTestIo, type TestIo } from '../testing/io.ts';

let io: TestIo;
let cluster: Cluster;
let serving: Serving;

beforeEach(async () => {
  io = await createTestIo();
  cluster = await createCluster({ nodes: 1 });
  serving = await serveCluster(cluster, { port: 0, kubeconfig: join(io.cwd, 'kubeconfig') });
  for (const manifest of [...customResourceDefinitions(), ...manifests]) await cluster.apply([manifest]);
});
afterEach(async () => {
  io.stop();
  await serving.close();
  await cluster.close();
  await io.remove();
});

const make = (apiVersion: string, kind: string, metadata: object, rest: object = {}): New<KubeObject> =>
  ({ apiVersion, kind, metadata: { namespace: 'shop', ...metadata }, ...rest }) as unknown as New<KubeObject>;
const coreos = 'monitoring.coreos.com/v1';
const manifests: readonly New<KubeObject>[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
  make('v1', 'Service', { name: 'web', labels: { app: 'web' } }, { spec: { ports: [{ name: 'http', port: 80 }] } }),
  make(
    'discovery.k8s.io/v1',
    'EndpointSlice',
    { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
    {
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 80 }],
      endpoints: [{ addresses: ['10.1.2.3'] }],
    },
  ),
  make(coreos, 'Prometheus', { name: 'main' }, { spec: { serviceMonitorSelector: { matchLabels: { team: 'shop' } } } }),
  make(
    coreos,
    'ServiceMonitor',
    { name: 'web', labels: { team: 'shop' } },
    {
      spec: { selector: { matchLabels: { app: 'web' } }, endpoints: [{ port: 'http' }] },
    },
  ),
  make(
    coreos,
    'ServiceMonitor',
    { name: 'lonely', labels: { team: 'data' } },
    {
      spec: { selector: { matchLabels: { app: 'web' } }, endpoints: [{ port: 'http' }] },
    },
  ),
];

test('a running cluster is asked, from either end', async () => {
  const at = ['--kubeconfig', 'kubeconfig'];
  expect(await run(['explain', 'servicemonitor', 'web', '-n', 'shop', ...at], io)).toBe(0);
  expect(io.out()).toContain('✓ 10.1.2.3:80 Service shop/web');
  expect(await run(['explain', 'target', '10.1.2.3', ...at], io)).toBe(0);
  expect(await run(['explain', 'servicemonitor', 'lonely', '-n', 'shop', ...at], io)).toBe(3);
  expect(io.out()).toContain('cause: Prometheus shop/main does not select it: label team is "data", wanted "shop"');
  expect(await run(['explain', 'servicemonitor', 'gone', '-n', 'shop', ...at], io)).toBe(1);
  expect(io.err()).toContain('there is no ServiceMonitor shop/gone; namespace shop has lonely, web');
  expect(await run(['explain', 'servicemonitor', 'gone', '-n', 'nons', ...at], io)).toBe(1);
  expect(io.err()).toContain('there is no namespace nons, and so no ServiceMonitor nons/gone; there are default, ');
  expect(await run(['tree', ...at], io)).toBe(0);
  expect(io.out()).toContain('ServiceMonitor shop/web · 1 target');
});
