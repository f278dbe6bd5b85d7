/** What is said of preemption. */
import { beforeEach, expect, test } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { nodes, poddisruptionbudgets, pods } from '../api/generated/kinds.ts';
import { asked, causesOf } from '../testing/asked.ts';
import { makeNode, makePod } from '../testing/makers.ts';
import { createWorld, meta, type World } from '../testing/plan-world.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
  for (const name of ['a', 'b']) world.put(nodes, makeNode(name));
});

function lastCause(pod: Pod, { others, node }: { readonly others: readonly Pod[]; readonly node?: string }): string {
  for (const each of [pod, ...others]) world.put(pods, each);
  return causesOf(asked(world, { type: pods, name: 'p', node })).at(-1) ?? '';
}

function budget(name: string, disruptionsAllowed: number): void {
  const amounts = { currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
  world.put(poddisruptionbudgets, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: meta(name),
    spec: { selector: { matchLabels: { app: 'web' } }, minAvailable: 1 },
    status: { ...amounts, disruptionsAllowed },
  } as never);
}

const urgent = makePod('p', { cpu: '3', priority: 5 });
const low = (name: string, node: string, cpu = '3'): Pod => makePod(name, { node, cpu, labels: { app: 'web' } });

test('of a node that is asked about, what it could do there is told', () => {
  const others = [low('x', 'a'), makePod('y', { node: 'b', cpu: '3', priority: 5 })];
  expect(lastCause(urgent, { others, node: 'a' })).toBe('preemption could make room there: default/x has to go');
  expect(lastCause(urgent, { others, node: 'b' })).toBe(
    'preemption does not help there: No preemption victims found for incoming pod',
  );
  expect(lastCause(urgent, { others })).toBe('preemption makes room on node a: default/x has to go');
});

test('on a node that no loss of pods opens it does not help', () => {
  world.put(nodes, makeNode('b', { unschedulable: true }));
  const others = [low('x', 'a'), low('y', 'b')];
  expect(lastCause(urgent, { others, node: 'b' })).toBe(
    'preemption does not help there: it would not fit there without the pods that are there either',
  );
});

test('who fits elsewhere preempts nobody', () => {
  expect(lastCause(urgent, { others: [low('x', 'a')], node: 'a' })).toBe('it fits 1 other node');
});

test('budgets that it would not keep are named', () => {
  const others = [low('x', 'a'), low('y', 'b')];
  budget('web', 0);
  expect(lastCause(urgent, { others })).toMatch(
    /^preemption makes room on node [ab]: default\/[xy] has to go, although the PodDisruptionBudget web does not allow that$/,
  );
  budget('web', 1);
  expect(lastCause(urgent, { others })).toMatch(/^preemption makes room on node [ab]: default\/[xy] has to go$/);
});

test('and of whom they would not allow it, where others may go', () => {
  world.remove(nodes, makeNode('b'));
  budget('web', 0);
  budget('all', 0);
  const others = [low('x', 'a', '2'), makePod('y', { node: 'a', cpu: '2' })];
  const large = makePod('p', { cpu: '4', priority: 5 });
  expect(lastCause(large, { others })).toBe(
    'preemption makes room on node a: default/x, default/y have to go, although the PodDisruptionBudgets web, all do not allow that of default/x',
  );
});
