/**
 * Whom upstream's scheduler preempts, beside whom ours would: small full clusters by chance, with priorities, disruption budgets,
 * times of start and pods that are going already, and pods of higher priority one after the other.
 */
import {
  type KubeObject,
  type New,
  namespaces,
  nodes,
  type Pod,
  pods,
  type ResourceType,
  sleep,
  systemClock,
} from '@signalbox/cluster';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { events, poddisruptionbudgets, priorityclasses } from '../../packages/cluster/src/api/generated/kinds.ts';
import { seededRandom } from '../../packages/cluster/src/base/random.ts';
import { createObjectCache } from '../../packages/cluster/src/client/object-cache.ts';
import { type Budgets, budgetsOf } from '../../packages/cluster/src/scheduler/budgets.ts';
import { defaultPlugins } from '../../packages/cluster/src/scheduler/default-plugins.ts';
import { isBetter, type MakesRoom } from '../../packages/cluster/src/scheduler/loss.ts';
import { podView } from '../../packages/cluster/src/scheduler/pod-view.ts';
import { preempt } from '../../packages/cluster/src/scheduler/preempt.ts';
import { RejectedNodes } from '../../packages/cluster/src/scheduler/rejected-nodes.ts';
import { schedule } from '../../packages/cluster/src/scheduler/schedule.ts';
import { createSnapshot, type LiveSnapshot } from '../../packages/cluster/src/scheduler/snapshot.ts';
import { makePod, type NodeParts, type PodParts } from '../../packages/cluster/src/testing/makers.ts';
import { nodeParts, plainPodParts, selector } from '../../packages/cluster/src/testing/scheduler/worlds.ts';
import { findPrograms } from './plane/programs.ts';
import { bare, startTheirScheduler, type TheirScheduler } from './plane/their-scheduler.ts';

const { programs, missing = '' } = findPrograms(process.env);
const { signal } = new AbortController();
const seed = Number(process.env['FC_SEED'] ?? '7');
const worldCount = Number(process.env['SIGNALBOX_WORLDS'] ?? '20');

let there: TheirScheduler;

beforeAll(async () => {
  if (programs === undefined) return;
  there = await startTheirScheduler(programs);
  await there.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } } as never);
  for (const [name, value] of Object.entries(priorities))
    await there.create(priorityclasses, {
      ...{ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value },
    } as New<KubeObject>);
});

afterAll(() => there?.close());

const priorities = { least: -5, low: 0, mid: 3, high: 8, most: 20 };

const resident = fc.record({
  parts: plainPodParts,
  cpu: fc.constantFrom('500m', '1', '1500m', '2'),
  priorityClassName: fc.constantFrom('least', 'low', 'low', 'mid', 'high'),
  node: fc.nat({ max: 9 }),
  startedIn: fc.nat({ max: 3 }),
  isGoing: fc.nat({ max: 7 }),
});
const anySelector = fc.oneof({ weight: 4, arbitrary: selector }, fc.constant({}));
const budget = fc.record({
  selector: anySelector,
  allowed: fc.nat({ max: 2 }),
  namespace: fc.constantFrom('default', 'other'),
});
const preemptor = fc
  .record({ parts: plainPodParts, cpu: fc.constantFrom('1', '2', '3'), isPlain: fc.boolean() })
  // All rules at once leave no place that the loss of pods would mend.
  .map(({ parts, cpu, isPlain }): { readonly cpu: string; readonly parts: PodParts } => ({
    cpu,
    parts: isPlain ? { ...parts, spec: {} } : parts,
  }));
// What no preemption mends is compared elsewhere.
const openNode = nodeParts.map((parts): NodeParts => ({ ...parts, taints: [], unschedulable: false }));
const drawn = fc.record({
  isEven: fc.boolean(),
  nodes: fc.array(openNode, { minLength: 2, maxLength: 6, size: 'max' }),
  residents: fc.array(resident, { minLength: 10, maxLength: 24, size: 'max' }),
  budgets: fc.array(budget, { maxLength: 3 }),
  // Nobody takes a promised node from one before.
  most: fc.array(preemptor, { minLength: 1, maxLength: 2 }),
  high: fc.array(preemptor, { minLength: 1, maxLength: 2 }),
});
/** Where nodes are alike and so are pods, what is lost differs in little: in the sum, or in the start. */
const worlds = drawn.map((world) =>
  world.isEven
    ? {
        ...world,
        nodes: world.nodes.map((): NodeParts => ({ cpu: '4' })),
        residents: world.residents.map(({ parts: { labels }, ...rest }, index) => ({
          ...{ ...rest, cpu: '1', node: index },
          parts: (labels === undefined ? {} : { labels }) as PodParts,
        })),
      }
    : world,
);

type World = typeof worlds extends fc.Arbitrary<infer T> ? T : never;

async function furnish(name: string, world: World): Promise<void> {
  const { client } = there.cluster;
  for (const [index, parts] of world.nodes.entries()) await there.createNode(`${name}-n${index}`, parts);
  const onNode = new Map<number, number>();
  const withPort = new Set<number>();
  for (const [index, { parts: asDrawn, cpu, priorityClassName, ...where }] of world.residents.entries()) {
    const place = where.node % world.nodes.length;
    const nth = onNode.get(place) ?? 0;
    onNode.set(place, nth + 1);
    // No node lets in two with one port, and upstream forgets the port with the first of them.
    const { hostPort, ...parts } = withPort.has(place) ? { ...asDrawn, hostPort: 0 } : asDrawn;
    if (hostPort !== undefined && hostPort > 0) withPort.add(place);
    const spec = { ...parts.spec, priorityClassName, nodeName: `${name}-n${place}` };
    const { metadata } = await there.create(
      pods,
      bare(makePod(`${name}-r${index}`, { ...parts, cpu, spec, ...(hostPort && { hostPort }) })),
    );
    // On one node no two have started at once, and at most one has not: upstream draws lots.
    const startTime = nth === 0 ? undefined : new Date(Date.UTC(2026, 0, 1 + where.startedIn, nth)).toISOString();
    const body = {
      status: { phase: 'Running', ...(startTime && { startTime: startTime.replace('.000', '') }) },
    };
    const at = { namespace: metadata.namespace, name: metadata.name, signal };
    await client.patch(pods, { ...at, patchType: 'merge', subresource: 'status', body });
    if (where.isGoing === 0) await client.delete(pods, at);
  }
  for (const [index, { selector: about, allowed, namespace }] of world.budgets.entries()) {
    const metadata = { namespace, name: `${name}-b${index}` };
    const made = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata };
    await there.create(poddisruptionbudgets, { ...made, spec: { minAvailable: 1, selector: about } } as never);
    const status = { disruptionsAllowed: allowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
    const at = { ...metadata, signal, patchType: 'merge', subresource: 'status' } as const;
    await client.patch(poddisruptionbudgets, { ...at, body: { status } });
  }
  // Upstream's caches are told one by one.
  await sleep(systemClock, 500, { signal });
}

async function tidy(): Promise<void> {
  const { client } = there.cluster;
  for (const type of [pods, poddisruptionbudgets, nodes] as readonly ResourceType[])
    for (const { metadata } of (await client.list(type, { signal })).items)
      await client.delete(type, { ...metadata, signal, gracePeriodSeconds: 0 });
}

interface Seen {
  readonly snapshot: LiveSnapshot;
  readonly budgets: Budgets;
}

async function look(): Promise<Seen> {
  const { client } = there.cluster;
  const caches = new Map<object, { put(object: KubeObject): unknown }>();
  for (const type of [namespaces, poddisruptionbudgets] as readonly ResourceType[]) {
    const cache = createObjectCache(type);
    for (const item of (await client.list(type, { signal })).items) cache.put(item);
    caches.set(type, cache);
  }
  const snapshot = createSnapshot({ of: (type) => (caches.get(type) as never) ?? createObjectCache(type) });
  for (const node of (await client.list(nodes, { signal })).items) snapshot.setNode(node);
  for (const pod of (await client.list(pods, { signal })).items) {
    snapshot.setPod(pod);
    const promised = pod.status.nominatedNodeName ?? '';
    if ((pod.spec.nodeName ?? '') === '' && promised !== '') snapshot.nominate(podView(pod), promised);
  }
  return { snapshot, budgets: budgetsOf(snapshot.of(poddisruptionbudgets), 1) };
}

interface Ours {
  readonly fitsOn: string | undefined;
  /** What preemption comes to on each node where it helps. */
  readonly each: readonly MakesRoom[];
  readonly chosen: MakesRoom | undefined;
}

function ours(pod: Pod, { snapshot, budgets }: Seen): Ours {
  const random = seededRandom('');
  const unplaced = schedule(podView(pod), snapshot, { plugins: defaultPlugins, random, startAt: 0 });
  const { node: fitsOn } = unplaced;
  const cycle = fitsOn === undefined ? unplaced.cycle : undefined;
  if (fitsOn !== undefined || cycle === undefined) return { fitsOn, each: [], chosen: undefined };
  const { rejected } = unplaced;
  const [plugin] = defaultPlugins;
  const each = rejected.resolvable().flatMap((node) => {
    const alone = new RejectedNodes();
    const verdict = rejected.verdictOn(node.name);
    if (plugin === undefined || verdict === undefined) throw new Error(`nothing speaks against ${node.name}`);
    alone.add(node, { plugin, verdict });
    const found = preempt(cycle, { rejected: alone }, { random, budgets });
    return found.outcome === 'makesRoom' ? [found] : [];
  });
  const chosen = preempt(cycle, unplaced, { random, budgets });
  return { fitsOn, each, chosen: chosen.outcome === 'makesRoom' ? chosen : undefined };
}

function namesOf({ victims }: MakesRoom): readonly string[] {
  return victims.map(({ pod }) => pod.metadata.name).sort();
}

/** Whom upstream says to have preempted for the pod. */
async function theirVictims({ metadata: { uid } }: Pod, count: number): Promise<readonly string[]> {
  let named: readonly string[] = [];
  for (let tries = 0; tries < 40; tries++) {
    const { items } = await there.cluster.client.list(events, { signal });
    named = items
      .filter(({ message = '' }) => message.startsWith(`Preempted by pod ${uid} on node `))
      .map(({ involvedObject }) => involvedObject.name ?? '')
      .sort();
    if (named.length >= count) break;
    await sleep(systemClock, 50, { signal });
  }
  return named;
}

/** Whether there was something to compare. */
async function press(wanted: Pod): Promise<boolean> {
  const seen = await look();
  const made = await there.create(pods, bare(wanted));
  const { fitsOn, each, chosen } = ours(made, seen);
  const pod = await there.decided(made);
  const told = { name: wanted.metadata.name, status: pod.status, each: each.map(wordsOf) };
  const context = JSON.stringify(told, undefined, 1);
  expect(pod.spec.nodeName !== undefined, context).toBe(fitsOn !== undefined);
  const node = pod.status.nominatedNodeName;
  expect(node === undefined, context).toBe(chosen === undefined);
  const same = each.find((candidate) => candidate.node === node);
  expect(same === undefined, context).toBe(chosen === undefined);
  if (same === undefined || chosen === undefined) {
    if (fitsOn === undefined) await there.cluster.client.delete(pods, { ...made.metadata, signal });
    return false;
  }
  for (const other of each) {
    expect(isBetter(other, same), `${other.node} is better: ${context}`).toBe(false);
    expect(isBetter(other, chosen), context).toBe(false);
  }
  expect(await theirVictims(made, same.victims.length), context).toEqual(namesOf(same));
  return true;
}

function wordsOf(candidate: MakesRoom): string {
  const { node, violating, loss } = candidate;
  return `${node}: ${namesOf(candidate).join(' ')} ${JSON.stringify({ violations: violating.length, loss })}`;
}

test.skipIf(programs === undefined)(`upstream’s scheduler preempts whom ours does ${missing}`, async () => {
  let compared = 0;
  for (const [index, world] of fc.sample(worlds, { seed, numRuns: worldCount }).entries()) {
    const name = `w${index}`;
    await furnish(name, world);
    const wanted = [
      ...world.most.map((each) => ({ ...each, priorityClassName: 'most' })),
      ...world.high.map((each) => ({ ...each, priorityClassName: 'high' })),
    ];
    for (const [nth, { parts, cpu, priorityClassName }] of wanted.entries()) {
      const { affinity = {}, ...rest } = parts.spec ?? {};
      // What pods say of others who are promised a node besides them, upstream heeds only where a bound pod says so, too.
      const { podAntiAffinity: _, ...others } = affinity;
      const spec = { ...rest, priorityClassName, affinity: nth === wanted.length - 1 ? affinity : others };
      if (await press(makePod(`${name}-p${nth}`, { ...parts, cpu, spec }))) compared++;
    }
    await tidy();
  }
  // Else the worlds say nothing.
  expect(compared).toBeGreaterThan(worldCount / 2);
});

test.skipIf(programs === undefined)('of equal pods the one that has not started goes, however old it is', async () => {
  await there.createNode('one', { cpu: '4' });
  const put = (name: string): Promise<Pod> =>
    there.create(pods, bare(makePod(name, { cpu: '2', spec: { nodeName: 'one', priorityClassName: 'low' } })));
  await put('waits');
  await put('runs');
  // Later than the one that waits was made, by the seconds that are told.
  await sleep(systemClock, 1_500, { signal });
  const startTime = `${new Date(systemClock.nowMs()).toISOString().slice(0, 19)}Z`;
  const at = { namespace: 'default', name: 'runs', signal } as const;
  const body = { status: { phase: 'Running', startTime } };
  await there.cluster.client.patch(pods, { ...at, patchType: 'merge', subresource: 'status', body });
  await sleep(systemClock, 1_000, { signal });
  expect(await press(makePod('first', { cpu: '2', spec: { priorityClassName: 'most' } }))).toBe(true);
  const { metadata } = await there.cluster.client.get(pods, { namespace: 'default', name: 'waits', signal });
  expect(metadata.deletionTimestamp).toBeDefined();
  await tidy();
});
