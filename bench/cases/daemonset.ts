/**
 * One DaemonSet over N simulated nodes on the durable store: from its creation until every pod is Running and ready.
 * Prints one line of JSON. Arguments: the number of nodes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCluster, daemonsets, nodes, openLmdbBackend } from '@signalbox/cluster';
import { collectAsUp } from '../as-up.ts';
import { collector } from '../collector.ts';

const { signal } = new AbortController();
const count = Number(process.argv[2] ?? '1000');
const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));

async function until(reached: () => Promise<boolean>): Promise<void> {
  while (!(await reached())) await new Promise((resolve) => setTimeout(resolve, 20));
}

const stopCollecting = collectAsUp();
const cluster = await createCluster({ backend: await openLmdbBackend({ path: folder }), nodes: count });
try {
  await until(async () => {
    const { items } = await cluster.client.list(nodes, { signal });
    return items.every(({ status }) =>
      status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    );
  });
  const startMs = performance.now();
  await cluster.apply([collector]);
  await until(async () => {
    const { status } = await cluster.client.get(daemonsets, { namespace: 'kube-system', name: 'collector', signal });
    return status.numberReady === count;
  });
  const ms = performance.now() - startMs;
  process.stdout.write(`${JSON.stringify({ ms, msPerPod: ms / count, rssMb: process.memoryUsage().rss / 2 ** 20 })}\n`);
} finally {
  stopCollecting();
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
}
