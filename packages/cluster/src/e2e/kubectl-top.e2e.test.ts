/** `kubectl top` of pods that are simulated and of pods behind the door of a node that somebody else runs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { createFakeKubelet, type FakeKubelet, resourceText } from '../testing/fake-kubelet.ts';
import { kubectlMinor, type ServedCluster, startServedCluster, until, withoutKubectl } from './served-cluster.ts';

let served: ServedCluster;
let kubelet: FakeKubelet;
/** When the container behind the door began: shortly before the first look, which then measures it. */
let startedMs: number | undefined;

const simulated = (name: string, cpu: string, containers: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: ${name}, labels: { app: ${name} }, annotations: { signalbox.dev/cpu-usage: ${cpu}, signalbox.dev/memory-usage: 64Mi } }
spec: { nodeName: node-1, containers: [${containers}] }
`;

const manifest = `${simulated('web', '100m', '{ name: app, image: a, resources: { requests: { cpu: 100m } } }, { name: side, image: a, resources: { requests: { cpu: 300m } } }')}---
${simulated('idle', '1m', '{ name: app, image: a }')}---
apiVersion: v1
kind: Pod
metadata: { name: real, namespace: kube-system, labels: { app: real } }
spec: { nodeName: real, containers: [{ name: app, image: a }] }
---
apiVersion: v1
kind: Pod
metadata: { name: waiting, namespace: kube-system }
spec: { nodeName: real, containers: [{ name: app, image: a }] }
`;

beforeAll(async () => {
  kubelet = await createFakeKubelet({
    measures() {
      const nowMs = systemClock.nowMs();
      startedMs ??= nowMs - 11_000;
      const usual = { container: 'app', startedMs, memoryBytes: 32 * 2 ** 20 };
      const text = resourceText([{ ...usual, pod: 'real', cpuSeconds: (nowMs - startedMs) / 4_000 }], nowMs);
      return text.replaceAll('namespace="default"', 'namespace="kube-system"');
    },
  });
  served = await startServedCluster({ nodes: 1 });
  const { kubectl } = served;
  await kubectl(`apply -f ${served.write('pods.yaml', manifest)}`);
  await served.ask('/api/v1/namespaces/kube-system/pods/real/status', {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { status: { phase: 'Running' } },
  });
  const annotations = { 'signalbox.dev/driver': 'process', 'signalbox.dev/kubelet': kubelet.url };
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'real', annotations } };
  await kubectl(`apply -f ${served.write('node.json', JSON.stringify(node))}`);
  await kubectl('wait --for=condition=Ready pod/web pod/idle --timeout 20s');
  await until(
    () => served.ask('/apis/metrics.k8s.io/v1beta1/pods'),
    ({ text }) => text.includes('"name":"real"') && text.includes('"name":"web"') && text.includes('"name":"idle"'),
  );
});

afterAll(async () => {
  kubelet?.close();
  await served?.close();
});

/** Runs of blanks are one. */
const rows = (text: string): readonly string[] => text.split('\n').map((line) => line.trim().replace(/ +/g, ' '));

describe.skipIf(withoutKubectl())('kubectl top', () => {
  test('pods, their containers, all namespaces, by label', async () => {
    const { kubectl } = served;
    expect(rows(await kubectl('top pods'))).toEqual(['NAME CPU(cores) MEMORY(bytes)', 'idle 1m 64Mi', 'web 100m 64Mi']);
    expect(rows(await kubectl('top pods -l app=web --containers'))).toEqual([
      'POD NAME CPU(cores) MEMORY(bytes)',
      'web app 25m 32Mi',
      'web side 75m 32Mi',
    ]);
    expect(rows(await kubectl('top pods -A --sort-by cpu'))).toEqual([
      'NAMESPACE NAME CPU(cores) MEMORY(bytes)',
      'kube-system real 250m 32Mi',
      'default web 100m 64Mi',
      'default idle 1m 64Mi',
    ]);
    expect(rows(await kubectl('top pod web --no-headers'))).toEqual(['web 100m 64Mi']);
    if ((kubectlMinor ?? 0) >= 23)
      expect(rows(await kubectl('top pods --field-selector metadata.name=idle --no-headers'))).toEqual([
        'idle 1m 64Mi',
      ]);
  });

  test('nodes', async () => {
    const [header, ...nodes] = rows(await served.kubectl('top nodes'));
    expect(header?.replace(/%|\(%\)/g, ' %')).toBe('NAME CPU(cores) CPU % MEMORY(bytes) MEMORY %');
    expect(nodes[0]).toMatch(/^node-1 101m \d+% 128Mi \d+%$/);
    // Its own counter needs a second look.
    expect(nodes[1]).toMatch(/^real (<unknown>|250m)/);
  });

  test('a pod without a measure is a gap', async () => {
    expect(await served.kubectl.refused('top pod waiting -n kube-system')).toContain(
      'pods.metrics.k8s.io "kube-system/waiting" not found',
    );
    expect(await served.kubectl.refused('top pod nobody')).toContain('pods "nobody" not found');
  });

  test('whoever may view may look, and nobody else', async () => {
    const { kubectl } = served;
    expect(await kubectl.refused('top pods --as somebody')).toContain(
      'cannot list resource "pods" in API group "metrics.k8s.io"',
    );
    await kubectl('create rolebinding look --clusterrole view --user somebody');
    expect(rows(await kubectl('top pods --as somebody'))).toHaveLength(3);
    expect(await kubectl.refused('top nodes --as somebody')).toContain('at the cluster scope');
  });

  test('get prints them, and pods alone are still pods', async () => {
    const { kubectl } = served;
    expect(rows(await kubectl('get pods.metrics.k8s.io web'))).toEqual(['NAME CPU MEMORY WINDOW', 'web 100m 64Mi 15s']);
    expect(rows(await kubectl('get pods'))[0]).toBe('NAME READY STATUS RESTARTS AGE');
    expect(await kubectl('explain podmetrics --api-version metrics.k8s.io/v1beta1')).toContain('containers');
    expect(rows(await kubectl('api-resources --api-group metrics.k8s.io --no-headers'))).toEqual([
      'nodes metrics.k8s.io/v1beta1 false NodeMetrics',
      'pods metrics.k8s.io/v1beta1 true PodMetrics',
    ]);
    expect(kubelet.measured[0]).toBe('kube-apiserver-kubelet-client');
  });
});
