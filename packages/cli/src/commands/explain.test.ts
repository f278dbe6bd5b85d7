import { afterEach, beforeEach, expect, test } from 'vitest';
import { run } from '../run.ts';
import { createTestIo, type TestIo } from '../testing/io.ts';

const manifests = `
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: shop }
spec: { serviceMonitorSelector: {}, podMonitorSelector: {} }
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: web, namespace: shop }
spec: { selector: {}, podMetricsEndpoints: [{ port: http }] }
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: typo, namespace: shop }
spec: { selector: { matchLabel: { app: x } }, podMetricsEndpoints: [{ port: other }] }
---
apiVersion: v1
kind: Pod
metadata: { name: web-0, namespace: shop }
spec: { containers: [{ name: web, image: web, ports: [{ name: http, containerPort: 8080 }] }] }
`;
let io: TestIo;
beforeEach(async () => {
  io = await createTestIo({ stdin: manifests });
});
afterEach(() => io.remove());

const explain = (...words: string[]): Promise<number> => run(['explain', ...words, '-f', '-'], io);

test.each([
  ['podmonitor', 'web'],
  ['podmonitors', 'web'],
  ['PodMonitor', 'web'],
  ['pmon/web'],
  ['podmonitors.monitoring.coreos.com/web'],
  ['podmonitor.monitoring.coreos.com/web'],
  ['pmon.v1.monitoring.coreos.com', 'web'],
])('a monitor is named as with kubectl: %s', async (...words) => {
  expect(await explain(...words.filter((word) => word !== undefined), '-n', 'shop')).toBe(0);
  expect(io.out()).toMatch(/^✓ PodMonitor shop\/web is scraped\n/);
});

test('as JSON it is the explanation itself', async () => {
  expect(await explain('podmonitor', 'web', '-n', 'shop', '-o', 'json')).toBe(0);
  expect(JSON.parse(io.out())).toMatchObject({
    outcome: 'scraped',
    cause: '',
    selectors: [
      { root: { kind: 'Prometheus' }, jobs: [{ targets: [{ isImagined: true, fate: { kept: true, shards: [0] } }] }] },
    ],
  });
});

test('a target is asked for by address or labels', async () => {
  expect(await explain('target', '{pod="web-0", namespace="shop"}')).toBe(0);
  expect(io.out()).toContain('PodMonitor shop/web · Prometheus shop/main, job podMonitor/shop/web/0');
});

test('fields that nobody knows are named beside the cause', async () => {
  expect(await explain('podmonitor', 'typo', '-n', 'shop')).toBe(3);
  expect(io.out()).toContain(
    'note:  PodMonitor shop/typo: spec.selector.matchLabel: nobody knows this field, so it is left out',
  );
});

test.each<[string, readonly string[], number, RegExp]>([
  [
    'a monitor that is not there',
    ['podmonitor', 'gone', '-n', 'shop'],
    1,
    /there is no PodMonitor shop\/gone; namespace shop has typo, web/,
  ],
  ['one in another namespace', ['podmonitor', 'web'], 1, /there is one in shop: name it with -n/],
  [
    'a kind that nobody runs or scrapes by',
    ['configmap', 'web'],
    2,
    /"configmap" cannot be explained, only cronjob, daemonset, deployment, job, node, persistentvolumeclaim, pod, replicaset, replicationcontroller, statefulset, servicemonitor, /,
  ],
  ['no name', ['probe'], 2, /explain probe needs its name/],
  ['no target', ['target'], 2, /needs its address, or labels/],
])('%s', async (_, words, code, message) => {
  expect(await explain(...words)).toBe(code);
  expect(io.err()).toMatch(message);
});

test('what is asked of a URL is no label', async () => {
  expect(await explain('target', 'https://shop.example/?module=http')).toBe(1);
  expect(io.out()).toContain('nothing that could be a target has https://shop.example/?module=http');
});

test('a target that is nowhere is not found', async () => {
  expect(await explain('target', '10.9.9.9')).toBe(1);
  expect(io.out()).toContain('nothing that could be a target has 10.9.9.9');
});

test.each([
  [['pod', 'web-0'], 'signalbox explain target pod=web-0 -n NAMESPACE'],
  [['pod.v1', 'web-0'], 'signalbox explain target pod=web-0 -n NAMESPACE'],
  [['pods.v1./web-0'], 'signalbox explain target pod=web-0 -n NAMESPACE'],
  [['deployment.v1.apps', 'web'], 'explain deployment asks a running cluster'],
  [['deploy.apps/web'], 'explain deployment asks a running cluster'],
  [['pod.v2', 'web-0'], '"pod.v2" cannot be explained'],
  [['svc/web'], 'signalbox explain target service=web -n NAMESPACE'],
  [['prometheus', 'main'], 'signalbox tree shows what it collects'],
  [['target', 'pod='], '"pod=" is no label with a value'],
  [['target', 'pod=web-0,shop'], '"pod=web-0,shop" is no label with a value'],
  [['target', ' '], '" " is no label with a value'],
])('what is asked amiss is told what answers it: %j', async (words, hint) => {
  expect(await explain(...words)).toBe(2);
  expect(io.err()).toContain(hint);
});

test.each([
  ['shop', 0],
  ['other', 1],
])('a target is looked for in the namespace that is named: %s', async (namespace, code) => {
  expect(await explain('target', 'pod=web-0', '-n', namespace)).toBe(code);
});
