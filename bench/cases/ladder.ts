/**
 * One rung of the ladder: N simulated nodes on the durable store, in one process. A DaemonSet over all of them until every pod
 * is Running and ready, its rolling update at maxUnavailable 10 %, what the fleet then costs at rest, and what memory all of it
 * takes. Progress goes to stderr; prints one line of JSON. Arguments: the number of nodes, for how many seconds it rests.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCluster, daemonsets, nodes, openLmdbBackend } from '@signalbox/cluster';
import { collectAsUp } from '../as-up.ts';
import { collector } from '../collector.ts';
import { residentMb, residentMbMost } from '../process-figures.ts';

const { signal } = new AbortController();
const count = Number(process.argv[2] ?? '500');
const restSeconds = Number(process.argv[3] ?? '20');
/** The second sign of life of a node comes after one and a half periods at the latest; then they are spread as they stay. */
const settleMs = 20_000;
const progressMs = 5_000;
const folder = mkdtempSync(join(tmpdir(), 'signalbox-ladder-'));

interface Cost {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function cpuSeconds(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1e6;
}

/** Looks so rarely that looking costs nothing; tells every few seconds how far it has come. */
async function reach(
  what: string,
  look: () => Promise<{ readonly done: number; readonly all: boolean }>,
): Promise<Cost> {
  const startMs = performance.now();
  const before = process.cpuUsage();
  let toldMs = startMs;
  for (;;) {
    const { done, all } = await look();
    const seconds = (performance.now() - startMs) / 1_000;
    if (all || performance.now() - toldMs > progressMs) {
      toldMs = performance.now();
      const cpu = `${cpuSeconds(before).toFixed(1)} s of CPU, ${residentMb(process.pid).toFixed(0)} MB`;
      process.stderr.write(`  ${count} nodes: ${what} ${done}/${count} after ${seconds.toFixed(1)} s, ${cpu}\n`);
    }
    if (all) return { seconds, cpuSeconds: cpuSeconds(before) };
    await pause(Math.max(20, count / 100));
  }
}

const stopCollecting = collectAsUp();
const cluster = await createCluster({ backend: await openLmdbBackend({ path: folder }), nodes: count });
const place = { namespace: 'kube-system', name: 'collector', signal };

async function nodesReady(): Promise<{ readonly done: number; readonly all: boolean }> {
  const { items } = await cluster.client.list(nodes, { signal });
  const ready = items.filter(({ status }) =>
    status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
  );
  return { done: ready.length, all: ready.length === count };
}

async function daemonsReady(): Promise<{ readonly done: number; readonly all: boolean }> {
  const { metadata, status } = await cluster.client.get(daemonsets, place);
  const isSeen = status.observedGeneration === metadata.generation;
  const done = isSeen ? Math.min(status.numberReady, status.updatedNumberScheduled ?? 0) : 0;
  return { done, all: done === count };
}

async function rollOut(): Promise<void> {
  const [container] = collector.spec.template.spec.containers;
  const body = {
    spec: {
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%' } },
      template: { spec: { containers: [{ ...container, image: 'example/collector:2' }] } },
    },
  };
  await cluster.client.patch(daemonsets, { ...place, patchType: 'merge', body });
}

async function rest(): Promise<number> {
  await pause(settleMs);
  const before = process.cpuUsage();
  const startMs = performance.now();
  await pause(1_000 * restSeconds);
  return (100_000 * cpuSeconds(before)) / (performance.now() - startMs);
}

try {
  const start = await reach('nodes ready', nodesReady);
  const fleetMb = residentMb(process.pid);
  await cluster.apply([collector]);
  const create = await reach('pods ready', daemonsReady);
  await rollOut();
  const update = await reach('pods updated', daemonsReady);
  const idle = await rest();
  const figures = {
    'nodes s': start.seconds,
    'create s': create.seconds,
    'create CPU s': create.cpuSeconds,
    'update s': update.seconds,
    'update CPU s': update.cpuSeconds,
    'idle CPU %': idle,
    'fleet MB': fleetMb,
    'idle MB': residentMb(process.pid),
    'most MB': residentMbMost(process.pid),
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
} finally {
  stopCollecting();
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
}
