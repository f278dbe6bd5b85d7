import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Node, NodeCondition, Pod, Taint, Toleration } from '../../api/generated/core-v1.ts';
import { toTimestamp } from '../../base/clock.ts';
import type { Action } from '../../runtime/plan.ts';
import { makeNode, makePod } from '../../testing/makers.ts';
import { type Memory, type Observed, plan } from './plan.ts';
import { correctedTaints, type Driving } from './taints.ts';

const nowMs = 1_000_000;
const unreachable = 'node.kubernetes.io/unreachable';
const notReady = 'node.kubernetes.io/not-ready';

function node(
  ready: string | undefined,
  more: {
    readonly taints?: readonly Taint[];
    readonly conditions?: Readonly<Record<string, string>>;
    readonly unschedulable?: boolean;
  } = {},
): Node {
  const { taints, conditions = {}, unschedulable } = more;
  const all: NodeCondition[] = Object.entries({ ...(ready !== undefined && { Ready: ready }), ...conditions }).map(
    ([type, status]) => ({ type, status }),
  );
  const parts = { ...(taints && { taints }), ...(unschedulable !== undefined && { unschedulable }) };
  return { ...makeNode('n', parts), status: { conditions: all } };
}

const taint = (key: string, effect = 'NoExecute', addedMs?: number): Taint => ({
  key,
  effect,
  ...(addedMs !== undefined && { timeAdded: toTimestamp(addedMs) }),
});

function pod(name: string, tolerations: readonly Toleration[] = [], ready = 'False'): Pod {
  return makePod(name, {
    node: 'n',
    spec: { tolerations },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready }] },
  });
}

const all = { operator: 'Exists' } as const;
const patience = (tolerationSeconds: number, key?: string): Toleration => ({
  ...all,
  tolerationSeconds,
  ...(key && { key }),
});

function line(action: Action): string {
  switch (action.do) {
    case 'setStatus': {
      const { conditions = [] } = (action.object as Node).status;
      return `status ${conditions.map(({ type, status }) => `${type}=${status}`).join()}`;
    }
    case 'patch': {
      const { spec, status } = action.body as {
        readonly spec?: { readonly taints: readonly Taint[] | null };
        readonly status?: Pod['status'];
      };
      if (spec !== undefined)
        return `taints ${(spec.taints ?? []).map(({ key, effect }) => `${key.split('/').at(-1)}:${effect}`).join()}`;
      return `${action.target.metadata.name} ${status?.conditions?.map(({ type, status: value, reason = '' }) => `${type}=${value} ${reason}`.trim()).join()}`;
    }
    case 'delete':
      return `delete ${action.target.metadata.name}`;
    case 'emit':
      return `${action.reason}: ${action.note}`;
    case 'inOrder':
      return action.actions.map(line).join('; ');
    default:
      return action.do;
  }
}

const run = (observed: Partial<Observed> & { readonly node: Node }): ReturnType<typeof plan> =>
  plan({ pods: [], isSilent: false, driving: 'yes', memory: undefined, ...observed }, nowMs);
const lines = (observed: Partial<Observed> & { readonly node: Node }): readonly string[] =>
  run(observed).actions.map(line);

describe('a silent node', () => {
  test('becomes unknown in everything that only it can know', () => {
    const silent = node('True', { conditions: { DiskPressure: 'False', NetworkUnavailable: 'False' } });
    expect(lines({ node: silent, isSilent: true })).toEqual([
      'status Ready=Unknown,DiskPressure=Unknown,NetworkUnavailable=False,MemoryPressure=Unknown,PIDPressure=Unknown',
      'NodeNotReady: Node n status is now: NodeNotReady',
    ]);
  });

  test.each([
    ['that has reported before', node('True'), 'NodeStatusUnknown', 'Kubelet stopped posting node status.'],
    ['that has never reported', node(undefined), 'NodeStatusNeverUpdated', 'Kubelet never posted node status.'],
  ])('%s says so', (_, each, reason, message) => {
    const [first] = run({ node: each, isSilent: true }).actions;
    const conditions = first?.do === 'setStatus' ? ((first.object as Node).status.conditions ?? []) : [];
    expect(conditions.find(({ type }) => type === 'Ready')).toMatchObject({
      reason,
      message,
      lastTransitionTime: toTimestamp(nowMs),
    });
  });

  test('is written down once', () => {
    const unknown = Object.fromEntries(
      ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => [type, 'Unknown']),
    );
    const known = node('Unknown', {
      conditions: unknown,
      taints: [taint(unreachable, 'NoSchedule'), taint(unreachable)],
    });
    expect(lines({ node: known, isSilent: true })).toEqual([]);
  });
});

describe('taints', () => {
  test.each<[string, Node, Driving, string | undefined]>([
    ['a healthy node needs none', node('True'), 'yes', undefined],
    [
      'trouble keeps new pods away at once and drives the others away',
      node('False'),
      'yes',
      `${notReady}:NoSchedule,${notReady}:NoExecute`,
    ],
    ['silence has its own key', node('Unknown'), 'yes', `${unreachable}:NoSchedule,${unreachable}:NoExecute`],
    ['before its turn a node only keeps new pods away', node('Unknown'), 'keep', `${unreachable}:NoSchedule`],
    [
      'never while all nodes are down',
      node('Unknown', { taints: [taint(unreachable), taint(unreachable, 'NoSchedule')] }),
      'never',
      `${unreachable}:NoSchedule`,
    ],
    [
      'from one trouble to the other without waiting for a turn',
      node('False', { taints: [taint(unreachable)] }),
      'keep',
      `${notReady}:NoSchedule,${notReady}:NoExecute`,
    ],
    [
      'both go when the node is well again',
      node('True', { taints: [taint(unreachable), taint(unreachable, 'NoSchedule')] }),
      'keep',
      '',
    ],
    [
      'pressure keeps new pods away',
      node('True', {
        conditions: { DiskPressure: 'True', MemoryPressure: 'True', PIDPressure: 'True', NetworkUnavailable: 'True' },
      }),
      'keep',
      // In the order in which the node tells of it.
      ['disk-pressure', 'memory-pressure', 'pid-pressure', 'network-unavailable']
        .map((key) => `node.kubernetes.io/${key}:NoSchedule`)
        .join(),
    ],
    ['a cordoned node', node('True', { unschedulable: true }), 'keep', 'node.kubernetes.io/unschedulable:NoSchedule'],
    [
      'a node that is not cordoned any more',
      node('True', { taints: [taint('node.kubernetes.io/unschedulable', 'NoSchedule')] }),
      'keep',
      '',
    ],
    [
      'taints of others stay where they are',
      node('Unknown', { taints: [taint('team/gpu', 'NoSchedule'), taint(unreachable, 'PreferNoSchedule')] }),
      'keep',
      `team/gpu:NoSchedule,${unreachable}:PreferNoSchedule,${unreachable}:NoSchedule`,
    ],
    [
      'a node that has not reported keeps what it was registered with',
      node(undefined, { taints: [taint(notReady, 'NoSchedule')] }),
      'keep',
      undefined,
    ],
  ])('%s', (_, each, driving, expected) => {
    expect(
      correctedTaints(each, { driving, nowMs })
        ?.map(({ key, effect }) => `${key}:${effect}`)
        .join(),
    ).toBe(expected);
  });

  test('carry the moment from which on patience is counted', () => {
    const taints = correctedTaints(node('Unknown'), { driving: 'yes', nowMs });
    expect(taints?.map(({ timeAdded }) => timeAdded)).toEqual([toTimestamp(nowMs), toTimestamp(nowMs)]);
  });

  test('corrected once, there is nothing left to correct', () => {
    const statuses = fc.constantFrom('True', 'False', 'Unknown');
    const conditions = fc.dictionary(
      fc.constantFrom('Ready', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable'),
      statuses,
    );
    const taints = fc.uniqueArray(
      fc.record({
        key: fc.constantFrom(notReady, unreachable, 'node.kubernetes.io/unschedulable', 'x'),
        effect: fc.constantFrom('NoSchedule', 'NoExecute'),
      }),
      { selector: ({ key, effect }) => `${key}${effect}` },
    );
    const driving = fc.constantFrom<Driving>('yes', 'keep', 'never');
    fc.assert(
      fc.property(conditions, taints, driving, fc.boolean(), (given, before, way, unschedulable) => {
        const first = node(undefined, { conditions: given, taints: before, unschedulable });
        const corrected = correctedTaints(first, { driving: way, nowMs }) ?? before;
        const second = { ...first, spec: { ...first.spec, taints: corrected } };
        expect(correctedTaints(second, { driving: way, nowMs })).toBeUndefined();
        expect(corrected.filter(({ key }) => key === 'x')).toEqual(before.filter(({ key }) => key === 'x'));
      }),
    );
  });
});

describe('pods of a node in trouble', () => {
  const silent = node('Unknown', { taints: [taint(unreachable, 'NoSchedule')] });
  const memory: Memory = { seenMs: new Map(), expected: new Set() };

  test('are not ready any more while it is silent', () => {
    const pods = [pod('a', [all], 'True'), pod('b', [all], 'False')];
    expect(lines({ node: silent, pods, driving: 'keep' })).toEqual(['a Ready=False; NodeNotReady: Node is not ready']);
    expect(lines({ node: silent, pods, driving: 'keep', memory })).toHaveLength(1);
  });

  test('are its own business when it reports trouble itself', () => {
    const troubled = node('False', { taints: [taint(notReady, 'NoSchedule')] });
    expect(lines({ node: troubled, pods: [pod('a', [all], 'True')], driving: 'keep' })).toEqual([]);
  });
});

describe('evictions', () => {
  const tainted = (...taints: readonly Taint[]): Node => node('True', { taints });
  const evicted = (name: string): string =>
    `TaintManagerEviction: Marking for deletion Pod default/${name}; ${name} DisruptionTarget=True DeletionByTaintManager; delete ${name}`;
  const old = nowMs - 100_000;

  test.each<[string, readonly Taint[], readonly Toleration[], readonly string[], number | undefined]>([
    ['a pod that does not tolerate the taint goes at once', [taint('x')], [], [evicted('p')], undefined],
    ['NoSchedule does not concern pods that run', [taint('x', 'NoSchedule')], [], [], undefined],
    ['a pod that tolerates it for good stays', [taint('x')], [all], [], undefined],
    [
      'one that tolerates it for a while stays for that while',
      [taint('x', 'NoExecute', nowMs)],
      [patience(300)],
      [],
      300_000,
    ],
    ['the while counts from the taint’s time', [taint('x', 'NoExecute', old)], [patience(300)], [], 200_000],
    ['when it is over the pod goes', [taint('x', 'NoExecute', old)], [patience(100)], [evicted('p')], undefined],
    ['no patience at all', [taint('x', 'NoExecute', nowMs)], [patience(0)], [evicted('p')], undefined],
    ['negative patience is none', [taint('x', 'NoExecute', nowMs)], [patience(-5)], [evicted('p')], undefined],
    [
      'of several taints the one that is tolerated for the shortest while decides',
      [taint('x', 'NoExecute', nowMs), taint('y', 'NoExecute', nowMs)],
      [patience(300, 'x'), patience(60, 'y')],
      [],
      60_000,
    ],
    [
      'one taint that is not tolerated is enough',
      [taint('x', 'NoExecute', nowMs), taint('y', 'NoExecute', nowMs)],
      [patience(300, 'x')],
      [evicted('p')],
      undefined,
    ],
    ['without a time the taint counts from when it was seen', [taint('x')], [patience(30)], [], 30_000],
  ])('%s', (_, taints, tolerations, expected, againInMs) => {
    const done = run({ node: tainted(...taints), pods: [pod('p', tolerations)], driving: 'keep' });
    expect([done.actions.map(line), done.againInMs]).toEqual([expected, againInMs]);
  });

  test('a taint without a time is remembered', () => {
    const observed = { node: tainted(taint('x')), pods: [pod('p', [patience(30)])] };
    const { memory } = run(observed);
    const later = plan({ ...observed, isSilent: false, driving: 'keep', memory }, nowMs + 10_000);
    expect(later.againInMs).toBe(20_000);
    expect(
      plan({ ...observed, isSilent: false, driving: 'keep', memory: later.memory }, nowMs + 30_000).actions.map(line),
    ).toEqual([evicted('p')]);
  });

  test('a pod that is going already is left alone', () => {
    const going = makePod('p', { node: 'n', metadata: { deletionTimestamp: toTimestamp(nowMs) } });
    expect(lines({ node: tainted(taint('x')), pods: [going] })).toEqual([]);
  });

  test('when the taint goes in time, the eviction is called off, once', () => {
    const pods = [pod('p', [patience(30)]), pod('q', [all])];
    const { memory } = run({ node: tainted(taint('x', 'NoExecute', nowMs)), pods });
    const calledOff = run({ node: tainted(), pods, memory });
    expect(calledOff.actions.map(line)).toEqual(['TaintManagerEviction: Cancelling deletion of Pod default/p']);
    expect(calledOff.memory).toBeUndefined();
    expect(lines({ node: tainted(), pods, memory: calledOff.memory })).toEqual([]);
  });
});

test('older names of labels say what the stable ones say', () => {
  const labelled = (labels: Readonly<Record<string, string>>): Node => {
    const plain = node('True');
    return { ...plain, metadata: { ...plain.metadata, labels } };
  };
  const [action] = run({ node: labelled({ 'kubernetes.io/os': 'linux', 'beta.kubernetes.io/os': 'x' }) }).actions;
  expect(action).toMatchObject({ do: 'patch', body: { metadata: { labels: { 'beta.kubernetes.io/os': 'linux' } } } });
  expect(run({ node: labelled({ 'beta.kubernetes.io/os': 'x' }) }).actions).toEqual([]);
});

test('an eviction is the word of a controller of its own, and its condition stands last', () => {
  const { actions } = run({ node: node('True', { taints: [taint('x')] }), pods: [pod('p')] });
  expect(actions).toMatchObject([
    {
      actions: [
        { do: 'emit', source: 'taint-eviction-controller' },
        { body: { status: { '$setElementOrder/conditions': [{ type: 'Ready' }, { type: 'DisruptionTarget' }] } } },
        { do: 'delete' },
      ],
    },
  ]);
});
