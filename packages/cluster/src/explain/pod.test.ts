import { beforeEach, expect, test } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { nodes, persistentvolumeclaims, pods } from '../api/generated/kinds.ts';
import { asked, causesOf, rowsOf } from '../testing/asked.ts';
import { makeNode, makePod, type PodParts } from '../testing/makers.ts';
import { createWorld, meta, type World } from '../testing/plan-world.ts';
import type { Explanation } from './explanation.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
});

function told(pod: Pod, ...others: readonly Pod[]): Explanation {
  for (const each of [pod, ...others]) world.put(pods, each);
  return asked(world, { type: pods, name: pod.metadata.name });
}

const someNodes = (): void => {
  for (const node of [
    makeNode('a'),
    makeNode('b'),
    makeNode('c', { taints: [{ key: 'dedicated', effect: 'NoSchedule' }], unschedulable: true }),
  ])
    world.put(nodes, node);
};

test('every rule that rejects a node is told, and what would have to change', () => {
  someNodes();
  const explanation = told(
    makePod('p', { cpu: '3' }),
    makePod('x', { node: 'a', cpu: '2' }),
    makePod('y', { node: 'b', cpu: '3' }),
  );
  expect(explanation).toMatchObject({ outcome: 'waits', summary: 'waits for a node' });
  expect(rowsOf(explanation)).toEqual([
    'a b: does not fit: NodeResourcesFit: 3 cpu is not free (1 to 2 is free)',
    'c: does not fit: NodeUnschedulable: the node is cordoned; TaintToleration: it does not tolerate the taint dedicated:NoSchedule',
  ]);
  expect(explanation.groups.map(({ mend }) => mend)).toEqual([
    'free cpu, or request less',
    'kubectl uncordon c; tolerate it, or remove it: kubectl taint nodes c dedicated:NoSchedule-',
  ]);
  expect(causesOf(explanation).at(-1)).toBe(
    'preemption does not help: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.',
  );
});

test.each<[string, PodParts, string]>([
  ['gates', { spec: { schedulingGates: [{ name: 'quota' }] } }, 'scheduling gates hold it: quota'],
  ['a node that fits', {}, 'it fits 2 nodes and waits for the scheduler'],
  [
    'another scheduler',
    { spec: { schedulerName: 'mine' } },
    'the scheduler mine decides about it, and its rules are not known here',
  ],
  [
    'a selector',
    { spec: { nodeSelector: { disk: 'ssd' } } },
    '2 nodes: NodeAffinity: its nodeSelector wants the label disk=ssd; 1 node: NodeUnschedulable: the node is cordoned',
  ],
])('a pod without a node waits for %s', (_, parts, why) => {
  someNodes();
  expect(told(makePod('p', parts)).causes[0]?.cause).toBe(why);
});

test('without a node there is nothing to fit', () => {
  expect(causesOf(told(makePod('p')))).toEqual(['there are no nodes → add a node']);
});

test('of a pod that is meant for one node only that node is told', () => {
  someNodes();
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['a'] }];
  const terms = { nodeSelectorTerms: [{ matchFields }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
  const explanation = told(makePod('p', { cpu: '9', spec: { affinity } }));
  expect(rowsOf(explanation)).toEqual([
    'a: does not fit: NodeResourcesFit: 9 cpu is more than the node has (4 is free)',
  ]);
  expect(explanation.facts).toMatchObject({ meantFor: 'a' });
});

test('of a node that is asked about, its own rule is the cause', () => {
  for (const name of ['a', 'b', 'c']) world.put(nodes, makeNode(name, { labels: { disk: name } }));
  world.put(pods, makePod('p', { cpu: '9', spec: { nodeSelector: { disk: 'a' } } }));
  expect(causesOf(asked(world, { type: pods, name: 'p', node: 'a' }))[0]).toMatch(
    /^1 node: NodeResourcesFit: 9 cpu is more than the node has \(4 is free\)(?!.*kubectl label)/,
  );
});

test.each([
  ['one that counts', 5, 5],
  ['one that counts less than others', -1, -1],
  ['that of everybody', 0, undefined],
])('a priority is told where it is not like others: %s', (_, priority, fact) => {
  expect(told(makePod('p', { priority })).facts['priority']).toBe(fact);
});

test('who would have to go is named', () => {
  world.put(nodes, makeNode('a'));
  const explanation = told(makePod('p', { cpu: '3', priority: 5 }), makePod('low', { node: 'a', cpu: '3' }));
  expect(causesOf(explanation).at(-1)).toBe('preemption makes room on node a: default/low has to go');
});

test('room that is promised to somebody else is said to be so', () => {
  world.put(nodes, makeNode('a'));
  const promised = makePod('first', { cpu: '3', priority: 5, status: { phase: 'Pending', nominatedNodeName: 'a' } });
  expect(rowsOf(told(makePod('p', { cpu: '3' }), promised))).toEqual([
    'a: does not fit: its room is promised to pods that matter as much or more (pod default/first)',
  ]);
});

test('a claim without a volume is explained by who binds claims', () => {
  someNodes();
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { ...meta('data'), finalizers: ['kubernetes.io/pvc-protection'] },
    spec: { storageClassName: 'fast' },
    status: { phase: 'Pending' },
  } as const;
  world.put(persistentvolumeclaims, claim);
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
  const explanation = told(makePod('p', { spec: { volumes } }));
  expect(causesOf(explanation)[0]).toBe(
    'VolumeBinding: pod has unbound immediate PersistentVolumeClaims; its claim: storageclass.storage.k8s.io "fast" not found → create that StorageClass, or name another one',
  );
  expect(rowsOf(explanation)).toEqual(['data: waits: storageclass.storage.k8s.io "fast" not found']);
});

const container = (state: object, more: object = {}): Pod['status'] => ({
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'False' }],
  containerStatuses: [{ name: 'main', image: '', imageID: '', ready: false, restartCount: 0, state, ...more }],
});

const begun = { image: '', imageID: '', restartCount: 0 };

test.each<[string, PodParts, string, string]>([
  [
    'an image',
    { status: container({ waiting: { reason: 'ImagePullBackOff', message: 'not found' } }) },
    'is not ready on node a',
    'container main waits: ImagePullBackOff (not found) → mend the name of the image, or the secrets that pull it',
  ],
  [
    'a crash',
    {
      status: container(
        { waiting: { reason: 'CrashLoopBackOff' } },
        { restartCount: 3, lastState: { terminated: { exitCode: 2 } } },
      ),
    },
    'is not ready on node a',
    'container main waits: CrashLoopBackOff, it exited with code 2 before → its log says why: kubectl logs p --previous',
  ],
  [
    'a probe',
    { status: container({ running: {} }) },
    'is not ready on node a',
    'container main runs and is not ready → its readiness probe has to succeed',
  ],
  [
    'a readiness gate',
    { spec: { readinessGates: [{ conditionType: 'lb' }] }, status: { phase: 'Running' } },
    'is not ready on node a',
    'its readiness gate lb is not set → whoever answers for that condition has to set it to True',
  ],
  [
    'several readiness gates, beside its container',
    {
      spec: { readinessGates: [{ conditionType: 'lb' }, { conditionType: 'dns' }, { conditionType: 'met' }] },
      status: {
        ...container({ running: {} }),
        conditions: [
          { type: 'dns', status: 'False', reason: 'Slow', message: 'p has no record' },
          { type: 'met', status: 'True' },
        ],
      },
    },
    'is not ready on node a',
    'container main runs and is not ready; its readiness gate lb is not set; its readiness gate dns is False (POD has no record) → its readiness probe has to succeed; whoever answers for those conditions has to set them to True',
  ],
  ['its node', { status: { phase: 'Pending' } }, 'is not ready on node a', 'its node has not started it yet'],
  [
    'its grace period',
    {
      metadata: { deletionTimestamp: '2024-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 },
      status: container({ running: {} }),
    },
    'is going on node a',
    'within its grace period of 30s',
  ],
  [
    'its grace period, because preemption has chosen it',
    {
      metadata: { deletionTimestamp: '2024-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 },
      status: {
        ...container({ running: {} }),
        conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler', message: 'by x' }],
      },
    },
    'is going on node a',
    'within its grace period of 30s, sent away: PreemptionByScheduler (by x)',
  ],
  [
    'a finalizer',
    {
      metadata: { deletionTimestamp: '2023-01-01T00:00:30Z', finalizers: ['x/keep'] },
      status: { phase: 'Succeeded' },
    },
    'is going on node a',
    'finalizers keep it: x/keep → whoever set them has to take them off',
  ],
  [
    'a finalizer, when its node has let it go',
    {
      metadata: { deletionTimestamp: '2023-01-01T00:00:30Z', deletionGracePeriodSeconds: 0, finalizers: ['x/keep'] },
      status: { phase: 'Running' },
    },
    'is going on node a',
    'finalizers keep it: x/keep → whoever set them has to take them off',
  ],
  [
    'a container that runs before the others',
    {
      status: {
        ...container({ waiting: { reason: 'PodInitializing' } }),
        initContainerStatuses: [
          { ...begun, name: 'done', ready: true, state: { terminated: { exitCode: 0 } } },
          { ...begun, name: 'first', ready: false, state: { waiting: { reason: 'ErrImagePull' } } },
        ],
      },
    },
    'is not ready on node a',
    'init container first waits: ErrImagePull → mend the name of the image, or the secrets that pull it',
  ],
  [
    'its container when those before it have done their work, whatever they are called now',
    {
      status: {
        ...container({ running: {} }),
        initContainerStatuses: [{ ...begun, name: 'done', ready: false, state: { terminated: { exitCode: 0 } } }],
      },
    },
    'is not ready on node a',
    'container main runs and is not ready → its readiness probe has to succeed',
  ],
])('a pod on a node waits for %s', (_, parts, summary, cause) => {
  someNodes();
  const explanation = told(makePod('p', { node: 'a', ...parts }));
  expect(explanation.summary).toBe(summary);
  expect(causesOf(explanation)).toEqual([cause]);
});

test('a pod does not go while nobody says that it has ended', () => {
  const silent = makeNode('a');
  const conditions = [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }];
  world.put(nodes, { ...silent, status: { ...silent.status, conditions } });
  const metadata = { deletionTimestamp: '2023-01-01T00:00:30Z' };
  expect(causesOf(told(makePod('p', { node: 'a', metadata, status: { phase: 'Running' } })))[0]).toMatch(
    /^its node is not ready \(NodeStatusUnknown\), so nobody says that its containers have ended → bring the node back/,
  );
});

test.each<[string, Pod['status'], readonly string[]]>([
  [
    'which containers ended badly',
    { ...container({ terminated: { exitCode: 3 } }, { name: 'main' }), phase: 'Failed' },
    ['container main exited with code 3 → its log says why: kubectl logs p'],
  ],
  [
    'what its node says, and not which container ended well',
    {
      ...container({ terminated: { exitCode: 0 } }),
      ...{ phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' },
    },
    ['Evicted: The node was low on memory.'],
  ],
  [
    'both',
    { ...container({ terminated: { exitCode: 137 } }), phase: 'Failed', reason: 'DeadlineExceeded' },
    ['DeadlineExceeded; container main exited with code 137 → its log says why: kubectl logs p'],
  ],
  [
    'why, and nothing of containers that never ran',
    {
      ...container({ terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } }),
      ...{ phase: 'Failed', reason: 'DeadlineExceeded' },
    },
    ['DeadlineExceeded'],
  ],
])('of a pod that has failed is told %s', (_, status, causes) => {
  someNodes();
  const explanation = told(makePod('p', { node: 'a', status }));
  expect(explanation.summary).toBe('has failed on node a');
  expect(causesOf(explanation)).toEqual(causes);
});

test('a ready pod is as it should be', () => {
  someNodes();
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  expect(told(makePod('p', { node: 'a', status }))).toMatchObject({
    outcome: 'settled',
    summary: 'is ready on node a',
    causes: [],
  });
});

test.each([
  ['unschedulable', 'kubectl uncordon a'],
  ['unreachable', 'bring the node back'],
  ['disk-pressure', 'mend its condition: signalbox explain node a'],
])('a taint that follows from the state of the node is not to be taken off: %s', (key, mend) => {
  world.put(nodes, makeNode('a', { taints: [{ key: `node.kubernetes.io/${key}`, effect: 'NoSchedule' }] }));
  expect(told(makePod('p')).groups[0]?.mend).toBe(`tolerate it, or remove it: ${mend}`);
});

test('the first three reasons are told, and how many more there are', () => {
  for (const name of ['a', 'b', 'c', 'd'])
    world.put(nodes, makeNode(name, { taints: [{ key: name, effect: 'NoSchedule' }] }));
  expect(told(makePod('p')).causes[0]?.cause).toMatch(/; and 1 more reason$/);
});

test('a claim that is not there is to be created', () => {
  someNodes();
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
  expect(causesOf(told(makePod('p', { spec: { volumes } })))[0]).toBe(
    'VolumeBinding: persistentvolumeclaim "data" not found → create the claim',
  );
});

test.each([
  ['2024-01-01T00:00:00Z', 'it will be driven out: at 2024-01-01T00:05:00Z, when its tolerationSeconds are over'],
  [undefined, 'it will be driven out: when its tolerationSeconds are over'],
])('a pod that serves on a node that sends it away says until when, taint added %s', (timeAdded, cause) => {
  const key = 'node.kubernetes.io/unreachable';
  world.put(nodes, makeNode('a', { taints: [{ key, effect: 'NoExecute', ...(timeAdded && { timeAdded }) }] }));
  const tolerations = [{ key, operator: 'Exists' as const, effect: 'NoExecute' as const, tolerationSeconds: 300 }];
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  const explanation = told(makePod('p', { node: 'a', status, spec: { tolerations } }));
  expect(explanation).toMatchObject({ outcome: 'waits', summary: 'is ready on node a' });
  expect(causesOf(explanation)).toEqual([`${cause} → signalbox explain node a`]);
});
