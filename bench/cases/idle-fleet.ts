/**
 * What N simulated nodes cost that do nothing but live, on the durable store, in real time: CPU of the whole process.
 * Prints one line of JSON. Arguments: the number of nodes, for how many seconds it is measured.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCluster, leases, nodes, openLmdbBackend } from '@signalbox/cluster';
import { collectAsUp } from '../as-up.ts';
import { cpuMs, pause } from '../label-changes.ts';

const { signal } = new AbortController();
const count = Number(process.argv[2] ?? '5000');
const seconds = Number(process.argv[3] ?? '60');
const leasePeriodMs = 10_000;
const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));

const stopCollecting = collectAsUp();
const cluster = await createCluster({ backend: await openLmdbBackend({ path: folder }), nodes: count });

async function allReady(): Promise<boolean> {
  const { items } = await cluster.client.list(nodes, { signal });
  return items.every(({ status }) =>
    status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
  );
}

/** How many writes there were so far, and how old the oldest sign of life is. */
async function look(): Promise<{ readonly revision: number; readonly oldestMs: number }> {
  const { metadata, items } = await cluster.client.list(leases, { signal, namespace: 'kube-node-lease' });
  const oldest = Math.min(...items.map(({ spec }) => Date.parse(spec?.renewTime ?? '')));
  return { revision: Number(metadata.resourceVersion), oldestMs: cluster.platform.clock.nowMs() - oldest };
}

try {
  while (!(await allReady())) await pause(100);
  // The first signs of life come at once; after two periods they are spread as they stay.
  await pause(2 * leasePeriodMs);
  const before = await look();
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  await pause(1_000 * seconds);
  const spentMs = cpuMs(cpu);
  const elapsedMs = performance.now() - startMs;
  const after = await look();
  const writes = after.revision - before.revision;
  const figures = {
    'CPU %': (100 * spentMs) / elapsedMs,
    'µs per write': (1_000 * spentMs) / writes,
    'writes/s': (1_000 * writes) / elapsedMs,
    'oldest lease s': Math.max(before.oldestMs, after.oldestMs) / 1_000,
    rssMb: process.memoryUsage().rss / 2 ** 20,
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
} finally {
  stopCollecting();
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
}
