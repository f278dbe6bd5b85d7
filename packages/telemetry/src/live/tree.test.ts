import { freeze, type KubeObject } from '@signalbox/cluster';
import { describe, expect, test } from 'vitest';
import { createGrafanaAgentComponent } from '../roots/grafana-agent/component.ts';
import { objectsOf } from '../testing/world.ts';
import { isWorkload } from '../world/workload.ts';
import { worldOf } from '../world/world.ts';
import { type LiveNode, liveTrees, liveWorkload } from './tree.ts';

const declared = `
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: monitoring }
spec: { metrics: { replicas: 2, instanceSelector: {} } }
status:
  conditions:
    - { type: Reconciled, status: "True", reason: Reconciled, message: "" }
    - { type: Available, status: "False", reason: PodsNotReady, message: "StatefulSet agent: 1 of 2 pods ready" }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: MetricsInstance
metadata: { name: primary, namespace: monitoring }
spec: { serviceMonitorSelector: {} }
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: web, namespace: monitoring }
spec: { selector: {}, endpoints: [{ port: http }] }
`;
const running = `
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: agent, namespace: monitoring }
spec: { replicas: 2 }
status: { observedGeneration: 1, availableReplicas: 1, updatedReplicas: 2 }
`;
const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'agent', controller: true };
const pod = (name: string, conditions: readonly object[], owned: object = owner): KubeObject =>
  freeze({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'monitoring',
      uid: `uid of ${name}`,
      resourceVersion: '1',
      creationTimestamp: '',
      ownerReferences: [{ uid: 'uid of StatefulSet monitoring/agent', ...owned }],
    },
    spec: { nodeName: 'node-1' },
    status: { phase: 'Running', conditions },
  } as unknown as KubeObject);
const ready = { type: 'Ready', status: 'True' };
const scheduled = { type: 'PodScheduled', status: 'True' };

const treeOf = (...objects: readonly (readonly KubeObject[])[]): LiveNode | undefined =>
  liveTrees(worldOf(objects.flat()), { components: [createGrafanaAgentComponent()], nowMs: 0 })[0];

/** One line per node, indented, with its state, notes and problems. */
function lines(node: LiveNode, depth = 0): readonly string[] {
  const { kind, namespace, name, state, notes, problems, children } = node;
  const line = `${' '.repeat(depth)}${state} ${kind} ${namespace}/${name} (${notes.join(', ')}) ${problems.join('; ')}`;
  return [line.trimEnd(), ...children.flatMap((child) => lines(child, depth + 1))];
}

test('workloads show how far they are, with their pods under them', () => {
  const pods = [pod('agent-0', [scheduled, ready]), pod('agent-1', [scheduled])];
  const tree = treeOf(objectsOf(declared), objectsOf(running), pods);
  expect(tree && lines(tree)).toEqual([
    'waiting GrafanaAgent monitoring/agent ()',
    ' unknown MetricsInstance monitoring/primary ()',
    '  unknown ServiceMonitor monitoring/web ()',
    ' waiting StatefulSet monitoring/agent (1 of 2 ready) 1 of 2 pods ready',
    '  ready Pod monitoring/agent-0 (node-1, Running)',
    '  waiting Pod monitoring/agent-1 (node-1, Running) its containers are not ready',
  ]);
});

test('a root carries its conditions as they stand', () => {
  expect(treeOf(objectsOf(declared))?.conditions.map(({ type, status }) => `${type}=${status}`)).toEqual([
    'Reconciled=True',
    'Available=False',
  ]);
});

test('a workload that nobody has made yet is waited for', () => {
  const tree = treeOf(objectsOf(declared));
  expect(tree?.children.at(-1)).toMatchObject({
    kind: 'StatefulSet',
    state: 'waiting',
    problems: ['it does not exist yet'],
  });
});

describe('the state of a root', () => {
  const stateWith = (conditions: string): string | undefined =>
    treeOf(objectsOf(declared.replace(/status:\n(.*\n){3}/, `status: { conditions: [${conditions}] }\n`)))?.state;
  test.each<[string, string, string]>([
    ['nobody has written one', '', 'waiting'],
    ['it could not be built', '{ type: Reconciled, status: "False", reason: Bad, message: no }', 'failed'],
    ['its pods are on their way', '{ type: Available, status: "False", reason: Bad, message: no }', 'waiting'],
  ])('when %s', (_, conditions, state) => expect(stateWith(conditions)).toBe(state));

  test('when everything stands', () => {
    const up = running.replace('availableReplicas: 1', 'availableReplicas: 2');
    const all = declared.replace('"False", reason: PodsNotReady', '"True", reason: AllPodsReady');
    expect(treeOf(objectsOf(all), objectsOf(up))?.state).toBe('ready');
  });
});

test('a monitor with an error is marked as failed', () => {
  const broken = declared.replace('{ port: http }', '{ port: http, bearerTokenSecret: { name: none, key: token } }');
  const monitor = treeOf(objectsOf(broken))?.children[0]?.children[0];
  expect(monitor).toMatchObject({ kind: 'ServiceMonitor', state: 'failed' });
  expect(monitor?.problems[0]).toContain('Secret monitoring/none does not exist');
});

test('the pods of a Deployment are found through its ReplicaSets; those of others are left out', () => {
  const deployment = objectsOf(`
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: monitoring }
spec: { replicas: 1 }
---
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web-1
  namespace: monitoring
  ownerReferences:
    - { apiVersion: apps/v1, kind: Deployment, name: web, uid: uid of Deployment monitoring/web, controller: true }
`);
  const owned = { kind: 'ReplicaSet', name: 'web-1', uid: 'uid of ReplicaSet monitoring/web-1' };
  const world = worldOf([
    ...deployment,
    pod('web-1-a', [ready], { ...owned, controller: true }),
    pod('web-1-b', [ready], { ...owned, controller: false }),
    pod('agent-0', [ready]),
  ]);
  const [workload] = deployment;
  if (workload === undefined || !isWorkload(workload)) throw new Error('the first object is the Deployment');
  expect(liveWorkload(workload, world).children.map(({ name }) => name)).toEqual(['web-1-a']);
});

test('monitors and shards tell how many targets they have, when they are asked', () => {
  const service = `
apiVersion: v1
kind: Service
metadata: { name: web, namespace: monitoring }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: web-1, namespace: monitoring, labels: { kubernetes.io/service-name: web } }
addressType: IPv4
ports: [{ name: http, port: 80 }]
endpoints: [{ addresses: [10.0.0.1] }, { addresses: [10.0.0.2] }, { addresses: [10.0.0.3] }]
`;
  const world = worldOf([...objectsOf(declared), ...objectsOf(running), ...objectsOf(service)]);
  const options = { components: [createGrafanaAgentComponent()], nowMs: 0 };
  const notes = (node: LiveNode): readonly string[] => [
    ...node.notes.filter((note) => note.includes('target')).map((note) => `${node.kind} ${note}`),
    ...node.children.flatMap(notes),
  ];
  expect(liveTrees(world, { ...options, withTargets: true }).flatMap(notes)).toEqual([
    'ServiceMonitor 3 targets',
    'StatefulSet 3 targets',
  ]);
  expect(liveTrees(world, options).flatMap(notes)).toEqual([]);
});
