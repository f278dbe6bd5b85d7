import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeNode, makePod } from '../testing/makers.ts';
import type { NodeView } from './node-view.ts';
import { podView } from './pod-view.ts';
import { createSnapshot, type Fork, type LiveSnapshot } from './snapshot.ts';

const pods = ['p', 'q', 'r', 's'].map((name, index) =>
  podView(makePod(name, { cpu: `${index + 1}`, memory: '1Gi', hostPort: 8080 + index })),
);

function facts({ requested, podCount, pods: held, hostPorts, assumedCpuMilli, assumedMemoryBytes }: NodeView): unknown {
  const ports = hostPorts.map(({ port }) => port).sort((a, b) => a - b);
  return { requested, podCount, pods: [...held.keys()].sort(), ports, assumedCpuMilli, assumedMemoryBytes };
}

function world(): LiveSnapshot {
  const snapshot = createSnapshot();
  for (const name of ['a', 'b']) snapshot.setNode(makeNode(name));
  return snapshot;
}

test('a step changes one node of one fork, and nothing else', () => {
  const [p, q] = pods;
  if (p === undefined || q === undefined) return;
  const live = world();
  live.assume(p, 'a');
  const without = live.fork().without(p, 'a');
  const moved = without.with(p, 'b').with(q, 'b');
  const counts = ({ nodes }: Fork | LiveSnapshot): readonly string[] =>
    nodes.map(({ name, podCount }) => `${name} ${podCount}`);
  expect(counts(live)).toEqual(['a 1', 'b 0']);
  expect(counts(without)).toEqual(['a 0', 'b 0']);
  expect(counts(moved)).toEqual(['a 0', 'b 2']);
  expect(moved.node('c')).toBeUndefined();
  expect(() => moved.with(p, 'c')).toThrow('a what-if is about a node that is there');
});

test('what would be is what is, once it has happened', () => {
  const steps = fc.array(fc.nat({ max: pods.length - 1 }), { maxLength: 12, size: 'max' });
  fc.assert(
    fc.property(steps, fc.boolean(), (indexes, looksOnTheWay) => {
      const live = world();
      let fork = world().fork();
      for (const index of indexes) {
        const pod = pods[index];
        if (pod === undefined) continue;
        if (live.node('a')?.pods.has(pod.uid) === true) {
          live.forget(pod.uid);
          fork = fork.without(pod, 'a');
        } else {
          live.assume(pod, 'a');
          fork = fork.with(pod, 'a');
        }
        expect(pods.map(({ uid }) => fork.node('a')?.holds(uid))).toEqual(
          pods.map(({ uid }) => live.node('a')?.pods.has(uid)),
        );
        if (looksOnTheWay) expect(fork.node('a')?.pods.size).toBe(live.node('a')?.pods.size);
      }
      expect(fork.nodes.map(facts)).toEqual(live.nodes.map(facts));
    }),
  );
});
