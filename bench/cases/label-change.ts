/**
 * One node's label changes among N nodes and M DaemonSets, on the durable store: from the change until the DaemonSet that lost
 * the node has removed its pod, the one that got it has one there, and both say so. Each DaemonSet selects a group of nodes;
 * each time a node goes to the next group. Then one that none of them looks at. Prints one line of JSON: medians.
 * Arguments: the number of nodes, the number of DaemonSets.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCluster, daemonsets, nodes, openLmdbBackend } from '@signalbox/cluster';
import { collectAsUp } from '../as-up.ts';
import { cpuMs, median, numberedCollector, pause } from '../label-changes.ts';

const { signal } = new AbortController();
const count = Number(process.argv[2] ?? '5000');
const sets = Number(process.argv[3] ?? '50');
const changes = 20;
const groupLabel = 'example.com/group';
const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
const namespace = 'kube-system';

async function until(reached: () => Promise<boolean>, everyMs: number): Promise<void> {
  while (!(await reached())) await pause(everyMs);
}

const stopCollecting = collectAsUp();
const cluster = await createCluster({ backend: await openLmdbBackend({ path: folder }), nodes: count });

async function label(name: string, labels: Readonly<Record<string, string>>): Promise<void> {
  await cluster.client.patch(nodes, { name, signal, patchType: 'merge', body: { metadata: { labels } } });
}

/** How many nodes a group's DaemonSet says it has a pod on. */
async function scheduled(group: number): Promise<number> {
  const { status } = await cluster.client.get(daemonsets, { namespace, name: `collector-${group}`, signal });
  return status.desiredNumberScheduled === status.currentNumberScheduled ? status.currentNumberScheduled : -1;
}

interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
}

async function measured(work: () => Promise<void>): Promise<Cost> {
  // Nothing of the change before is under way any more.
  await pause(500);
  const [startMs, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  return { ms: performance.now() - startMs, cpuMs: cpuMs(cpu) };
}

try {
  const { items } = await cluster.client.list(nodes, { signal });
  const names = items.map(({ metadata }) => metadata.name);
  for (const [index, name] of names.entries()) await label(name, { [groupLabel]: `${index % sets}` });
  for (let group = 0; group < sets; group++)
    await cluster.apply([numberedCollector(group, { nodeSelector: { [groupLabel]: `${group}` } })]);
  const all = { limitMs: performance.now() + 300_000 };
  await until(async () => {
    let there = 0;
    for (let group = 0; group < sets; group++) there += Math.max(0, await scheduled(group));
    return there === count || performance.now() > all.limitMs;
  }, 200);
  const sizes = await Promise.all(Array.from({ length: sets }, (_, group) => scheduled(group)));
  await pause(2_000);
  const moves: Cost[] = [];
  const others: Cost[] = [];
  for (let change = 0; change < changes; change++) {
    const from = change % sets;
    const to = (from + 1) % sets;
    const name = names[change] ?? '';
    moves.push(
      await measured(async () => {
        await label(name, { [groupLabel]: `${to}` });
        const [left, joined] = [(sizes[from] ?? 0) - 1, (sizes[to] ?? 0) + 1];
        await until(async () => (await scheduled(from)) === left && (await scheduled(to)) === joined, 1);
        [sizes[from], sizes[to]] = [left, joined];
      }),
    );
    others.push(await measured(() => label(name, { 'example.com/note': `${change}` })));
  }
  const figures = {
    'move ms': median(moves.map(({ ms }) => ms)),
    'move CPU ms': median(moves.map((move) => move.cpuMs)),
    'other label ms': median(others.map(({ ms }) => ms)),
    rssMb: process.memoryUsage().rss / 2 ** 20,
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
} finally {
  stopCollecting();
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
}
