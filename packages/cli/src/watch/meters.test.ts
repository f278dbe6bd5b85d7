import { createSupervisor, statefulsets } from '@signalbox/cluster';
import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import {
  createOperatorFigures,
  createTelemetryOperator,
  customResourceDefinitions,
  defaultComponents,
} from '@signalbox/telemetry';
import { expect, test } from 'vitest';
import { meterTable, rootsMax } from './meter-table.ts';
import { createMeters, type MeterFacts } from './meters.ts';

const vitals = { cpuSeconds: 1.5, residentBytes: 9e7, heapUsedBytes: 4e7, startedMs: 1e12, openFiles: 20 };
const resting: MeterFacts = {
  isLeader: true,
  parts: [{ name: 'telemetry-operator', is: 'running', reason: undefined }],
  queues: [{ component: 'prometheus', size: 2, failing: 1, oldestAgeMs: 1_500, restingMs: 0 }],
  followed: [{ resource: 'statefulsets.apps', isSynced: true, objects: 3 }],
  roots: [],
  wrong: [{ kind: 'PodMonitor', reason: 'InvalidValue', severity: 'error', count: 2 }],
  unreachableMs: 0,
  loopLateMs: 0,
  vitals,
};
const build = { version: '1.2.3', commit: 'abc', node: 'v20.19.0' };
/** The lines of a metric, without its comments. */
const samplesOf = (text: string, name: string): readonly string[] =>
  text.split('\n').filter((line) => new RegExp(`^${name}(\\{| )`).test(line));
const root = (name: string): MeterFacts['roots'][number] => ({
  kind: 'Prometheus',
  namespace: 'shop',
  name,
  shards: { wanted: 2, ready: 1 },
  replicas: { wanted: 4, ready: 3 },
});

test('every metric has its help and its type as the table has them, and no other is served', async () => {
  const text = await createMeters(build).text(resting);
  const told = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
  expect(told.sort()).toEqual(
    Object.entries(meterTable)
      .map(([name, { type }]) => `${name} ${type}`)
      .sort(),
  );
  for (const [name, { help }] of Object.entries(meterTable)) expect(text).toContain(`# HELP ${name} ${help}\n`);
});

test('what happens is counted, and what is is read', async () => {
  const meters = createMeters(build);
  const run = { component: 'prometheus', key: 'shop/main', cause: { by: 'start' } } as const;
  meters.runtime.ran({ ...run, result: 'succeeded', startedMs: 0, endedMs: 40 });
  meters.runtime.ran({ ...run, result: 'failed', startedMs: 0, endedMs: 3_000 });
  meters.runtime.acts(run, { do: 'delete', type: statefulsets, target: {} as never })();
  meters.runtime.acts(run, { do: 'delete', type: statefulsets, target: {} as never })(new Error('no'));
  const asked = { verb: 'list', resource: 'pods', subresource: undefined, durationMs: 20 } as const;
  meters.requests.answered({ ...asked, code: 200 });
  meters.requests.answered({ ...asked, code: 503 });
  for (const code of [200, 410, 403]) meters.requests.watchEnded({ resource: 'pods', code });
  const text = await meters.text({ ...resting, roots: [root('main')] });
  for (const line of [
    'signalbox_build_info{version="1.2.3",commit="abc",node="v20.19.0"} 1',
    'signalbox_leader 1',
    'signalbox_part_up{part="telemetry-operator"} 1',
    'signalbox_reconciles_total{component="prometheus",result="succeeded"} 1',
    'signalbox_reconciles_total{component="prometheus",result="failed"} 1',
    'signalbox_reconcile_duration_seconds_bucket{le="0.1",component="prometheus"} 1',
    'signalbox_reconcile_duration_seconds_sum{component="prometheus"} 3.04',
    'signalbox_queue_retries_total{component="prometheus"} 1',
    'signalbox_actions_total{component="prometheus",action="delete",result="done"} 1',
    'signalbox_actions_total{component="prometheus",action="delete",result="refused"} 1',
    'signalbox_queue_depth{component="prometheus"} 2',
    'signalbox_queue_oldest_age_seconds{component="prometheus"} 1.5',
    'signalbox_queue_failing{component="prometheus"} 1',
    'signalbox_api_requests_total{verb="list",resource="pods",code="503"} 1',
    'signalbox_api_requests_total{verb="watch",resource="pods",code="410"} 1',
    'signalbox_api_request_duration_seconds_count{verb="list",resource="pods"} 2',
    'signalbox_watch_restarts_total{resource="pods",reason="ended"} 1',
    'signalbox_watch_restarts_total{resource="pods",reason="expired"} 1',
    'signalbox_watch_restarts_total{resource="pods",reason="failed"} 1',
    'signalbox_cache_objects{resource="statefulsets.apps"} 3',
    'signalbox_findings{kind="PodMonitor",reason="InvalidValue",severity="error"} 2',
    'signalbox_roots{kind="Prometheus"} 1',
    'signalbox_root_shards_wanted{kind="Prometheus",namespace="shop",name="main"} 2',
    'signalbox_root_shards_ready{kind="Prometheus",namespace="shop",name="main"} 1',
    'signalbox_root_replicas_ready{kind="Prometheus",namespace="shop",name="main"} 3',
    'process_cpu_seconds_total 1.5',
    'process_start_time_seconds 1000000000',
    'process_open_fds 20',
  ])
    expect(text).toContain(`${line}\n`);
});

test('what is not any more has no series, and of very many roots only the first have', async () => {
  const meters = createMeters(build);
  const many = Array.from({ length: rootsMax + 100 }, (_, index) => root(`main-${index}`));
  const text = await meters.text({ ...resting, roots: many });
  expect(samplesOf(text, 'signalbox_root_shards_ready')).toHaveLength(rootsMax);
  expect(samplesOf(text, 'signalbox_roots')).toEqual([`signalbox_roots{kind="Prometheus"} ${rootsMax + 100}`]);
  const later = await meters.text({ ...resting, wrong: [], isLeader: false });
  expect(samplesOf(later, 'signalbox_root_shards_ready')).toEqual([]);
  expect(samplesOf(later, 'signalbox_findings')).toEqual([]);
  expect(samplesOf(later, 'signalbox_leader')).toEqual(['signalbox_leader 0']);
});

const world = `
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: shop }
spec: { shards: 2, replicas: 2, podMonitorSelector: { matchLabels: { by: main } } }
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: broken, namespace: shop, labels: { by: main } }
spec: { selector: {}, podMetricsEndpoints: [{ port: http, scrapeTimeout: 2h }] }
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: lonely, namespace: shop }
spec: { selector: {}, podMetricsEndpoints: [{ port: http }] }
`;

async function operated(): Promise<{ readonly cluster: TestCluster; text(): Promise<string> }> {
  const meters = createMeters(build);
  const figures = createOperatorFigures();
  const cluster = await createTestCluster({
    nodes: 2,
    manifests: customResourceDefinitions(),
    components: [
      (platform) =>
        createTelemetryOperator(
          { ...platform, observer: meters.runtime },
          { components: defaultComponents(), observer: figures },
        ),
    ],
  });
  await cluster.advance(1_000);
  const { informers } = cluster.platform;
  return {
    cluster,
    text: () =>
      meters.text({
        ...resting,
        followed: informers.followed(),
        roots: figures.roots(informers),
        wrong: figures.wrong(),
        parts: createSupervisor([], cluster.platform).states,
      }),
  };
}

test('an operator that works tells of roots, of what is wrong, and of what it does', async () => {
  const { cluster, text } = await operated();
  await cluster.applyYaml(world);
  await cluster.advance(120_000);
  const then = await text();
  const main = 'kind="Prometheus",namespace="shop",name="main"';
  for (const line of [
    `signalbox_root_shards_wanted{${main}} 2`,
    `signalbox_root_shards_ready{${main}} 2`,
    `signalbox_root_replicas_wanted{${main}} 4`,
    `signalbox_root_replicas_ready{${main}} 4`,
    'signalbox_actions_total{component="prometheus",action="create",result="done"} 6',
    'signalbox_findings{kind="PodMonitor",reason="NotSelected",severity="warning"} 1',
    'signalbox_cache_objects{resource="prometheuses.monitoring.coreos.com"} 1',
  ])
    expect(then).toContain(`${line}\n`);
  expect(then).toMatch(/signalbox_findings\{kind="PodMonitor",reason="\w+",severity="error"\} 1\n/);
  await cluster.applyYaml(world.replace('shards: 2', 'shards: 3'));
  await cluster.client.delete(statefulsets, { namespace: 'shop', name: 'prometheus-main' });
  await cluster.advance(20);
  expect(await text()).toContain(`signalbox_root_shards_wanted{${main}} 3\n`);
  await cluster.close();
});
