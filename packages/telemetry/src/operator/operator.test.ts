import { type KubeObject, keyOf } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import type { GrafanaAgent } from '../resources/grafana-agent.ts';
import { createGrafanaAgentComponent } from '../roots/grafana-agent/component.ts';
import { find, line, runOnce } from '../testing/settle.ts';
import { objectsOf } from '../testing/world.ts';

const root = `
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: monitoring }
spec:
  metrics: { shards: 2, instanceSelector: {} }
  logs: { instanceSelector: {} }
`;
const metrics = `
apiVersion: monitoring.grafana.com/v1alpha1
kind: MetricsInstance
metadata: { name: primary, namespace: monitoring }
spec: { serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: {} }
`;
const logs = `
apiVersion: monitoring.grafana.com/v1alpha1
kind: LogsInstance
metadata: { name: primary, namespace: monitoring }
`;
const monitor = `
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: shop, namespace: shop }
spec:
  selector: {}
  endpoints: [{ port: http, bearerTokenSecret: { name: login, key: token } }]
`;
const login = `
apiVersion: v1
kind: Secret
metadata: { name: login, namespace: shop }
stringData: { token: hunter2 }
`;
const component = createGrafanaAgentComponent();
const all = (...parts: string[]): readonly KubeObject[] => objectsOf(parts.join('\n---\n'));
const settled = (objects: readonly KubeObject[]): readonly KubeObject[] => runOnce(objects, component).objects;
const lines = (objects: readonly KubeObject[]): readonly string[] => runOnce(objects, component).plan.actions.map(line);
const configOf = (objects: readonly KubeObject[]): string => {
  const secret = find(objects, 'Secret', 'monitoring/agent-config') as KubeObject & { data: Record<string, string> };
  return Buffer.from(secret.data['agent.yml'] ?? '', 'base64').toString();
};
const change = (objects: readonly KubeObject[], kind: string, key: string, by: (it: never) => object) =>
  objects.map((each) => (each.kind === kind && keyOf(each) === key ? (by(each as never) as KubeObject) : each));

test('a new root gets its objects in the order in which the Agent Operator writes them', () => {
  expect(lines(all(root, metrics, logs))).toEqual([
    'create Secret monitoring/agent-secrets',
    'create Secret monitoring/agent-config',
    'create Service monitoring/agent-operated',
    'create StatefulSet monitoring/agent',
    'create StatefulSet monitoring/agent-shard-1',
    'create Secret monitoring/agent-logs-config',
    'create DaemonSet monitoring/agent-logs',
    'setStatus GrafanaAgent monitoring/agent',
  ]);
});

test('applying a plan leaves nothing to do', () => {
  const objects = settled(all(root, metrics, logs, monitor, login));
  expect(lines(objects)).toEqual([]);
});

test('a root that selects nothing has only the Secret for what it refers to', () => {
  expect(lines(all(root))).toEqual([
    'create Secret monitoring/agent-secrets',
    'setStatus GrafanaAgent monitoring/agent',
  ]);
});

test('editing a monitor rewrites the configuration and touches nothing else', () => {
  const objects = settled(all(root, metrics, logs, monitor, login));
  const edited = change(objects, 'ServiceMonitor', 'shop/shop', (it: { spec: object }) => ({
    ...it,
    spec: { ...it.spec, endpoints: [{ port: 'metrics' }] },
  }));
  expect(lines(edited)).toEqual(['update Secret monitoring/agent-secrets', 'update Secret monitoring/agent-config']);
});

test('editing a Secret that a monitor refers to rewrites the configuration', () => {
  const objects = settled(all(root, metrics, monitor, login));
  const edited = change(objects, 'Secret', 'shop/login', (it: object) => ({ ...it, stringData: { token: 'changed' } }));
  expect(configOf(settled(edited))).toContain('bearer_token: changed');
  expect(configOf(objects)).toContain('bearer_token: hunter2');
});

test('a missing Secret costs its monitor only, is told once, and recovers when the Secret comes', () => {
  const first = runOnce(all(root, metrics, monitor), component);
  expect(first.plan.actions.map(line)).toContain(
    'emit SecretMissing on ServiceMonitor shop/shop: spec.endpoints[0].bearerTokenSecret: Secret shop/login does not exist',
  );
  expect(configOf(first.objects)).not.toContain('serviceMonitor/');
  const second = runOnce(first.objects, component, { memory: first.plan.memory });
  expect(second.plan.actions).toEqual([]);
  const third = runOnce([...second.objects, ...all(login)], component, { memory: second.plan.memory });
  expect(configOf(third.objects)).toContain('job_name: serviceMonitor/shop/shop/0');
  expect(third.plan.actions.map(line)).toContain('setStatus GrafanaAgent monitoring/agent');
});

test('fewer shards remove the surplus StatefulSets of this root, and of no other', () => {
  const other = root.replace('namespace: monitoring', 'namespace: elsewhere');
  const otherMetrics = metrics.replace('namespace: monitoring', 'namespace: elsewhere');
  const objects = settled(all(root, metrics, other, otherMetrics));
  const shrunk = change(objects, 'GrafanaAgent', 'monitoring/agent', (it: GrafanaAgent) => ({
    ...it,
    spec: { ...it.spec, metrics: { ...it.spec.metrics, shards: 1 } },
  }));
  // It goes on until the others must have its targets.
  expect(lines(shrunk)).toContain('patch StatefulSet monitoring/agent-shard-1');
  const told = runOnce(shrunk, component).objects;
  expect(lines(told).filter((each) => each.startsWith('delete'))).toEqual([]);
  const todo = runOnce(told, component, { nowMs: 95_000 }).plan.actions.map(line);
  expect(todo).toContain('delete StatefulSet monitoring/agent-shard-1 Background');
  expect(todo.filter((each) => each.includes('elsewhere'))).toEqual([]);
});

test('without its last instance the workloads of a signal go', () => {
  const objects = settled(all(root, metrics, logs)).filter(({ kind }) => kind !== 'LogsInstance');
  expect(lines(objects).filter((each) => each.startsWith('delete'))).toEqual([
    'delete Secret monitoring/agent-logs-config Background',
    'delete DaemonSet monitoring/agent-logs Background',
  ]);
});

test('an object of the same name that belongs to somebody else is left alone and reported', () => {
  const stranger = `
apiVersion: v1
kind: Secret
metadata: { name: agent-secrets, namespace: monitoring }
stringData: { mine: do-not-touch }
`;
  const first = runOnce(all(root, metrics, stranger), component);
  const todo = first.plan.actions.map(line);
  expect(todo.filter((each) => /(create|update|delete) Secret monitoring\/agent-secrets/.test(each))).toEqual([]);
  expect(todo.join('\n')).toContain('emit NameTaken on GrafanaAgent monitoring/agent');
  const { status } = find(first.objects, 'GrafanaAgent', 'monitoring/agent') as GrafanaAgent;
  expect(status?.conditions?.find(({ type }) => type === 'Reconciled')).toMatchObject({
    status: 'False',
    reason: 'NameTaken',
  });
});

test('a root called like another root’s shard does not take its StatefulSet', () => {
  const second = root.replace('name: agent', 'name: agent-shard-1');
  const once = settled(all(root, metrics));
  const todo = lines([...once, ...all(second)]);
  expect(todo.filter((each) => each.endsWith('StatefulSet monitoring/agent-shard-1'))).toEqual([]);
  expect(todo.join('\n')).toContain('StatefulSet monitoring/agent-shard-1 belongs to GrafanaAgent agent');
});

test('objects orphaned by a deleted root are taken over by its successor', () => {
  const objects = settled(all(root, metrics)).map((each) =>
    each.metadata.ownerReferences === undefined
      ? each
      : { ...each, metadata: { ...each.metadata, ownerReferences: [] } },
  );
  const todo = lines(objects);
  expect(todo).toContain('update StatefulSet monitoring/agent');
  expect(todo.filter((each) => each.startsWith('create') || each.startsWith('emit'))).toEqual([]);
});

test('the Agent Operator’s Secrets, owned without control, are taken over', () => {
  const objects = change(settled(all(root, metrics)), 'Secret', 'monitoring/agent-config', (it: KubeObject) => ({
    ...it,
    metadata: {
      ...it.metadata,
      ownerReferences: it.metadata.ownerReferences?.map(({ controller: _controller, ...owner }) => owner),
    },
  }));
  expect(lines(objects)).toEqual(['update Secret monitoring/agent-config']);
  expect(lines(settled(objects))).toEqual([]);
});

test('what a root of the same name has left behind is waited out, not reported', () => {
  const objects = change(settled(all(root, metrics)), 'GrafanaAgent', 'monitoring/agent', (it: KubeObject) => ({
    ...it,
    metadata: { ...it.metadata, uid: 'another' },
  }));
  expect(lines(objects).filter((each) => !each.startsWith('setStatus'))).toEqual([]);
  const collected = objects.filter(({ metadata }) => metadata.ownerReferences === undefined);
  expect(lines(collected)).toContain('create StatefulSet monitoring/agent');
});

test('a Secret that another root owns without control is not taken', () => {
  const both = all(root.replace('name: agent', 'name: agent-logs'), metrics);
  const once = change(settled(both), 'Secret', 'monitoring/agent-logs-config', (it: KubeObject) => ({
    ...it,
    metadata: {
      ...it.metadata,
      ownerReferences: it.metadata.ownerReferences?.map(({ controller: _controller, ...owner }) => owner),
    },
  }));
  const todo = lines([...once, ...all(root, logs)]);
  expect(todo.join('\n')).toContain('Secret monitoring/agent-logs-config belongs to GrafanaAgent agent-logs');
});

test('labels, annotations and restarts that others added stay', () => {
  const objects = change(
    settled(all(root, metrics)),
    'StatefulSet',
    'monitoring/agent',
    (it: KubeObject & { spec: { template: { metadata: { annotations: object } } } }) => ({
      ...it,
      metadata: { ...it.metadata, labels: { ...it.metadata.labels, theirs: 'x' } },
      spec: {
        ...it.spec,
        replicas: 9,
        template: {
          ...it.spec.template,
          metadata: {
            ...it.spec.template.metadata,
            annotations: {
              ...it.spec.template.metadata.annotations,
              'kubectl.kubernetes.io/restartedAt': 'now',
              stray: 'y',
            },
          },
        },
      },
    }),
  );
  expect(lines(objects).filter((each) => each.startsWith('update'))).toEqual(['update StatefulSet monitoring/agent']);
  const set = find(settled(objects), 'StatefulSet', 'monitoring/agent') as KubeObject & {
    spec: { replicas: number; template: { metadata: { annotations: object } } };
  };
  expect(set.metadata.labels).toMatchObject({ theirs: 'x', 'operator.agent.grafana.com/shard': '0' });
  expect(set.spec.replicas).toBe(1);
  expect(set.spec.template.metadata.annotations).toEqual({
    'kubectl.kubernetes.io/default-container': 'grafana-agent',
    'kubectl.kubernetes.io/restartedAt': 'now',
  });
});

test('what a server fills in is no difference, a field that is no longer wanted is one', () => {
  const withSelector = root.replace('spec:', 'spec:\n  nodeSelector: { disk: ssd }');
  const defaulted = change(
    settled(all(withSelector, metrics)),
    'StatefulSet',
    'monitoring/agent',
    (it: KubeObject & { spec: object }) => ({
      ...it,
      spec: { ...it.spec, revisionHistoryLimit: 10, persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain' } },
    }),
  );
  expect(lines(defaulted)).toEqual([]);
  const without = change(defaulted, 'GrafanaAgent', 'monitoring/agent', (it: GrafanaAgent) => {
    const { nodeSelector: _gone, ...spec } = it.spec;
    return { ...it, spec };
  });
  expect(lines(without)).toEqual([
    'update StatefulSet monitoring/agent',
    'update StatefulSet monitoring/agent-shard-1',
  ]);
});

const claim = (template: object) => (it: GrafanaAgent) => ({
  ...it,
  spec: { ...it.spec, storage: { volumeClaimTemplate: template } },
});

test('pods go with their StatefulSet when they cannot have the new claims', () => {
  const objects = settled(all(root, metrics));
  const withClaims = change(objects, 'GrafanaAgent', 'monitoring/agent', claim({ metadata: { name: 'wal' } }));
  expect(lines(withClaims)).toContain('delete StatefulSet monitoring/agent Foreground');
  const running = settled(settled(withClaims));
  const larger = change(
    running,
    'GrafanaAgent',
    'monitoring/agent',
    claim({ metadata: { name: 'wal' }, spec: { resources: { requests: { storage: '2Gi' } } } }),
  );
  expect(lines(larger)).toContain('delete StatefulSet monitoring/agent Orphan');
  expect(lines(settled(larger))).toContain('create StatefulSet monitoring/agent');
  expect(lines(settled(settled(larger)))).toEqual([]);
  const renamed = change(running, 'GrafanaAgent', 'monitoring/agent', claim({ metadata: { name: 'other' } }));
  expect(lines(renamed)).toContain('delete StatefulSet monitoring/agent Foreground');
  const without = change(running, 'GrafanaAgent', 'monitoring/agent', ({ spec, ...it }: GrafanaAgent) => {
    const { storage: _gone, ...rest } = spec;
    return { ...it, spec: rest };
  });
  expect(lines(without)).toContain('delete StatefulSet monitoring/agent Orphan');
});

test('a field that a claim no longer says replaces the StatefulSet, one that the server filled in does not', () => {
  const labelled = claim({ metadata: { name: 'wal', labels: { a: 'b' } }, spec: { storageClassName: 'fast' } });
  const running = settled(settled(change(settled(all(root, metrics)), 'GrafanaAgent', 'monitoring/agent', labelled)));
  const defaulted = change(running, 'StatefulSet', 'monitoring/agent', (it: KubeObject & { spec: SetSpec }) => ({
    ...it,
    spec: {
      ...it.spec,
      volumeClaimTemplates: it.spec.volumeClaimTemplates.map((template) => ({
        ...template,
        spec: { ...template.spec, volumeMode: 'Filesystem' },
        status: { phase: 'Pending' },
      })),
    },
  }));
  expect(lines(defaulted)).toEqual([]);
  const bare = change(defaulted, 'GrafanaAgent', 'monitoring/agent', claim({ metadata: { name: 'wal' } }));
  expect(lines(bare)).toContain('delete StatefulSet monitoring/agent Orphan');
});

interface SetSpec {
  readonly volumeClaimTemplates: readonly { readonly spec: object }[];
}

test('what a root depends on as a whole keeps the last good configuration when it breaks', () => {
  const remote = `
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: monitoring }
spec:
  metrics:
    instanceSelector: {}
    remoteWrite: [{ url: https://example.com, basicAuth: { username: { name: user, key: user } } }]
`;
  const user =
    'apiVersion: v1\nkind: Secret\nmetadata: { name: user, namespace: monitoring }\nstringData: { user: me }\n';
  const objects = settled(all(remote, metrics, user));
  const without = objects.filter((each) => keyOf(each) !== 'monitoring/user');
  const broken = runOnce(without, component);
  expect(broken.plan.actions.map(line).filter((each) => !each.startsWith('emit'))).toEqual([
    'update Secret monitoring/agent-secrets',
    'setStatus GrafanaAgent monitoring/agent',
  ]);
  expect(configOf(broken.objects)).toContain('username: me');
});

test('what is kept as it was still counts as wanted', () => {
  const broken = root.replace('shards: 2', 'enforcedNamespaceLabel: a-b');
  const { status } = find(settled(all(broken, metrics)), 'GrafanaAgent', 'monitoring/agent') as GrafanaAgent;
  expect(status?.conditions?.find(({ type }) => type === 'Available')).toMatchObject({
    status: 'False',
    reason: 'PodsNotReady',
    message: 'StatefulSet agent: 0 of 1 pods ready',
  });
});

test('a name that cannot be is told, and what stands under it stays', () => {
  const name = 'a'.repeat(45);
  const objects = settled(all(root.replace('name: agent', `name: ${name}`), metrics));
  const grown = change(objects, 'GrafanaAgent', `monitoring/${name}`, (it: GrafanaAgent) => ({
    ...it,
    spec: { ...it.spec, metrics: { ...it.spec.metrics, shards: 11 } },
  }));
  const todo = lines(grown);
  expect(todo.filter((each) => !/^(emit InvalidName|setStatus)/.test(each))).toEqual([]);
  expect(todo.join('\n')).toContain('emit InvalidName');
});

test('conditions keep their transition time while nothing changes', () => {
  const first = runOnce(all(root, metrics), component, { nowMs: 1_000 });
  const before = find(first.objects, 'GrafanaAgent', 'monitoring/agent') as GrafanaAgent;
  expect(before.status).toMatchObject({ observedGeneration: 1, metricsInstances: 1, logsInstances: 0 });
  const edited = change(first.objects, 'GrafanaAgent', 'monitoring/agent', (it: GrafanaAgent) => ({
    ...it,
    metadata: { ...it.metadata, generation: 2 },
  }));
  const after = find(
    runOnce(edited, component, { nowMs: 9_000 }).objects,
    'GrafanaAgent',
    'monitoring/agent',
  ) as GrafanaAgent;
  expect(after.status?.observedGeneration).toBe(2);
  expect(after.status?.conditions?.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([
    '1970-01-01T00:00:01Z',
    '1970-01-01T00:00:01Z',
  ]);
});

test('no secret’s value is in a status, an event or a finding', () => {
  const { plan } = runOnce(all(root, metrics, monitor, login), component);
  const told = plan.actions.filter((action) => action.do === 'emit' || action.do === 'setStatus');
  expect(JSON.stringify(told)).not.toContain('hunter2');
});

test('a paused root is left alone, and its status goes on telling how it is', () => {
  const objects = settled(all(root, metrics, logs, monitor));
  const halted = change(objects, 'GrafanaAgent', 'monitoring/agent', (it: GrafanaAgent) => ({
    ...it,
    spec: { ...it.spec, paused: true, image: 'example.com/another:1' },
  }));
  const first = runOnce(halted, component);
  expect(first.plan.actions.map(line)).toEqual(['setStatus GrafanaAgent monitoring/agent']);
  const conditions = (find(first.objects, 'GrafanaAgent', 'monitoring/agent') as GrafanaAgent).status?.conditions;
  expect(conditions).toContainEqual(expect.objectContaining({ type: 'Reconciled', status: 'True', reason: 'Paused' }));
  expect(lines(first.objects)).toEqual([]);
  const second = runOnce(
    first.objects.filter(({ kind }) => kind !== 'ServiceMonitor'),
    component,
  );
  expect(second.plan.actions.map(line)).toEqual(['setStatus GrafanaAgent monitoring/agent']);
  expect(find(second.objects, 'GrafanaAgent', 'monitoring/agent')).toMatchObject({ status: { monitors: 0 } });
});
