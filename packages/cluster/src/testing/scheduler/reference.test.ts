/**
 * What the scheduler says, with its counts and its memory, against a plain reference that walks everything: the reasons of every
 * node, the sums of scores, and where pods go. Since each pod goes where the reference takes it, no rule is ever broken by a
 * binding: not affinity, spread, capacity, ports nor taints.
 */
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { Node, Pod, Service } from '../../api/generated/core-v1.ts';
import { namespaces as namespacesType, services as servicesType } from '../../api/generated/kinds.ts';
import { toTimestamp } from '../../base/clock.ts';
import { seededRandom } from '../../base/random.ts';
import { createObjectCache } from '../../client/object-cache.ts';
import { beginCycle, objection } from '../../scheduler/cycle.ts';
import { defaultPlugins } from '../../scheduler/default-plugins.ts';
import { createMemory, type Memory } from '../../scheduler/memory.ts';
import { podView } from '../../scheduler/pod-view.ts';
import { type Preemption, preempt } from '../../scheduler/preempt.ts';
import { schedule } from '../../scheduler/schedule.ts';
import { totalScores } from '../../scheduler/scoring.ts';
import { createSnapshot, type LiveSnapshot } from '../../scheduler/snapshot.ts';
import { makeMeta, makeNode, makePod, type NodeParts, type PodParts } from '../makers.ts';
import { type PlainAnswer, plainAnswer, plainPoints } from './reference.ts';
import type { PlainWorld } from './reference-facts.ts';
import { plainRooms } from './reference-preemption.ts';
import { type Event, events, nodeParts, podParts } from './worlds.ts';

const teams = { default: { team: 'blue' }, other: { team: 'red' } };
const selectors = [{ app: 'x' }];

interface World {
  readonly snapshot: LiveSnapshot;
  readonly memory: Memory;
  readonly nodes: Map<string, Node>;
  readonly pods: Map<string, Pod>;
}

function worldOf(parts: readonly NodeParts[]): World {
  const namespaces = createObjectCache(namespacesType);
  for (const [name, labels] of Object.entries(teams))
    namespaces.put({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: makeMeta({ name, labels }),
      spec: {},
      status: { phase: 'Active' },
    });
  const services = createObjectCache(servicesType);
  for (const [index, selector] of selectors.entries()) services.put(service(`s${index}`, selector));
  const caches = new Map<object, object>([
    [namespacesType, namespaces],
    [servicesType, services],
  ]);
  const snapshot = createSnapshot({ of: (type) => (caches.get(type) as never) ?? createObjectCache(type) });
  const world: World = { snapshot, memory: createMemory(), nodes: new Map(), pods: new Map() };
  for (const [index, each] of parts.entries()) setNode(world, { name: `n${index}`, parts: each });
  return world;
}

const service = (name: string, selector: Readonly<Record<string, string>>): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: makeMeta({ name, namespace: 'default' }),
  spec: { selector },
  status: {},
});

function setNode(
  { snapshot, nodes }: World,
  { name, parts }: { readonly name: string; readonly parts: NodeParts },
): void {
  const node = makeNode(name, parts);
  nodes.set(name, node);
  snapshot.setNode(node);
}

function setPod({ snapshot, pods }: World, pod: Pod): void {
  pods.set(pod.metadata.uid, pod);
  snapshot.setPod(pod);
}

function plainOf({ nodes, pods }: World): PlainWorld {
  return { nodes: [...nodes.values()], pods: [...pods.values()], namespaces: teams, services: selectors };
}

/** The same of the scheduler, twice: what it finds anew, and what it remembers. */
function fastAnswer(pod: Pod, { snapshot, memory }: World): readonly PlainAnswer[] {
  const begun = beginCycle(podView(pod), snapshot, defaultPlugins);
  if (begun.rejected !== undefined) throw new Error(begun.rejected);
  const { cycle } = begun;
  const alike = memory.of(cycle);
  return [undefined, alike].map((remembered) => {
    const found = snapshot.nodes.map((node, index) => {
      const against =
        remembered === undefined ? objection(cycle, node) : remembered.objection({ index, own: undefined });
      return { node, reasons: against === undefined ? [] : against.verdict.reasons.map(({ text }) => text) };
    });
    const fitting = found.filter(({ reasons }) => reasons.length === 0).map(({ node }) => node);
    const totals = totalScores(cycle, fitting);
    return {
      reasons: Object.fromEntries(found.map(({ node, reasons }) => [node.name, reasons])),
      totals: Object.fromEntries(fitting.map(({ name }, index) => [name, totals[index] ?? 0])),
    };
  });
}

/** Some are more important than others, and some have not started yet. */
function lifeAt(step: number): PodParts {
  const startTime = toTimestamp(1_800_000_000_000 - (step % 5) * 1_000);
  return { priority: step % 3, status: { phase: 'Pending', ...(step % 4 !== 0 && { startTime }) } };
}

function play(
  world: World,
  event: Event,
  { templates, step }: { readonly templates: readonly PodParts[]; readonly step: number },
): void {
  const pods = [...world.pods.values()];
  switch (event.do) {
    case 'place':
    case 'ask': {
      const parts = { ...templates[event.template % templates.length], ...lifeAt(step) };
      const pod = makePod(`p${step}`, parts);
      const plain = plainAnswer(pod, plainOf(world));
      for (const fast of fastAnswer(pod, world)) expect(fast).toEqual(plain);
      note(pod, plain, plainOf(world));
      const { snapshot, memory } = world;
      const random = seededRandom(String(step));
      const { node } = schedule(podView(pod), snapshot, { plugins: defaultPlugins, random, startAt: step % 3, memory });
      const best = Math.max(...Object.values(plain.totals));
      if (node === undefined) expect(plain.totals).toEqual({});
      else expect(plain.totals[node]).toBe(best);
      if (event.do === 'ask' || node === undefined) return;
      snapshot.assume(podView(pod), node);
      setPod(world, makePod(`p${step}`, { ...parts, node }));
      return;
    }
    case 'press':
      press(world, makePod(`p${step}`, { ...templates[event.template % templates.length], priority: 10 }));
      return;
    case 'leave': {
      const name = [...world.nodes.keys()][event.node % Math.max(1, world.nodes.size)];
      if (name === undefined) return;
      world.nodes.delete(name);
      world.snapshot.removeNode(name);
      return;
    }
    case 'node':
      setNode(world, { name: `n${event.node}`, parts: event.parts });
      return;
    default: {
      const pod = pods[event.pod % Math.max(1, pods.length)];
      if (pod !== undefined) changePod(world, { pod, how: event.do });
    }
  }
}

/** Whoever goes is whom the reference would send away; what is remembered changes nothing. */
function press(world: World, pod: Pod): void {
  const { snapshot } = world;
  const decide = (memory: Memory | undefined): Preemption | undefined => {
    const unplaced = schedule(podView(pod), snapshot, {
      plugins: defaultPlugins,
      random: seededRandom(''),
      startAt: 0,
      ...(memory && { memory }),
    });
    if (unplaced.node !== undefined || unplaced.cycle === undefined) return undefined;
    return preempt(unplaced.cycle, unplaced, { random: seededRandom(''), memory: unplaced.alike });
  };
  const decision = decide(undefined);
  expect(decide(world.memory)).toEqual(decision);
  if (decision === undefined) return;
  const rooms = plainRooms(pod, plainOf(world));
  if (decision.outcome !== 'makesRoom') {
    expect(rooms).toEqual([]);
    return;
  }
  const victims = new Set(decision.victims.map((victim) => victim.pod.metadata.name));
  expect(rooms).toContainEqual({ node: decision.node, victims });
  pressed++;
}

let pressed = 0;
const heard = new Set<string>();

/** Worlds in which a rule is about nobody say nothing of it. */
function note(pod: Pod, { reasons, totals }: PlainAnswer, world: PlainWorld): void {
  for (const reason of Object.values(reasons).flat()) heard.add(reason.replace(/\{.*\}/, '{…}'));
  const fitting = world.nodes.filter(({ metadata }) => metadata.name in totals);
  for (const [rule, points] of Object.entries(plainPoints(pod, fitting, world)))
    if (new Set(points).size > 1) heard.add(`points by ${rule}`);
}

const rules = [
  'Insufficient cpu',
  'Insufficient ephemeral-storage',
  'Insufficient example.com/gpu',
  'Insufficient memory',
  'Too many pods',
  "node(s) didn't have free ports for the requested pod ports",
  "node(s) didn't match Pod's node affinity/selector",
  "node(s) didn't match pod affinity rules",
  "node(s) didn't match pod anti-affinity rules",
  "node(s) didn't match pod topology spread constraints",
  "node(s) didn't match pod topology spread constraints (missing required label)",
  "node(s) didn't satisfy existing pods anti-affinity rules",
  'node(s) had untolerated taint {…}',
  'node(s) were unschedulable',
  ...['affinity', 'balanced', 'images', 'leastAllocated', 'preferredNodes', 'softTaints', 'spread'].map(
    (rule) => `points by ${rule}`,
  ),
];

function changePod(
  world: World,
  { pod, how }: { readonly pod: Pod; readonly how: 'end' | 'remove' | 'relabel' | 'stop' },
): void {
  const { metadata } = pod;
  switch (how) {
    case 'end':
      setPod(world, { ...pod, status: { phase: 'Succeeded' } });
      return;
    case 'relabel':
      setPod(world, {
        ...pod,
        metadata: { ...metadata, labels: { app: metadata.labels?.['app'] === 'x' ? 'y' : 'x' } },
      });
      return;
    case 'stop':
      setPod(world, { ...pod, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:01:00Z' } });
      return;
    case 'remove':
      world.pods.delete(metadata.uid);
      world.snapshot.removePod(metadata.uid);
      return;
    default:
      how satisfies never;
  }
}

test('the scheduler says of random clusters what a plain reference says', () => {
  const given = fc.record({
    nodes: fc.array(nodeParts, { minLength: 1, maxLength: 8 }),
    templates: fc.array(podParts, { minLength: 1, maxLength: 4 }),
    happening: events,
  });
  fc.assert(
    fc.property(given, ({ nodes, templates, happening }) => {
      const world = worldOf(nodes);
      for (const [step, event] of happening.entries()) play(world, event, { templates, step });
    }),
    { numRuns: 30 * inject('thoroughness') },
  );
  expect(pressed).toBeGreaterThan(0);
  // In few worlds some of the rules may have had nothing to say.
  const silent = rules.filter((rule) => !heard.has(rule));
  expect(silent.slice(inject('thoroughness') > 1 ? 0 : 6)).toEqual([]);
});
