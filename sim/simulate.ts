import {
  type Component,
  namespaces as namespaceType,
  nodes,
  type Platform,
  priorityclasses,
  type Random,
} from '@signalbox/cluster';
import { seededRandom, stoppedAnnotation } from '@signalbox/cluster/testing';
import { createTelemetryOperator, customResourceDefinitions, defaultComponents } from '@signalbox/telemetry';
import { daemonsets } from './checkers/daemonsets.ts';
import { revisions, same, watches } from './checkers/history.ts';
import { namespaces, ownership } from './checkers/ownership.ts';
import { addresses, capacity, pods as podsAtRest } from './checkers/placement.ts';
import { noProblems, quiet, survived } from './checkers/quiet.ts';
import { deployments, replicasets, statefulsets } from './checkers/replicas.ts';
import { chance, priorityClasses, randomNode } from './manifests.ts';
import { observe } from './observer.ts';
import { createSimPlane, type SimPlane } from './plane.ts';
import type { RandomOperation } from './workload/operation.ts';
import { createDraw, perform } from './workload.ts';
import { type Finding, followed, lookAtWorld, type World } from './world.ts';

export interface SimResult {
  readonly seed: string;
  readonly findings: readonly Finding[];
  /** Over everything that became durable. */
  readonly hash: string;
  readonly writes: number;
}

export interface SimOptions {
  readonly seed: string;
  readonly operations?: number;
  /** Told what happens, line by line. */
  readonly log?: (line: string) => void;
}

interface Sim {
  readonly plane: SimPlane;
  readonly random: Random;
  readonly findings: Finding[];
  readonly drawOperation: () => RandomOperation;
  /** The chance that the next operation follows at once. */
  readonly haste: number;
  readonly log: (line: string) => void;
}

const settleMs = 30 * 60_000;
const quietMs = 10 * 60_000;

const telemetryOperator = (platform: Platform): Component =>
  createTelemetryOperator(platform, { components: defaultComponents() });

/** One seed: a plane, people who use it, faults; then peace, and a look at what became of it. */
export async function simulate({ seed, operations, log = () => undefined }: SimOptions): Promise<SimResult> {
  const random = seededRandom(`${seed}/workload`);
  const hasOperator = chance(random, 0.3);
  const plane = await createSimPlane({ seed, components: hasOperator ? [telemetryOperator] : [] });
  const draw = createDraw(random, { hasOperator });
  const haste = random.next();
  const sim: Sim = { plane, random, findings: [], drawOperation: draw, haste, log };
  log(`faults ${JSON.stringify(plane.faults.rates)}`);
  await prepare(sim);
  if (hasOperator) await plane.call(() => plane.cluster.apply(customResourceDefinitions()));
  const count = operations ?? 10 + random.below(50);
  for (let index = 0; index < count && sim.findings.length === 0; index++) await step(sim);
  if (sim.findings.length === 0) await rest(sim);
  const hash = plane.history.hash();
  const writes = plane.history.changes.length;
  await plane.close();
  return { seed, findings: sim.findings, hash, writes };
}

async function prepare({ plane, random }: Sim): Promise<void> {
  const { signal } = new AbortController();
  for (const { name, value } of priorityClasses)
    await plane.call((client) =>
      client.create(
        priorityclasses,
        { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value },
        { signal },
      ),
    );
  for (const name of ['team-a', 'team-b'])
    await plane.call((client) =>
      client.create(namespaceType, { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} }, { signal }),
    );
  for (const name of ['node-1', 'node-2', 'node-3'])
    await plane.call((client) => client.create(nodes, randomNode(random, name), { signal }));
  await plane.pass(1_000);
}

async function step(sim: Sim): Promise<void> {
  const { plane, random, log } = sim;
  if (chance(random, 0.03)) await restart(sim);
  else if (chance(random, 0.01)) {
    const hours = 1 + random.below(3);
    log(`the clock jumps ${hours} h`);
    plane.clock.jump(hours * 3_600_000);
  } else await operate(sim);
  // Mostly in quick succession, now and then with time to settle.
  const mostMs = chance(random, sim.haste) ? 200 : chance(random, 0.8) ? 10_000 : 300_000;
  await plane.pass(random.below(mostMs));
  await check(sim, (world) => [capacity(world), addresses(world)]);
}

/** Draws again what finds nothing to do. */
async function operate({ plane, random, drawOperation, log }: Sim): Promise<void> {
  for (let tries = 0; tries < 5; tries++) {
    const operation = drawOperation();
    const draws = random.fork(`${random.below(2 ** 30)}`);
    const done = await plane.call((client) => perform(operation, { client, random: draws }));
    if (done.outcome === undefined) continue;
    log(`${stamp(plane)} ${done.name}: ${done.outcome}`);
    return;
  }
}

async function restart({ plane, random, drawOperation, log }: Sim): Promise<void> {
  const way = chance(random, 0.7) ? 'power cut' : 'shutdown';
  const operation = drawOperation();
  // Somebody waits for an answer that never comes.
  const draws = random.fork(`${random.below(2 ** 30)}`);
  void perform(operation, { client: plane.cluster.client, random: draws }).catch(() => undefined);
  for (let turns = random.below(4); turns > 0; turns--) await Promise.resolve();
  log(`${stamp(plane)} ${way} during ${operation.name}`);
  await plane.restart(way);
}

/** Faults stop, machines come back, time passes: everything finds its place and then nothing moves. */
async function rest(sim: Sim): Promise<void> {
  const { plane } = sim;
  plane.faults.stop();
  await plane.pass(120_000);
  const observer = await plane.call((client) => observe(plane.cluster, client));
  await startMachines(sim);
  await plane.pass(settleMs);
  const problemCount = plane.problems.length;
  const changeCount = plane.history.changes.length;
  await check(sim, (world) => [
    capacity(world),
    addresses(world),
    podsAtRest(world),
    daemonsets(world),
    statefulsets(world),
    replicasets(world),
    deployments(world),
    ownership(world),
    namespaces(world),
  ]);
  await plane.pass(quietMs);
  await check(sim, (world) => [
    quiet(plane.history.changes.slice(changeCount), { eventWritesMax: 3 }),
    noProblems(plane.problems.slice(problemCount), world),
    survived(plane.problems),
    revisions(plane.history),
    watches(observer.watched, world),
    ...caches(plane, world),
  ]);
  observer.stop();
  await restartAtRest(sim);
}

/** A plane that starts and sees everything anew finds nothing to do: whatever it did would have been overlooked before. */
async function restartAtRest(sim: Sim): Promise<void> {
  const { plane } = sim;
  const changeCount = plane.history.changes.length;
  const problemCount = plane.problems.length;
  await plane.restart('shutdown');
  await plane.pass(2 * 60_000);
  await check(sim, (world) => [
    quiet(plane.history.changes.slice(changeCount), { eventWritesMax: 25 }),
    noProblems(plane.problems.slice(problemCount), world),
  ]);
}

/** What the parts of the plane believe is what the API shows. */
function caches({ cluster }: SimPlane, world: World): readonly Iterable<Finding>[] {
  const { informers } = cluster.platform;
  return followed(cluster)
    .filter(({ definition }) => informers.has(definition))
    .map(({ definition, id }) =>
      same(`the cache of ${id}`, [...informers.of(definition).values()], world.byResource.get(id) ?? []),
    );
}

async function startMachines({ plane }: Sim): Promise<void> {
  const { signal } = new AbortController();
  const { items } = await plane.call((client) => client.list(nodes, { signal }));
  const body = { metadata: { annotations: { [stoppedAnnotation]: null } } };
  for (const { metadata } of items)
    await plane.call((client) => client.patch(nodes, { name: metadata.name, signal, patchType: 'merge', body }));
}

async function check(
  { plane, findings }: Sim,
  checkers: (world: World) => readonly Iterable<Finding>[],
): Promise<void> {
  const world = await plane.call((client) => lookAtWorld(plane.cluster, client));
  for (const found of checkers(world)) findings.push(...found);
}

function stamp({ clock }: SimPlane): string {
  return new Date(clock.nowMs()).toISOString();
}
