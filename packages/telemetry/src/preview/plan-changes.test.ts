import type { KubeObject, New } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { defaultComponents } from '../components.ts';
import { grafanaagents } from '../resources/grafana-agent.ts';
import { prometheuses } from '../resources/prometheus.ts';
import { freshManifests } from '../testing/world.ts';
import { type Scale, storedManifests, withEdits } from './edits.ts';
import { foretell } from './foretell.ts';
import { changesWithin, hasChanges, type PlannedChanges, planChanges } from './plan-changes.ts';

const options = { components: defaultComponents(), nowMs: 0 };

const base = `
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: monitoring }
spec: { shards: 2, serviceMonitorSelector: {}, podMonitorSelector: {} }
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: web, namespace: monitoring }
spec:
  selector: { matchLabels: { app: web } }
  endpoints:
    - port: http
      basicAuth: { username: { name: login, key: user }, password: { name: login, key: password } }
---
apiVersion: v1
kind: Secret
metadata: { name: login, namespace: monitoring }
stringData: { user: alice-the-admin, password: hunter2 }
`;

function settled(yaml: string): readonly KubeObject[] {
  return foretell(storedManifests(freshManifests(yaml), 'monitoring').objects, options).objects;
}

function planned(
  yaml: string,
  { edits = '', scales = [] }: { readonly edits?: string; readonly scales?: readonly Scale[] },
): PlannedChanges {
  const before = settled(yaml);
  const manifests = (edits === '' ? [] : freshManifests(edits)) as readonly New<KubeObject>[];
  const { objects, findings, missing } = withEdits(before, { manifests, scales, namespace: 'monitoring' });
  expect({ findings, missing }).toEqual({ findings: [], missing: [] });
  return planChanges(before, objects, options);
}

function lines({ edits, objects, workloads }: PlannedChanges): readonly string[] {
  return [
    ...edits.map(({ object, change, fields }) => `you ${change} ${object.kind} ${object.name} ${pathsOf(fields)}`),
    ...objects.map(({ object, change }) => `${change} ${object.kind} ${object.name}`),
    ...workloads.map(({ workload, effect, because }) => `${workload.name} ${effect} ${because.join(', ')}`),
  ].map((line) => line.trim());
}

function pathsOf(fields: PlannedChanges['edits'][number]['fields']): string {
  return fields
    .map(({ path, before, after }) => (after === undefined ? path : `${path}: ${before ?? ''} → ${after}`))
    .join(', ');
}

test('what is there already changes nothing', () => {
  const plan = planned(base, { edits: base });
  expect(plan).toEqual({
    edits: [],
    objects: [],
    workloads: [],
    configurations: [],
    targets: [],
    events: [],
    findings: [],
    isEndless: false,
  });
  expect(hasChanges(plan)).toBe(false);
});

test('a root that comes brings its objects, and its pods start', () => {
  const edits = `
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: second, namespace: monitoring }
spec: {}
`;
  expect(lines(planned(base, { edits }))).toEqual([
    'you created Prometheus second',
    'created StatefulSet prometheus-second',
    'created Secret prometheus-second',
    'created Secret prometheus-second-tls-assets-0',
    'created Secret prometheus-second-web-config',
    'changed Service prometheus-operated',
    'prometheus-second starts',
  ]);
});

test('another image restarts all shards, and nothing else does', () => {
  const edits = `
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: monitoring }
spec: { shards: 2, serviceMonitorSelector: {}, podMonitorSelector: {}, image: example/prometheus:3 }
`;
  const plan = planned(base, { edits });
  expect(plan.edits[0]?.fields).toEqual([{ path: 'spec.image', after: 'example/prometheus:3' }]);
  expect(plan.workloads).toMatchObject([
    {
      workload: { name: 'prometheus-main' },
      effect: 'restarts',
      podsAfter: 1,
      because: ['spec.template.spec.containers[prometheus].image'],
    },
    { workload: { name: 'prometheus-main-shard-1' }, effect: 'restarts' },
  ]);
  expect(plan.configurations).toEqual([]);
});

test('another monitor changes the configuration, and restarts nothing', () => {
  const edits = `
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: jobs, namespace: monitoring }
spec: { selector: {}, podMetricsEndpoints: [{ port: http }] }
`;
  const plan = planned(base, { edits });
  expect(lines(plan)).toEqual(['you created PodMonitor jobs', 'changed Secret prometheus-main']);
  const [change] = plan.configurations;
  expect(change).toMatchObject({ name: 'monitoring/prometheus-main/prometheus.yaml.gz', linesRemoved: 0 });
  expect(change?.hunks[0]?.lines).toContain('+- job_name: podMonitor/monitoring/jobs/0');
});

test('nothing that a Secret says is shown, neither before nor after', () => {
  const edits = `
apiVersion: v1
kind: Secret
metadata: { name: login, namespace: monitoring }
stringData: { user: bob-the-admin, password: correct-horse }
`;
  const plan = planned(base, { edits });
  expect(lines(plan)).toEqual(['you changed Secret login data.password, data.user', 'changed Secret prometheus-main']);
  const text = JSON.stringify(plan);
  for (const secret of ['alice', 'bob', 'hunter2', 'correct-horse'])
    for (const form of [secret, Buffer.from(secret).toString('base64').slice(0, 6)]) expect(text).not.toContain(form);
  const [hunk] = plan.configurations[0]?.hunks ?? [];
  expect(hunk?.lines.filter((line) => !line.startsWith(' '))).toEqual([
    '-    username: <redacted>',
    '-    password: <redacted>',
    '+    username: <redacted>',
    '+    password: <redacted>',
  ]);
});

test('one shard more is one workload more', () => {
  const scales = [{ type: prometheuses, namespace: 'monitoring', name: 'main', shards: 3 }];
  const plan = planned(base, { scales });
  expect(lines(plan)).toEqual([
    'you changed Prometheus main spec.shards: 2 → 3',
    'created StatefulSet prometheus-main-shard-2',
    'changed Secret prometheus-main',
    'prometheus-main-shard-2 starts',
  ]);
});

test('with slots the plan tells the steps of the hand-over, and how the targets are shared in the end', () => {
  const root = base.replace(
    'namespace: monitoring }\nspec: { shards',
    'namespace: monitoring, annotations: { signalbox.dev/sharding: slots } }\nspec: { shards',
  );
  const plan = planned(root, { scales: [{ type: prometheuses, namespace: 'monitoring', name: 'main', shards: 3 }] });
  const how = 'from 2 to 3 shards, 171 of 512 slots move';
  expect(plan.events.map(({ reason, note }) => `${reason} ${note.slice(0, how.length)}`)).toEqual([
    ...['Resharding', 'Resharding', 'Resharding', 'Resharded'].map((reason) => `${reason} ${how}`),
  ]);
  expect(plan.isEndless).toBe(false);
});

test('what the operator finds wrong with the edits is told before', () => {
  const edits = `
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: broken, namespace: monitoring }
spec: { selector: {}, podMetricsEndpoints: [{ port: http, interval: 10s, scrapeTimeout: 20s }] }
`;
  const plan = planned(base, { edits });
  expect(plan.findings.map(({ regarding, severity }) => `${severity} ${regarding.kind} ${regarding.name}`)).toEqual([
    'error PodMonitor broken',
  ]);
  expect(lines(plan)).toEqual(['you created PodMonitor broken']);
});

test('shards of a GrafanaAgent are scaled where they stand', () => {
  const agent = `
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: monitoring }
spec: { metrics: { instanceSelector: {} } }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: MetricsInstance
metadata: { name: primary, namespace: monitoring }
spec: {}
`;
  const plan = planned(agent, { scales: [{ type: grafanaagents, namespace: 'monitoring', name: 'agent', shards: 2 }] });
  expect(lines(plan)).toContain('created StatefulSet agent-shard-1');
});

test('what happens in some namespaces can be told alone', () => {
  const other = base.replaceAll('namespace: monitoring', 'namespace: shop');
  const objects = storedManifests(freshManifests(`${base}---\n${other}`), 'monitoring').objects;
  const all = planChanges(objects, objects, options);
  const within = changesWithin(all, ['shop']);
  const places = (changes: PlannedChanges): readonly string[] => [
    ...new Set([
      ...changes.objects.map(({ object }) => object.namespace ?? ''),
      ...changes.workloads.map(({ workload }) => workload.namespace ?? ''),
      ...changes.configurations.map(({ name }) => name.split('/')[0] ?? ''),
      ...changes.targets.map(({ root }) => root.namespace ?? ''),
      ...changes.findings.map(({ regarding }) => regarding.namespace ?? ''),
    ]),
  ];
  expect([places(all).length, places(within)]).toEqual([2, ['shop']]);
  expect(within.objects.length * 2).toBe(all.objects.length);
  expect(within.configurations.length * 2).toBe(all.configurations.length);
  expect(hasChanges(changesWithin(all, ['shopping', 'sho']))).toBe(false);
  expect(changesWithin(all, ['sho']).configurations).toEqual([]);
  expect(changesWithin(all, ['shop', 'monitoring'])).toEqual(all);
});
