import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from '../run.ts';
import { createTestIo, type TestIo } from '../testing/io.ts';

const manifests = `
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: shop }
spec: { shards: 2, podMonitorSelector: {} }
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: web, namespace: shop }
spec: { selector: {}, podMetricsEndpoints: [{ port: http, bearerTokenSecret: { name: token, key: token } }] }
---
apiVersion: v1
kind: Secret
metadata: { name: token, namespace: shop }
stringData: { token: sesame }
`;
let io: TestIo;
beforeEach(async () => {
  io = await createTestIo({ stdin: '' });
  await io.file('old.yaml', manifests);
});
afterEach(() => io.remove());

const plan = (...words: string[]): Promise<number> => run(['plan', ...words], io);

test('the same manifests change nothing', async () => {
  expect(await plan('-f', 'old.yaml', '--against', 'old.yaml')).toBe(0);
  expect(io.out()).toBe('Nothing would change.\n');
  expect(io.err()).toBe('');
});

describe('one file in place of another', () => {
  test('tells objects, restarts with their cause, and the sum', async () => {
    await io.file('new.yaml', manifests.replace('shards: 2', 'image: example/prometheus:3'));
    expect(await plan('-f', 'new.yaml', '--against', 'old.yaml')).toBe(3);
    expect(io.out()).toMatchInlineSnapshot(`
      "You change
        ~ Prometheus shop/main
            spec.image: not set → example/prometheus:3
            spec.shards: 2 → 1

      The operator then
        ~ StatefulSet shop/prometheus-main
            spec.template.spec.containers[prometheus].image: quay.io/prometheus/prometheus:v3.13.1 → example/prometheus:3
        - StatefulSet shop/prometheus-main-shard-1
        ~ Secret shop/prometheus-main
            data[prometheus.yaml.gz]

      Pods
        StatefulSet shop/prometheus-main restarts 1 pod, one after the other
            because of spec.template.spec.containers[prometheus].image
        StatefulSet shop/prometheus-main-shard-1 stops 1 pod

      Configuration shop/prometheus-main/prometheus.yaml.gz: changed, 2 lines added, 2 removed
        @@ -42,7 +42,7 @@
             replacement: $(SHARD)
           - source_labels:
             - __tmp_current_shard
        -    regex: 0|1
        +    regex: '0'
             action: keep
           - source_labels:
             - __address__
        @@ -54,7 +54,7 @@
           - source_labels:
             - __tmp_hash
             target_label: __tmp_hash
        -    modulus: 2
        +    modulus: 1
             action: hashmod
           - source_labels:
             - __tmp_hash

      Targets of Prometheus shop/main: not known
        podMonitor/shop/web/0: there are no Pods, Services, EndpointSlices or Nodes to discover

      0 to create, 3 to change, 1 to delete; 1 workload restarts.
      "
    `);
  });
  test('what is gone goes with everything that was made of it', async () => {
    await io.file('new.yaml', manifests.slice(manifests.indexOf('---')));
    expect(await plan('-f', 'new.yaml', '--against', 'old.yaml')).toBe(3);
    expect(io.out()).toContain('  - Prometheus shop/main\n');
    expect(io.out()).toContain('  - StatefulSet shop/prometheus-main-shard-1\n');
    expect(io.out()).toContain('StatefulSet shop/prometheus-main stops 1 pod\n');
    expect(io.out()).toContain('0 to create, 0 to change, 7 to delete; nothing restarts.');
  });
  test('a secret that changes is told without a word of it', async () => {
    await io.file('new.yaml', manifests.replace('sesame', 'open-up'));
    expect(await plan('-f', 'new.yaml', '--against', 'old.yaml')).toBe(3);
    expect(io.out()).toContain('-  bearer_token: <redacted>');
    for (const secret of ['sesame', 'open-up']) expect(io.out()).not.toContain(secret);
    expect(await plan('-f', 'new.yaml', '--against', 'old.yaml', '-o', 'json')).toBe(3);
    for (const secret of ['sesame', 'open-up']) expect(io.out()).not.toContain(secret);
  });
});

test('shards are scaled in the namespace that is named', async () => {
  expect(await plan('--scale', 'prometheus/main=3', '-n', 'shop', '--against', 'old.yaml', '-o', 'json')).toBe(3);
  const { edits, workloads } = JSON.parse(io.out());
  expect(edits).toEqual([
    {
      object: { kind: 'Prometheus', namespace: 'shop', name: 'main' },
      change: 'changed',
      fields: [{ path: 'spec.shards', before: '2', after: '3' }],
    },
  ]);
  expect(workloads).toMatchObject([{ workload: { name: 'prometheus-main-shard-2' }, effect: 'starts', podsAfter: 1 }]);
});

describe('what cannot be planned', () => {
  test('a root that is not there', async () => {
    expect(await plan('--scale', 'prometheus/other=3', '--against', 'old.yaml')).toBe(1);
    expect(io.err()).toBe(
      'error: there is no Prometheus default/other to scale; check its name, and its namespace (-n)\n',
    );
  });
  test('a root of another namespace', async () => {
    expect(await plan('--scale', 'prometheus/main=3', '--against', 'old.yaml')).toBe(1);
    expect(io.err()).toContain('there is one in shop: name it with -n');
  });
  test('a folder that is not there, by the option that names it', async () => {
    expect(await plan('-f', 'old.yaml', '--against', 'none')).toBe(1);
    expect(io.err()).toBe('error: --against none: no such file or folder; check the path\n');
  });
  test('a manifest that a server would refuse', async () => {
    await io.file('new.yaml', manifests.replace('shards: 2', 'shards: two'));
    expect(await plan('-f', 'new.yaml', '--against', 'old.yaml')).toBe(1);
    expect(io.err()).toMatch(/^error: new.yaml:\d+ Prometheus shop\/main: spec.shards: /);
  });
  test.each([[[]], [['--scale', 'deployment/web=3']], [['--scale', 'prometheus/main']]])(
    'nothing, or what has no shards: %s',
    async (words) => {
      expect(await plan(...words)).toBe(2);
      expect(io.err()).toContain('see signalbox plan --help');
    },
  );
});
