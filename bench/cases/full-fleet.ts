/**
 * N simulated nodes full of the pods of one Deployment, on the durable store, in one process: how long until all of them are
 * ready, and what the process holds then and at most. Prints one line of JSON. Arguments: the number of nodes, the number of
 * pods, for how many seconds it rests before it is looked at.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCluster, deployments, nodes, openLmdbBackend } from '@signalbox/cluster';
import { collectAsUp } from '../as-up.ts';
import { collector } from '../collector.ts';
import { residentMb, residentMbMost } from '../process-figures.ts';

const { signal } = new AbortController();
const nodeCount = Number(process.argv[2] ?? '5000');
const podCount = Number(process.argv[3] ?? '50000');
const restSeconds = Number(process.argv[4] ?? '30');
const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
const place = { namespace: 'default', name: 'web', signal };
/** A figure that does not come is a failure with words, not a bench that never ends. */
const patienceMs = 600_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until(reached: () => Promise<boolean>, what: string): Promise<void> {
  const lastMs = performance.now() + patienceMs;
  while (!(await reached())) {
    if (performance.now() > lastMs) throw new Error(`${what}: not within ${patienceMs / 1_000} s`);
    await pause(200);
  }
}

const web = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: place.name, namespace: place.namespace },
  spec: { ...collector.spec, replicas: podCount, progressDeadlineSeconds: patienceMs / 1_000 },
} as const;

const stopCollecting = collectAsUp();
const cluster = await createCluster({ backend: await openLmdbBackend({ path: folder }), nodes: nodeCount });
try {
  await until(async () => {
    const { items } = await cluster.client.list(nodes, { signal });
    return items.every(({ status }) =>
      status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    );
  }, 'all nodes are ready');
  const fleetMb = residentMb(process.pid);
  const startMs = performance.now();
  const before = process.cpuUsage();
  await cluster.apply([web]);
  await until(async () => {
    const { status } = await cluster.client.get(deployments, place);
    return status.readyReplicas === podCount;
  }, 'all pods are ready');
  const seconds = (performance.now() - startMs) / 1_000;
  const { user, system } = process.cpuUsage(before);
  await pause(1_000 * restSeconds);
  const figures = {
    'ready s': seconds,
    'ready CPU s': (user + system) / 1e6,
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
