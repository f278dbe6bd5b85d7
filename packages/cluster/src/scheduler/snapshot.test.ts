import { expect, test } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { makeNode, makePod } from '../testing/makers.ts';
import { podView } from './pod-view.ts';
import { createSnapshot, type LiveSnapshot } from './snapshot.ts';

const placed = makePod('p', { node: 'n', cpu: '1', labels: { app: 'a' } });
const waiting = makePod('w', { cpu: '2' });

function world(): LiveSnapshot {
  const snapshot = createSnapshot();
  snapshot.setNode(makeNode('n'));
  return snapshot;
}

/** How many changes of nodes are told of while something happens. */
function changesIn(snapshot: LiveSnapshot, happens: () => void): number {
  const before = snapshot.journal?.end ?? 0;
  happens();
  return (snapshot.journal?.end ?? 0) - before;
}

const withStatus = (pod: Pod, status: object): Pod => ({ ...pod, status: { ...pod.status, ...status } });

test('what is only said of a pod changes nothing of its node, and is there for who looks at the pod', () => {
  const snapshot = world();
  snapshot.setPod(placed);
  const said = withStatus(placed, { conditions: [{ type: 'DisruptionTarget', status: 'True' }] });
  expect(changesIn(snapshot, () => snapshot.setPod(said))).toBe(0);
  expect(snapshot.node('n')?.pods.get(placed.metadata.uid)?.pod).toBe(said);
  expect(snapshot.node('n')).toMatchObject({ podCount: 1, requested: { cpuMilli: 1_000 } });
});

test.each<[string, (pod: Pod) => Pod]>([
  ['it began', (pod) => withStatus(pod, { startTime: '2026-01-01T00:00:01Z' })],
  ['it is going', (pod) => ({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:09Z' } })],
  ['it is called otherwise', (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: { app: 'b' } } })],
  ['it is marked', (pod) => ({ ...pod, metadata: { ...pod.metadata, annotations: { note: 'x' } } })],
  ['it matters more', (pod) => ({ ...pod, spec: { ...pod.spec, priority: 5 } })],
  [
    'it wants less',
    ({ spec }) => ({ ...placed, spec: { ...spec, containers: makePod('p', { cpu: '500m' }).spec.containers } }),
  ],
])('a node has changed when of a pod of it is told that %s', (_, change) => {
  const snapshot = world();
  snapshot.setPod(placed);
  expect(changesIn(snapshot, () => snapshot.setPod(change(placed)))).toBe(1);
});

test('a binding that was counted already changes nothing', () => {
  const snapshot = world();
  snapshot.assume(podView(waiting), 'n');
  const bound = { ...waiting, spec: { ...waiting.spec, nodeName: 'n' } };
  expect(changesIn(snapshot, () => snapshot.setPod(bound))).toBe(0);
  snapshot.removePod(waiting.metadata.uid);
  expect(snapshot.node('n')).toMatchObject({ podCount: 0, requested: { cpuMilli: 0 } });
});

test('what is promised again is no news, unless the pod asks for something else', () => {
  const snapshot = world();
  snapshot.nominate(podView(waiting), 'n');
  const said = podView(withStatus(waiting, { nominatedNodeName: 'n' }));
  expect(changesIn(snapshot, () => snapshot.nominate(said, 'n'))).toBe(0);
  expect(snapshot.nominatedTo('n')).toEqual([said]);
  expect(snapshot.takeReleased()).toEqual([]);
  const other = podView(makePod('w', { cpu: '1' }));
  expect(changesIn(snapshot, () => snapshot.nominate(other, 'n'))).toBeGreaterThan(0);
  expect(snapshot.nominatedTo('n')).toEqual([other]);
});
