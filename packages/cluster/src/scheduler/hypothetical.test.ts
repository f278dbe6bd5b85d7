import { expect, test } from 'vitest';
import { makeNode, makePod } from '../testing/makers.ts';
import { createNodeAccount, type NodeView } from './node-view.ts';
import { podView } from './pod-view.ts';

const pods = ['p', 'q', 'r'].map((name, index) =>
  podView(makePod(name, { cpu: `${index + 1}`, memory: '1Gi', hostPort: 8080 + index })),
);
const [p, q, r] = pods as [(typeof pods)[0], (typeof pods)[0], (typeof pods)[0]];

function facts({ requested, podCount, pods: held, hostPorts, assumedCpuMilli, assumedMemoryBytes }: NodeView): unknown {
  return { requested, podCount, pods: [...held.keys()], hostPorts, assumedCpuMilli, assumedMemoryBytes };
}

test('without several pods at once a node is as it is without one after the other', () => {
  const node = createNodeAccount(makeNode('a'), { initial: pods, changed: () => undefined });
  const atOnce = node.without(p, r);
  expect(facts(atOnce)).toEqual(facts(node.without(p).without(r)));
  expect(pods.map(({ uid }) => atOnce.holds(uid))).toEqual([false, true, false]);
  const back = atOnce.with(r);
  expect(pods.map(({ uid }) => back.holds(uid))).toEqual([false, true, true]);
  expect([...back.pods.values()]).toEqual([q, r]);
  expect(facts(node.without(p))).toEqual(facts(back));
  expect(node.podCount).toBe(3);
});
