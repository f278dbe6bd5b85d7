import { expect, test } from 'vitest';
import type { DaemonSet } from '../api/generated/apps-v1.ts';
import type { Pod, Taint } from '../api/generated/core-v1.ts';
import { daemonsets, nodes, pods } from '../api/generated/kinds.ts';
import { daemonsetController } from '../controllers/daemonset/controller.ts';
import { asked, rowsOf } from '../testing/asked.ts';
import { makeNode, makePod } from '../testing/makers.ts';
import { createWorld, daemonset, reconcile } from '../testing/plan-world.ts';
import type { Explanation } from './explanation.ts';

const taints: Taint[] = [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' }];
const key = 'default/ds';

interface Play {
  readonly set?: DaemonSet;
  readonly nodes: readonly ReturnType<typeof makeNode>[];
  readonly others?: readonly Pod[];
  /** Changes the pod that the controller has made for a node. */
  readonly podOn?: Readonly<Record<string, (pod: Pod) => Pod>>;
  readonly node?: string;
  /** The set, after its pods were made. */
  readonly changed?: DaemonSet;
}

const podSet = (cpu?: string, hostPort?: number): DaemonSet =>
  daemonset('ds', {
    template: {
      metadata: { labels: { app: 'ds' } },
      spec: makePod('t', { ...(cpu && { cpu }), ...(hostPort && { hostPort }) }).spec,
    },
  });

/** The controller makes the pods; then some of them are changed, and it is asked. */
function explained({ set = podSet('1'), nodes: all, others = [], podOn = {}, node, changed }: Play): Explanation {
  const world = createWorld();
  world.put(daemonsets, set);
  for (const each of all) world.put(nodes, each);
  while (reconcile(world, { controller: daemonsetController, key }).length > 0);
  for (const pod of world.list(pods)) {
    const target = targetOf(pod);
    const change = podOn[target] ?? ((each: Pod) => serving(each, target));
    world.put(pods, change(pod));
  }
  for (const other of others) world.put(pods, other);
  if (changed !== undefined) world.put(daemonsets, changed);
  return asked(world, { type: daemonsets, name: 'ds', node });
}

function targetOf({ spec }: Pod): string {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms?.[0]?.matchFields?.[0]?.values?.[0] ?? '';
}

function serving(pod: Pod, nodeName: string): Pod {
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2023-01-01T00:00:00Z' }];
  return { ...pod, spec: { ...pod.spec, nodeName }, status: { phase: 'Running', conditions } };
}

const waits = (pod: Pod): Pod => pod;
const failure = { reason: 'SchedulerError', message: 'running Filter plugin "Own": oops' };
const fails = (pod: Pod): Pod => ({
  ...pod,
  status: { ...pod.status, conditions: [{ type: 'PodScheduled', status: 'False', ...failure }] },
});

test('where it runs everywhere there is one row, and nothing to do', () => {
  const told = explained({ nodes: [makeNode('a'), makeNode('b')] });
  expect(told).toMatchObject({ outcome: 'settled', summary: 'runs on all 2 nodes that should run it', causes: [] });
  expect(rowsOf(told)).toEqual(['a b: runs']);
});

test.each<[string, Play, readonly string[]]>([
  [
    'a taint',
    { nodes: [makeNode('a', { taints }), makeNode('b', { taints })] },
    ['a b: is not wanted: the taint dedicated=db:NoSchedule is not tolerated'],
  ],
  [
    'a selector, whatever the nodes have instead',
    {
      set: daemonset('ds', {
        template: { metadata: { labels: { app: 'ds' } }, spec: { containers: [], nodeSelector: { disk: 'ssd' } } },
      }),
      nodes: [makeNode('a'), makeNode('b', { labels: { disk: 'hdd' } })],
    },
    ['a b: is not wanted: the nodeSelector wants the label disk=ssd'],
  ],
  [
    'how much of what is missing, as a range',
    {
      nodes: [makeNode('a', { cpu: '900m' }), makeNode('b'), makeNode('c')],
      others: [makePod('big', { node: 'b', cpu: '3500m' }), makePod('bigger', { node: 'c', cpu: '3800m' })],
      podOn: { a: waits, b: waits, c: waits },
    },
    [
      'b c: should run: NodeResourcesFit: 1 cpu is not free (200m to 500m is free)',
      'a: should run: NodeResourcesFit: 1 cpu is more than the node has (900m is free)',
    ],
  ],
  [
    'the first rule alone where several keep it away, as the scheduler does',
    {
      set: podSet('5', 8080),
      nodes: [makeNode('a')],
      others: [makePod('holder', { node: 'a', hostPort: 8080 })],
      podOn: { a: waits },
    },
    ['a: should run: NodePorts: port 8080/TCP of the node is taken (pod default/holder)'],
  ],
  [
    'who holds the port',
    {
      set: podSet(undefined, 8080),
      nodes: [makeNode('a')],
      others: [makePod('holder', { node: 'a', hostPort: 8080 })],
      podOn: { a: waits },
    },
    ['a: should run: NodePorts: port 8080/TCP of the node is taken (pod default/holder)'],
  ],
  [
    'a pod that the scheduler has not come to yet',
    { nodes: [makeNode('a')], podOn: { a: waits } },
    ['a: should run: its pod fits and waits for the scheduler'],
  ],
  [
    'a pod that something of the scheduler failed on',
    { nodes: [makeNode('a')], podOn: { a: fails } },
    ['a: should run: its pod fits, and the scheduler failed on it last: running Filter plugin "Own": oops'],
  ],
  [
    'a container that does not start',
    {
      nodes: [makeNode('a')],
      podOn: {
        a: (pod) => ({
          ...pod,
          spec: { ...pod.spec, nodeName: 'a' },
          status: {
            phase: 'Pending',
            containerStatuses: [
              {
                name: 'main',
                image: '',
                imageID: '',
                ready: false,
                restartCount: 0,
                state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } },
              },
            ],
          },
        }),
      },
    },
    ['a: should run: its pod is not ready: container main waits: ImagePullBackOff (no such image)'],
  ],
  [
    'one node alone',
    { nodes: [makeNode('a'), makeNode('b', { taints })], node: 'b' },
    ['b: is not wanted: the taint dedicated=db:NoSchedule is not tolerated'],
  ],
])('%s', (_, play, expected) => {
  expect(rowsOf(explained(play))).toEqual(expected);
});

test('pods that have to leave first are named', () => {
  const victim = makePod('victim', {
    node: 'a',
    cpu: '4',
    priority: 0,
    metadata: { deletionTimestamp: '2024-01-01T00:00:30Z' },
    status: {
      phase: 'Running',
      conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }],
    },
  });
  const told = explained({
    nodes: [makeNode('a')],
    others: [victim],
    podOn: {
      a: (pod) => ({
        ...pod,
        spec: { ...pod.spec, priority: 10 },
        status: { phase: 'Pending', nominatedNodeName: 'a' },
      }),
    },
  });
  // What would help else is done already.
  expect(told.groups[0]?.mend).toBe('');
  expect(rowsOf(told)).toEqual([
    'a: should run: its pod waits until preempted pods have left (pod default/victim); NodeResourcesFit: 1 cpu is not free (0 is free)',
  ]);
});

test('that a failed pod waits for its back-off is told as the controller told it', () => {
  const set = podSet('1');
  const condition = { type: 'FailedPodsBackOff', status: 'True', reason: 'BackOff', message: '1 node waits: a' };
  const told = explained({
    set,
    nodes: [makeNode('a')],
    podOn: { a: (pod) => ({ ...serving(pod, 'a'), status: { phase: 'Failed' } }) },
    changed: { ...set, status: { conditions: [condition] } as unknown as NonNullable<DaemonSet['status']> },
  });
  expect(told.causes[0]?.cause).toBe('1 node waits: a');
  expect(rowsOf(told)[0]).toContain('another one is made after a back-off');
});

test('a rollout that a dead node stalls says so, and who waits', () => {
  const dead = makeNode('a');
  const status = { ...dead.status, conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] };
  const set = podSet('1');
  const template = {
    ...set.spec.template,
    spec: { ...set.spec.template.spec, containers: [], terminationGracePeriodSeconds: 1 },
  };
  const told = explained({
    set,
    nodes: [{ ...dead, status }, makeNode('b')],
    podOn: {
      a: (pod) => ({
        ...serving(pod, 'a'),
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] },
      }),
    },
    changed: { ...set, spec: { ...set.spec, template } },
  });
  expect(told.outcome).toBe('waits');
  expect(rowsOf(told)).toEqual([
    'b: runs, outdated: its old pod waits for its turn (maxUnavailable 1)',
    'a: should run: its pod is not ready: its node is not ready (NodeStatusUnknown)',
  ]);
});

test('with OnDelete it is said which command replaces a pod', () => {
  const set = { ...podSet('1'), spec: { ...podSet('1').spec, updateStrategy: { type: 'OnDelete' } } };
  const changed = { ...set, spec: { ...set.spec, template: podSet('2').spec.template } };
  expect(explained({ set, nodes: [makeNode('a'), makeNode('b')], changed }).causes).toEqual([
    {
      cause: '2 nodes: its strategy is OnDelete',
      mend: expect.stringMatching(/^a new one is made .*; one after the other: kubectl delete pod ds-\S+$/),
    },
  ]);
});

test('of a rollout that surges what mends its new pod is told, and before those that wait for their turn', () => {
  const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
  const world = createWorld();
  const put = (cpu: string): DaemonSet =>
    world.put(daemonsets, {
      ...podSet(cpu),
      spec: { ...podSet(cpu).spec, updateStrategy: { type: 'RollingUpdate', rollingUpdate } },
    });
  const settle = (change: (pod: Pod) => Pod): void => {
    while (reconcile(world, { controller: daemonsetController, key }).length > 0);
    for (const pod of world.list(pods)) if ((pod.spec.nodeName ?? '') === '') world.put(pods, change(pod));
  };
  for (const name of ['a', 'b', 'c']) world.put(nodes, makeNode(name));
  put('1');
  settle((pod) => serving(pod, targetOf(pod)));
  put('2');
  const state = { waiting: { reason: 'ErrImagePull' } };
  const container = { name: 'main', image: '', imageID: '', ready: false, restartCount: 0, state };
  settle((pod) => ({
    ...pod,
    spec: { ...pod.spec, nodeName: targetOf(pod) },
    status: { phase: 'Pending', containerStatuses: [container] },
  }));
  const { causes } = asked(world, { type: daemonsets, name: 'ds' });
  expect(causes.slice(-2)).toEqual([
    {
      cause: '1 node: its new pod is not ready: container main waits: ErrImagePull',
      mend: 'mend the name of the image, or the secrets that pull it',
    },
    { cause: '2 nodes: its old pod waits for its turn (maxSurge 1)', mend: '' },
  ]);
});

test('a silent node is to be brought back, and whether the pod that stays there serves is told', () => {
  const unreachable: Taint[] = [{ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }];
  const node = makeNode('a');
  const conditions = [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }];
  const world = createWorld();
  world.put(daemonsets, podSet('1'));
  world.put(nodes, node);
  while (reconcile(world, { controller: daemonsetController, key }).length > 0);
  for (const pod of world.list(pods))
    world.put(pods, { ...pod, spec: { ...pod.spec, nodeName: 'a' }, status: { phase: 'Running' } });
  world.put(nodes, { ...node, spec: { taints: unreachable }, status: { ...node.status, conditions } });
  const told = asked(world, { type: daemonsets, name: 'ds' });
  expect(rowsOf(told)).toEqual([
    'a: is not wanted: the taint node.kubernetes.io/unreachable:NoSchedule is not tolerated; the pod that is there already may stay, and is not ready: its node is not ready (NodeStatusUnknown)',
  ]);
  expect(told.groups[0]?.mend).toBe(
    'if it should run there: tolerate the taint in the template, or bring the node back',
  );
});

test.each<[string, (name: string) => Pod['status']]>([
  [
    'crash, whatever kubelets call them',
    (name) => ({
      phase: 'Running',
      containerStatuses: [
        {
          ...{ name: 'c', ready: false, restartCount: 4, image: 'a', imageID: '' },
          state: {
            waiting: {
              reason: 'CrashLoopBackOff',
              message: `back-off 40s restarting failed container=c pod=${name}_default(uid-${name})`,
            },
          },
          lastState: { terminated: { exitCode: 9 } },
        },
      ],
    }),
  ],
  [
    'are refused, whatever is in use',
    (name) => ({
      phase: 'Failed',
      reason: 'OutOfcpu',
      message: `Node didn't have enough resource: cpu, requested: 1, used: ${name.length * 1_000}`,
    }),
  ],
])('thousands of nodes whose pods %s share a row', (_, status) => {
  const all = Array.from({ length: 40 }, (__, index) => makeNode(`n${index}`));
  const change = (pod: Pod): Pod => {
    const nodeName = targetOf(pod);
    const metadata = { ...pod.metadata, name: `ds-${'x'.repeat(Number(nodeName.slice(1)))}` };
    return {
      ...pod,
      metadata: { ...metadata, uid: `uid-${metadata.name}` },
      spec: { ...pod.spec, nodeName },
      status: status(metadata.name),
    };
  };
  const world = createWorld();
  world.put(daemonsets, podSet('1'));
  for (const each of all) world.put(nodes, each);
  while (reconcile(world, { controller: daemonsetController, key }).length > 0);
  for (const pod of world.list(pods)) {
    world.remove(pods, pod);
    world.put(pods, change(pod));
  }
  const told = asked(world, { type: daemonsets, name: 'ds' });
  expect(told.groups.map(({ names }) => names.length)).toEqual([40]);
  expect(told.groups[0]?.why).not.toContain('pod=');
});
