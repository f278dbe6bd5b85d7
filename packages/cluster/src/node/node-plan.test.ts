import { expect, test } from 'vitest';
import type { Lease } from '../api/generated/coordination-v1.ts';
import type { Node } from '../api/generated/core-v1.ts';
import { toMicroTimestamp } from '../base/clock.ts';
import { createFakeDriver } from '../testing/fake-driver.ts';
import { makeNode } from '../testing/makers.ts';
import { type NodeObserved, planNode } from './node-plan.ts';

const nowMs = 1_767_225_600_000;
const node = makeNode('a');

function observe(parts: Partial<NodeObserved> = {}): NodeObserved {
  const machine = createFakeDriver('fake', () => nowMs).machine(node);
  return { node, lease: undefined, machine, kubeletVersion: 'v1', leaseDurationSeconds: 40, ...parts };
}

const leaseOf = (renewTime: string): Lease => ({ spec: { renewTime } }) as Lease;
const verbs = (parts: Partial<NodeObserved>): readonly string[] =>
  planNode(observe(parts), nowMs).map((action) => action.do);

/** The node after everything planned was done. */
function registered(): Node {
  let after: Node = node;
  for (const action of planNode(observe(), nowMs)) {
    if (action.do === 'label')
      after = { ...after, metadata: { ...after.metadata, labels: { ...after.metadata.labels, ...action.labels } } };
    if (action.do === 'report') after = { ...after, status: action.status };
  }
  return after;
}

test('a machine registers what its node lacks, and begins to give signs of life', () => {
  const bare = { ...node, metadata: { ...node.metadata, labels: {} } };
  expect(verbs({ node: bare })).toEqual(['label', 'report', 'create lease']);
  const made = planNode(observe({ node: bare }), nowMs);
  expect(JSON.parse(JSON.stringify(made))).toEqual(made);
});

test('then it gives a sign of life each time, and none that is younger than half a period', () => {
  const there = registered();
  expect(verbs({ node: there, lease: leaseOf(toMicroTimestamp(nowMs - 5_000)) })).toEqual(['renew lease']);
  expect(verbs({ node: there, lease: leaseOf(toMicroTimestamp(nowMs - 4_999)) })).toEqual([]);
  expect(verbs({ node: there, lease: leaseOf('nonsense') })).toEqual(['renew lease']);
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
