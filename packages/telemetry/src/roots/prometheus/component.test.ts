import { gunzipSync } from 'node:zlib';
import { type KubeObject, keyOf, type StatefulSet } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { liveTrees } from '../../live/tree.ts';
import { renderWorld } from '../../operator/render.ts';
import type { Prometheus } from '../../resources/prometheus.ts';
import { find, line, runOnce } from '../../testing/settle.ts';
import { objectsOf } from '../../testing/world.ts';
import { worldOf } from '../../world/world.ts';
import { createPrometheusComponent } from './prometheus.ts';
import { createPrometheusAgentComponent } from './prometheus-agent.ts';
import { deadlineAnnotation } from './shards/retention.ts';

const component = createPrometheusComponent();
const main = `
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: monitoring }
spec: { shards: 2, serviceMonitorSelector: {} }
`;
const second = `
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: other, namespace: monitoring }
spec: { serviceMonitorSelector: {} }
`;
const monitor = `
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: web, namespace: monitoring }
spec: { selector: {}, endpoints: [{ port: http }] }
`;
const all = (...parts: string[]): readonly KubeObject[] => objectsOf(parts.join('\n---\n'));
const plan = (objects: readonly KubeObject[], nowMs = 0) => runOnce(objects, component, { nowMs }).plan;
const lines = (objects: readonly KubeObject[], nowMs = 0): readonly string[] => plan(objects, nowMs).actions.map(line);
const settled = (objects: readonly KubeObject[], nowMs = 0): readonly KubeObject[] => {
  let now = objects;
  for (let round = 0; round < 4; round++) now = runOnce(now, component, { nowMs }).objects;
  return now;
};
const withSpec = (objects: readonly KubeObject[], spec: object, name = 'main'): readonly KubeObject[] =>
  objects.map((each) =>
    each.kind === 'Prometheus' && each.metadata.name === name
      ? ({ ...each, spec: { ...(each as Prometheus).spec, ...spec } } as KubeObject)
      : each,
  );
const status = (objects: readonly KubeObject[], name = 'main') =>
  (find(objects, 'Prometheus', `monitoring/${name}`) as Prometheus).status;
const condition = (objects: readonly KubeObject[], type: string) =>
  status(objects)?.conditions?.find((each) => each.type === type);
const configOf = (objects: readonly KubeObject[], key: string): string => {
  const secret = find(objects, 'Secret', key) as KubeObject & { readonly data: Readonly<Record<string, string>> };
  return gunzipSync(Buffer.from(secret.data['prometheus.yaml.gz'] ?? '', 'base64')).toString('utf8');
};

test('a new Prometheus gets its objects, the configuration first', () => {
  expect(lines(all(main, monitor))).toEqual([
    'create Secret monitoring/prometheus-main',
    'create Secret monitoring/prometheus-main-tls-assets-0',
    'create Secret monitoring/prometheus-main-web-config',
    'create Service monitoring/prometheus-operated',
    'create StatefulSet monitoring/prometheus-main',
    'create StatefulSet monitoring/prometheus-main-shard-1',
    'setStatus Prometheus monitoring/main',
  ]);
});

test('applying a plan leaves nothing to do', () => {
  expect(lines(settled(all(main, second, monitor)))).toEqual([]);
});

test('an agent has names of its own', () => {
  const agent = main
    .replace('coreos.com/v1', 'coreos.com/v1alpha1')
    .replace('kind: Prometheus', 'kind: PrometheusAgent');
  const { actions } = runOnce(all(agent), createPrometheusAgentComponent()).plan;
  expect(actions.map(line)).toEqual([
    'create Secret monitoring/prom-agent-main',
    'create Secret monitoring/prom-agent-main-tls-assets-0',
    'create Secret monitoring/prom-agent-main-web-config',
    'create Service monitoring/prometheus-agent-operated',
    'create StatefulSet monitoring/prom-agent-main',
    'create StatefulSet monitoring/prom-agent-main-shard-1',
    'setStatus PrometheusAgent monitoring/main',
  ]);
});

test('editing a monitor rewrites the configuration and touches nothing else', () => {
  const objects = settled(all(main, monitor)).map((each) =>
    each.kind === 'ServiceMonitor'
      ? ({ ...each, spec: { selector: {}, endpoints: [{ port: 'metrics' }] } } as KubeObject)
      : each,
  );
  expect(lines(objects)).toEqual(['update Secret monitoring/prometheus-main']);
});

test('all Prometheus of a namespace own the Service that they share, and none takes it from another', () => {
  const objects = settled(all(main, second));
  const owners = find(objects, 'Service', 'monitoring/prometheus-operated').metadata.ownerReferences;
  expect(owners?.map(({ name, controller }) => [name, controller])).toEqual([
    ['main', undefined],
    ['other', undefined],
  ]);
  const differing = settled(withSpec(objects, { portName: 'http' }, 'other'));
  expect(lines(differing)).toEqual([]);
  expect(find(differing, 'Service', 'monitoring/prometheus-operated')).toMatchObject({
    spec: { ports: [{ name: 'web', port: 9090, targetPort: 9090 }] },
  });
});

test('who stops using the shared Service leaves it to the others', () => {
  const own = `
apiVersion: v1
kind: Service
metadata: { name: mine, namespace: monitoring }
spec: { clusterIP: None }
`;
  const objects = withSpec(settled(all(main, second, own)), { serviceName: 'mine' });
  expect(lines(objects)).toContain('update Service monitoring/prometheus-operated');
  expect(lines(objects).filter((each) => each.startsWith('delete Service'))).toEqual([]);
  const after = find(settled(objects), 'Service', 'monitoring/prometheus-operated').metadata.ownerReferences;
  expect(after?.map(({ name }) => name)).toEqual(['other']);
});

test('a Service of the user’s own has to be there', () => {
  const objects = settled(withSpec(all(main), { serviceName: 'mine' }));
  expect(condition(objects, 'Reconciled')).toMatchObject({
    status: 'False',
    reason: 'ReconciliationFailed',
    message: 'Prometheus monitoring/main: spec.serviceName: Service monitoring/mine does not exist',
  });
  expect(objects.filter(({ kind }) => kind === 'StatefulSet')).toEqual([]);
});

test('a root whose name is that of another’s shard does not take it', () => {
  const clash = second.replace('name: other', 'name: main-shard-1');
  const objects = settled(all(main, clash));
  const sets = objects.filter(({ kind }) => kind === 'StatefulSet').map(keyOf);
  expect(sets.filter((key) => key === 'monitoring/prometheus-main-shard-1')).toHaveLength(1);
  expect(status(objects, 'main-shard-1')?.conditions?.find(({ type }) => type === 'Reconciled')).toMatchObject({
    status: 'False',
    reason: 'ReconciliationFailed',
  });
});

const retain = { shardRetentionPolicy: { whenScaled: 'Retain', retain: { retentionPeriod: '3d' } } };
const shardOne = 'monitoring/prometheus-main-shard-1';
const day = 86_400_000;
const hour = day / 24;
/** What is there was made then. */
const now = Date.parse('2030-01-01T00:00:00Z');

test('a removed shard is marked, kept, and removed at its deadline', () => {
  const scaled = withSpec(settled(all(main, monitor)), { ...retain, shards: 1 });
  expect(lines(scaled, now)).toEqual([
    'update Secret monitoring/prometheus-main',
    `patch StatefulSet ${shardOne}`,
    'emit ShardKept on Prometheus monitoring/main: shard 1 is kept until 2030-01-04T00:00:00Z',
    'setStatus Prometheus monitoring/main',
  ]);
  const kept = settled(scaled, now);
  const { annotations, labels } = find(kept, 'StatefulSet', shardOne).metadata;
  expect(annotations?.[deadlineAnnotation]).toBe('2030-01-04T00:00:00Z');
  expect(labels?.['signalbox.dev/kept-until']).toBe('2030-01-04T00.00.00Z');
  expect(lines(kept, now)).toEqual([]);
  expect(lines(kept, now + 3 * day - 1)).toEqual([]);
  expect(lines(kept, now + 3 * day)).toEqual([
    `patch StatefulSet ${shardOne}`,
    'emit ShardDue on Prometheus monitoring/main: shard 1 was kept until 2030-01-04T00:00:00Z: it is deleted at 2030-01-04T01:00:00Z unless a scale-up takes it back or its annotation operator.prometheus.io/deletion-deadline is changed',
    'setStatus Prometheus monitoring/main',
  ]);
  const due = settled(kept, now + 3 * day);
  expect(condition(due, 'ShardsRetained')?.message).toBe(
    'shard 1 was kept until 2030-01-04T00:00:00Z and is deleted at 2030-01-04T01:00:00Z',
  );
  expect(lines(due, now + 3 * day + hour - 1)).toEqual([]);
  expect(lines(due, now + 3 * day + hour)[0]).toBe(`delete StatefulSet ${shardOne} Background`);
});

test('a kept shard is told of in conditions and per shard, and counts for nothing', () => {
  const kept = settled(withSpec(settled(all(main, monitor)), { ...retain, shards: 1 }));
  expect(condition(kept, 'ShardsRetained')?.message).toBe('shard 1 is kept until 2030-01-04T00:00:00Z');
  expect(status(kept)).toMatchObject({ shards: 1, shardStatuses: [{ shardID: '0' }, { shardID: '1' }] });
  expect(status(kept)?.selector).toContain('operator.prometheus.io/shard in (0)');
  expect(configOf(kept, 'monitoring/prometheus-main')).toContain("regex: '0'");
  const [tree] = liveTrees(worldOf(kept), { components: [component], nowMs: 0 });
  expect(tree?.children.at(-1)).toMatchObject({
    name: 'prometheus-main-shard-1',
    notes: ['0 of 1 ready', 'shard 1 is kept until 2030-01-04T00:00:00Z'],
  });
});

test('scaling up again takes the shard back as it is, and it forgets its deadline', () => {
  const before = settled(all(main, monitor));
  const kept = settled(withSpec(before, { ...retain, shards: 1 }));
  expect(lines(withSpec(kept, { shards: 2 }), now + day)).toContain(
    'emit ShardTakenBack on Prometheus monitoring/main: shard 1, which was kept until 2030-01-04T00:00:00Z, is taken back as it is',
  );
  const back = settled(withSpec(kept, { shards: 2 }), now + day);
  const set = find(back, 'StatefulSet', shardOne);
  expect(set.metadata.uid).toBe(find(before, 'StatefulSet', shardOne).metadata.uid);
  expect(set.metadata.annotations?.[deadlineAnnotation]).toBeUndefined();
  expect(set.metadata.annotations?.['signalbox.dev/kept']).toBeUndefined();
  expect(set.metadata.labels?.['signalbox.dev/kept-until']).toBeUndefined();
  expect((set as StatefulSet).spec).toEqual((find(before, 'StatefulSet', shardOne) as StatefulSet).spec);
});

test('a kept shard’s pods are never touched, whatever else changes', () => {
  const kept = settled(withSpec(settled(all(main, monitor)), { ...retain, shards: 1 }));
  expect(lines(withSpec(kept, { shards: 1, image: 'example.com/prometheus:new' }))).not.toContain(
    `update StatefulSet ${shardOne}`,
  );
});

test('a deadline that nobody can read keeps the shard, and is told of', () => {
  const kept = settled(withSpec(settled(all(main, monitor)), { ...retain, shards: 1 })).map((each) =>
    keyOf(each) === shardOne
      ? { ...each, metadata: { ...each.metadata, annotations: { [deadlineAnnotation]: 'tomorrow' } } }
      : each,
  );
  expect(lines(kept, 1_000 * day)).not.toContain(`delete StatefulSet ${shardOne} Background`);
  expect(condition(settled(kept), 'Reconciled')?.message).toContain('"tomorrow"');
});

const period = (retentionPeriod: string, whenScaled = 'Retain') => ({
  shardRetentionPolicy: { whenScaled, retain: { retentionPeriod } },
});

test.each<[string, object, string]>([
  [
    'a longer one',
    period('5d'),
    'DeadlineMoved on Prometheus monitoring/main: shard 1 is kept until 2030-01-06T00:00:00Z, no longer until 2030-01-04T00:00:00Z: so the spec says now',
  ],
  [
    'for ever',
    period('0s'),
    'DeadlineMoved on Prometheus monitoring/main: shard 1 is kept until its deadline is changed, no longer until 2030-01-04T00:00:00Z: so the spec says now',
  ],
  [
    'none',
    period('3d', 'Delete'),
    'ShardGone on Prometheus monitoring/main: shard 1, which was kept until 2030-01-04T00:00:00Z, is deleted: spec.shardRetentionPolicy keeps no shards any more',
  ],
])('a policy that is edited while a shard is kept takes effect and is told of: %s', (_, policy, expected) => {
  const kept = settled(withSpec(settled(all(main, monitor)), { ...retain, shards: 1 }), now);
  const after = lines(withSpec(kept, policy), now + day);
  expect(after.filter((each) => each.startsWith('emit'))).toEqual([`emit ${expected}`]);
  expect(after).toContain(
    expected.startsWith('ShardGone') ? `delete StatefulSet ${shardOne} Background` : `patch StatefulSet ${shardOne}`,
  );
});

test('a period that is over when it is written ends a shard only after a while', () => {
  const kept = settled(withSpec(settled(all(main, monitor)), { ...retain, shards: 1 }), now);
  const shorter = settled(withSpec(kept, period('12h')), now + day);
  expect(condition(shorter, 'ShardsRetained')?.message).toBe(
    'shard 1 was kept until 2030-01-01T12:00:00Z and is deleted at 2030-01-02T00:30:00Z',
  );
  expect(condition(settled(withSpec(shorter, period('3d')), now + day + 60_000), 'ShardsRetained')?.message).toBe(
    'shard 1 is kept until 2030-01-04T00:00:00Z',
  );
});

test('a shard is never kept from a time before what has happened already', () => {
  const kept = settled(withSpec(settled(all(main, monitor)), { ...retain, shards: 1 }), now - 1_000 * day);
  expect(find(kept, 'StatefulSet', shardOne).metadata.annotations?.[deadlineAnnotation]).toBe('2030-01-04T00:00:00Z');
});

const withMin = (objects: readonly KubeObject[], least: string): readonly KubeObject[] =>
  objects.map((each) =>
    each.kind === 'Prometheus'
      ? { ...each, metadata: { ...each.metadata, annotations: { 'signalbox.dev/min-shards': least } } }
      : each,
  );

test.each([0, -3, 1])('a scale to %i below the least number of shards is not followed, and is told of', (shards) => {
  const scaled = withSpec(withMin(settled(all(main, monitor)), '2'), { shards });
  const message = `${shards} is less than the 2 of the annotation signalbox.dev/min-shards and is not followed: 2 shards run. Ask for 2 or more, or lower the annotation`;
  expect(lines(scaled)).toContain(`emit BelowMinShards on Prometheus monitoring/main: spec.shards: ${message}`);
  expect(lines(scaled).filter((each) => each.includes('StatefulSet'))).toEqual([]);
  const told = settled(scaled);
  expect(condition(told, 'ShardsHeld')?.message).toBe(`spec.shards: ${message}`);
  expect(status(told)?.selector).toContain('operator.prometheus.io/shard in (0,1)');
  expect(condition(settled(withSpec(told, { shards: 3 })), 'ShardsHeld')).toBeUndefined();
});

test('volumes of shards that are gone are told of, in the tree as well; those of shards that run are not', () => {
  const claim = (shard: number): string => `
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data-prometheus-main-shard-${shard}-0
  namespace: monitoring
  labels:
    app.kubernetes.io/managed-by: prometheus-operator
    app.kubernetes.io/name: prometheus
    app.kubernetes.io/instance: main
    operator.prometheus.io/name: main
    prometheus: main
    operator.prometheus.io/shard: "${shard}"
`;
  const kept = withSpec(settled(all(main, monitor, claim(1), claim(2), claim(3))), { ...retain, shards: 1 });
  const told = settled(kept, now);
  expect(condition(told, 'VolumesKept')?.message).toContain(
    'shards 2, 3 are gone, and the volumes are kept: data-prometheus-main-shard-2-0, data-prometheus-main-shard-3-0.',
  );
  const [tree] = liveTrees(worldOf(told), { components: [component], nowMs: now });
  expect(tree?.children.slice(-2)).toMatchObject([
    { kind: 'PersistentVolumeClaim', name: 'data-prometheus-main-shard-2-0', notes: ['of shard 2, which is gone'] },
    { kind: 'PersistentVolumeClaim', name: 'data-prometheus-main-shard-3-0' },
  ]);
});

test('a least number of shards that is no number is refused, and takes nothing away', () => {
  const scaled = withSpec(withMin(settled(all(main, monitor)), 'two'), { shards: 0 });
  expect(lines(scaled).filter((each) => each.startsWith('delete'))).toEqual([]);
  expect(condition(settled(scaled), 'Reconciled')?.message).toContain('"two" is no whole number from 1 to 1000');
});

test('without the policy a removed shard goes once the others must have its targets', () => {
  const scaled = withSpec(settled(all(main, monitor)), { shards: 1 });
  expect(lines(scaled)).toContain(`patch StatefulSet ${shardOne}`);
  const told = settled(scaled);
  expect(lines(told, 94_000).filter((each) => each.startsWith('delete'))).toEqual([]);
  expect(lines(told, 95_000)).toContain(`delete StatefulSet ${shardOne} Background`);
  // Asked for again in time, it stays as it is.
  const again = settled(withSpec(told, { shards: 2 }), 94_000);
  expect(find(again, 'StatefulSet', shardOne).metadata.annotations).not.toHaveProperty(['signalbox.dev/leaves-at']);
});

test('while something is wrong with the root, nothing of it changes', () => {
  const broken = withSpec(settled(all(main, monitor)), {
    shards: 1,
    remoteWrite: [{ url: 'http://remote', basicAuth: { password: { name: 'gone', key: 'password' } } }],
  });
  expect(lines(broken)).toEqual([
    'setStatus Prometheus monitoring/main',
    'emit SecretMissing on Prometheus monitoring/main: spec.remoteWrite[0].basicAuth.password: Secret monitoring/gone does not exist',
  ]);
});

test('a broken monitor is left out, told of, and does not make the root fail', () => {
  const broken = monitor.replace('port: http', 'port: http, bearerTokenSecret: { name: gone, key: token }');
  const objects = settled(all(main, broken));
  expect(condition(objects, 'Reconciled')).toMatchObject({ status: 'True', reason: 'ResourcesRejected' });
  expect(configOf(objects, 'monitoring/prometheus-main')).toContain('scrape_configs: []');
});

test.each<[string, object, string, string]>([
  ['nothing that the selectors find', {}, 'True', 'NoSelectedResources'],
  ['a field that nothing is rendered from', { thanos: {} }, 'True', 'WithWarnings'],
  ['no selector at all', { serviceMonitorSelector: undefined }, 'True', 'ConfigurationUnmanaged'],
  ['a version that does not exist', { version: 'latest' }, 'False', 'ReconciliationFailed'],
])('Reconciled tells of %s', (_, spec, state, reason) => {
  expect(condition(settled(withSpec(all(main), spec)), 'Reconciled')).toMatchObject({ status: state, reason });
});

test('a configuration that is written by hand stays', () => {
  const unmanaged = settled(withSpec(all(main), { serviceMonitorSelector: undefined }));
  expect(configOf(unmanaged, 'monitoring/prometheus-main')).toBe('');
  const edited = unmanaged.map((each) =>
    keyOf(each) === 'monitoring/prometheus-main' && each.kind === 'Secret'
      ? ({ ...each, data: { 'prometheus.yaml.gz': 'aGFuZA==' } } as KubeObject)
      : each,
  );
  expect(lines(edited)).toEqual([]);
});

test('Available says which shards lack pods', () => {
  const withReady = (ready: readonly number[]): readonly KubeObject[] =>
    settled(
      settled(withSpec(all(main, monitor), { replicas: 2 })).map((each) => {
        if (each.kind !== 'StatefulSet') return each;
        const count = ready[each.metadata.name.endsWith('shard-1') ? 1 : 0] ?? 0;
        return { ...each, status: { replicas: 2, updatedReplicas: 2, availableReplicas: count } } as KubeObject;
      }),
    );
  expect(condition(withReady([2, 2]), 'Available')).toMatchObject({ status: 'True' });
  expect(condition(withReady([2, 1]), 'Available')).toMatchObject({
    status: 'Degraded',
    reason: 'SomePodsNotReady',
    message: 'shard 1: 1 of 2 pods ready',
  });
  expect(condition(withReady([1, 0]), 'Available')).toMatchObject({
    status: 'False',
    reason: 'SomePodsNotReadyAndNoPodReady',
  });
  expect(status(withReady([2, 1]))).toMatchObject({ replicas: 4, availableReplicas: 3, unavailableReplicas: 1 });
});

test('a Service of the user’s own must find the pods', () => {
  const own = (selector: object): readonly KubeObject[] =>
    all(
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'mine', namespace: 'monitoring' },
        spec: { selector },
      }),
    );
  const reconciled = (selector: object) =>
    condition(settled(withSpec([...all(main), ...own(selector)], { serviceName: 'mine' })), 'Reconciled');
  expect(reconciled({ 'operator.prometheus.io/name': 'main' })).toMatchObject({ status: 'True' });
  expect(reconciled({ 'operator.prometheus.io/shard': '0' })).toMatchObject({
    status: 'False',
    message:
      'Prometheus monitoring/main: spec.serviceName: Service monitoring/mine does not find the pods: label operator.prometheus.io/shard is "1", wanted "0"',
  });
});

test('a root that names another controller is left to it, also in what is shown', () => {
  const objects = all(main, monitor).map((each) =>
    each.kind === 'Prometheus'
      ? { ...each, metadata: { ...each.metadata, annotations: { 'operator.prometheus.io/controller-id': 'other' } } }
      : each,
  );
  const shown = (controllerId?: string): number => {
    const components = [createPrometheusComponent(controllerId === undefined ? {} : { controllerId })];
    const world = worldOf(objects);
    const trees = liveTrees(world, { components, nowMs: 0 });
    return renderWorld(world, { components, nowMs: 0 }).objects.length + trees.length;
  };
  expect(shown()).toBe(0);
  expect(shown('another')).toBe(0);
  expect(shown('other')).toBeGreaterThan(1);
});

test('a paused Prometheus keeps its shards and tells of those that run', () => {
  const halted = withSpec(settled(all(main, monitor)), { paused: true, shards: 1 });
  expect(lines(halted)).toEqual(['setStatus Prometheus monitoring/main']);
  const told = settled(halted);
  expect(status(told)).toMatchObject({ paused: true, shards: 1, shardStatuses: [{ shardID: '0' }] });
  expect(condition(told, 'Reconciled')).toMatchObject({ status: 'True', reason: 'Paused' });
  expect(condition(told, 'ShardsRetained')).toBeUndefined();
  expect(lines(told, 1_000)).toEqual([]);
  expect(lines(withSpec(told, { paused: false }))).toContain('patch StatefulSet monitoring/prometheus-main-shard-1');
});
