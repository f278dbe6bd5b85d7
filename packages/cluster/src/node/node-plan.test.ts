import { expect, test } from 'vitest';
import type { Lease } from '../api/generated/coordination-v1.ts';
import type { Node } from '../api/generated/core-v1.ts';
import { toMicroTimestamp } from '../base/clock.ts';
import { managedAnnotation } from '../resources/storage/attaching.ts';
import { createFakeDriver } from '../testing/fake-driver.ts';
import { makeNode } from '../testing/makers.ts';
import { leaseSecondsFor, type NodeObserved, nextSignMs, planNode, readinessNews } from './node-plan.ts';
import { newNode } from './node-status.ts';

const nowMs = 1_767_225_600_000;
const node = makeNode('a');

const simulated = createFakeDriver('fake', () => nowMs).machine(node);

function observe(parts: Partial<NodeObserved> = {}): NodeObserved {
  return {
    node,
    lease: undefined,
    life: 'goes on',
    machine: simulated,
    kubeletVersion: 'v1',
    leaseDurationSeconds: 40,
    ...parts,
  };
}

const leaseOf = (renewTime: string): Lease => ({ spec: { renewTime } }) as Lease;
const verbs = (parts: Partial<NodeObserved>): readonly string[] =>
  planNode(observe(parts), nowMs).map((action) => action.do);

/** The node after everything planned was done. */
function registered(): Node {
  let after: Node = node;
  for (const action of planNode(observe(), nowMs)) {
    if (action.do === 'mark')
      after = {
        ...after,
        metadata: {
          ...after.metadata,
          labels: { ...after.metadata.labels, ...action.marks.labels },
          annotations: { ...after.metadata.annotations, ...action.marks.annotations },
        },
      };
    if (action.do === 'report') after = { ...after, status: action.status };
  }
  return after;
}

test('a machine registers what its node lacks, and begins to give signs of life', () => {
  const bare = { ...node, metadata: { ...node.metadata, labels: {} } };
  expect(verbs({ node: bare })).toEqual(['mark', 'report', 'create lease']);
  const made = planNode(observe({ node: bare }), nowMs);
  expect(JSON.parse(JSON.stringify(made))).toEqual(made);
});

test('a node that was lost tells that it is ready again, a new one does not', () => {
  const news = (of: Node) => readinessNews(planNode(observe({ node: of }), nowMs));
  const there = registered();
  const as = (status: string): Node => ({
    ...there,
    status: {
      ...there.status,
      conditions: (there.status.conditions ?? []).map((each) => (each.type === 'Ready' ? { ...each, status } : each)),
    },
  });
  expect([news(node), news(there), news(as('Unknown')), news(as('False'))]).toEqual([
    undefined,
    undefined,
    'NodeReady',
    'NodeReady',
  ]);
});

test('it says that a controller attaches volumes to it, and a moment later which of them it uses', () => {
  const [mark] = planNode(observe(), nowMs);
  expect(mark).toMatchObject({ do: 'mark', marks: { annotations: { [managedAnnotation]: 'true' } } });
  const there = registered();
  const lease = leaseOf(toMicroTimestamp(nowMs));
  const using = (node: Node, volumesInUse: readonly string[] | undefined): unknown => {
    const [report] = planNode(observe({ node, lease, volumesInUse }), nowMs);
    return report?.do === 'report' ? (report.status.volumesInUse ?? 'none') : 'nothing to say';
  };
  expect(using(there, [])).toBe('nothing to say');
  expect(using(there, ['a', 'b'])).toEqual(['a', 'b']);
  const busy: Node = { ...there, status: { ...there.status, volumesInUse: ['a', 'b'] } };
  expect(using(busy, ['a', 'b'])).toBe('nothing to say');
  expect(using(busy, ['b'])).toEqual(['b']);
  expect(using(busy, [])).toBe('none');
  expect(using(busy, undefined)).toBe('nothing to say');
});

test('then it gives a sign of life each time, and none that is younger than half a period', () => {
  const there = registered();
  expect(verbs({ node: there, lease: leaseOf(toMicroTimestamp(nowMs - 5_000)) })).toEqual(['renew lease']);
  expect(verbs({ node: there, lease: leaseOf(toMicroTimestamp(nowMs - 4_999)) })).toEqual([]);
  expect(verbs({ node: there, lease: leaseOf('nonsense') })).toEqual(['renew lease']);
});

test('the first sign of an agent is new however young the last is, and waits for what is told of its pods', () => {
  const node = registered();
  const young = leaseOf(toMicroTimestamp(nowMs - 1));
  expect(verbs({ node, lease: young, life: 'begins' })).toEqual(['renew lease']);
  expect(verbs({ node, lease: young, life: 'unknown' })).toEqual([]);
  expect(verbs({ life: 'unknown' })).toEqual(['mark', 'report']);
});

test('what others say of the node stays, what went stale while it was silent is fresh again', () => {
  const there = registered();
  const conditions = (there.status.conditions ?? []).map((each) =>
    each.type === 'Ready' ? { ...each, status: 'Unknown' } : each,
  );
  const [report] = planNode(
    observe({ node: { ...there, status: { ...there.status, conditions, capacity: { cpu: '64' } } } }),
    nowMs,
  );
  expect(report).toMatchObject({ do: 'report', status: { capacity: { cpu: '64', memory: '4Gi' } } });
  const ready = report?.do === 'report' && report.status.conditions?.find(({ type }) => type === 'Ready');
  expect(ready).toMatchObject({ status: 'True' });
});

test('who registers a node itself keeps its annotations true, and leaves labels that somebody changed', () => {
  const registration = newNode('n');
  const labels = { zone: 'a', 'kubernetes.io/arch': 'arm64' };
  const own = { ...registration, metadata: { ...registration.metadata, labels, annotations: { port: '2' } } };
  const there = registered();
  const before = { ...there, metadata: { ...there.metadata, annotations: { port: '1', mine: 'x' } } };
  const lease = leaseOf(toMicroTimestamp(nowMs));
  const [mark, ...more] = planNode(observe({ node: before, registration: own, lease }), nowMs);
  expect([mark, more]).toEqual([
    { do: 'mark', node: before, marks: { labels: { zone: 'a' }, annotations: { port: '2' } } },
    [],
  ]);
});

test('what was measured holds, whatever the node said before', () => {
  const there = registered();
  const conditions = [{ type: 'LimitsHeld', status: 'False', reason: 'NoCgroups', message: 'no limits here' }];
  const measured = { allocatable: { cpu: '1' }, conditions };
  const status = { ...there.status, capacity: { cpu: '64' }, addresses: [{ type: 'InternalIP', address: '1.2.3.4' }] };
  const machine = { ...simulated, measured };
  const look = (node: Node) => planNode(observe({ node, machine, lease: leaseOf(toMicroTimestamp(nowMs)) }), nowMs);
  const [report] = look({ ...there, status });
  if (report?.do !== 'report') throw new Error('nothing is reported');
  expect(report.status).toMatchObject({ capacity: machine.capacity, allocatable: { cpu: '1' } });
  expect(report.status.addresses?.[0]?.address).toBe(machine.address);
  expect(report.status.conditions?.at(-1)).toMatchObject({ ...conditions[0], lastTransitionTime: expect.any(String) });
  expect(look({ ...there, status: report.status })).toEqual([]);
});

test('a node that said all of its machine only gives signs of life', () => {
  const bare = { ...node, metadata: { ...node.metadata, labels: {} } };
  expect(verbs({ node: bare, machine: undefined, lease: leaseOf('nonsense') })).toEqual(['renew lease']);
});

const chances = Array.from({ length: 100 }, (_, index) => index / 100);

test('nodes that begin together are spread over a period at once, on ticks that they share', () => {
  const waits = chances.map(
    (chance) => nextSignMs({ life: 'begins', periodMs: 10_000, lateMs: 0, nowMs, chance }) - nowMs,
  );
  expect(new Set(waits)).toEqual(new Set(chances.map((_, index) => 5_000 + 1_000 * Math.floor(index / 9.1))));
  expect(waits.filter((ms) => ms === 10_000).length).toBeLessThanOrEqual(11);
});

test('then a sign comes each period, give or take a tick, and what met by chance comes apart', () => {
  const late = nowMs + 377;
  for (const chance of chances) {
    const at = nextSignMs({ life: 'goes on', periodMs: 10_000, lateMs: 0, nowMs: late, chance });
    expect(at % 1_000).toBe(0);
    expect(Math.abs(at - late - 10_000)).toBeLessThanOrEqual(1_500);
  }
  const apart = chances.map((chance) => nextSignMs({ life: 'goes on', periodMs: 10_000, lateMs: 0, nowMs, chance }));
  expect(new Set(apart).size).toBe(3);
  expect(nextSignMs({ life: 'goes on', periodMs: 4, lateMs: 0, nowMs, chance: 0 })).toBeGreaterThan(nowMs);
});

test.each([
  [0, 10_000],
  [1_000, 10_000],
  [1_500, 16_000],
  [2_000, 18_000],
  [60_000, 20_000],
])('where signs come %i ms late, the next one comes after %i ms', (lateMs, expected) => {
  const at = nextSignMs({ life: 'goes on', periodMs: 10_000, lateMs, nowMs, chance: 0.5 });
  expect(at - nowMs).toBe(expected);
  const first = nextSignMs({ life: 'begins', periodMs: 10_000, lateMs, nowMs, chance: 0.5 });
  expect(first - nowMs).toBe(10_000);
});

test('the larger a fleet, the longer a sign of life counts, so that signs stay below 2,500 a second', () => {
  expect([0, 3, 25_000, 25_001, 50_000, 100_000, 200_000].map(leaseSecondsFor)).toEqual([40, 40, 40, 80, 80, 160, 320]);
});

test('a sign of life says how long it counts where that was shorter, and keeps what somebody else has said', () => {
  const there = registered();
  const saidAfter = (leaseDurationSeconds: number, sinceMs: number): unknown => {
    const lease = { spec: { leaseDurationSeconds, renewTime: toMicroTimestamp(nowMs - sinceMs) } } as Lease;
    const [action] = planNode(observe({ node: there, lease, leaseDurationSeconds: 160 }), nowMs);
    return action?.do === 'renew lease' ? action.lease.spec?.leaseDurationSeconds : action;
  };
  expect(saidAfter(40, 5_000)).toBe(160);
  expect(saidAfter(160, 20_000)).toBe(160);
  expect(saidAfter(160, 19_999)).toBeUndefined();
  expect(saidAfter(320, 40_000)).toBe(320);
  expect(saidAfter(4, 500)).toBe(4);
});
