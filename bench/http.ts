/**
 * Requests over HTTPS from another process, on connections that are kept: what one takes beside a constant that the same server
 * answers with, which is the floor; a list of many pods; and when each of many watchers sees one write.
 */
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { loadKubeconfig, systemClock } from '@signalbox/cluster';
import { Pool } from 'undici';
import type { Figures } from './figures.ts';
import { type Outside, pause, until, withCluster } from './outside.ts';

const connections = 64;
const gets = 20_000;
const podCount = 10_000;
const watcherCount = 1_000;
const writes = 20;
const podsPath = '/api/v1/namespaces/default/pods';
const seenPath = '/api/v1/namespaces/default/configmaps';

export function measureHttp(): Promise<Figures> {
  return withCluster(['--nodes', '0', '--no-operator', '--without', 'scheduler,controllers'], async (outside) => {
    await until(() => outside.kubectl('get', 'serviceaccount', 'default') !== undefined || isThere(outside));
    const pool = await poolOf(outside, connections);
    const watches = await poolOf(outside, null);
    try {
      return await measure(pool, watches);
    } finally {
      await Promise.all([pool.destroy(), watches.destroy()]);
    }
  });
}

/** Without controllers nobody makes the account. */
function isThere({ kubectl }: Outside): boolean {
  return kubectl('create', 'serviceaccount', 'default') !== undefined;
}

async function poolOf({ folder }: Outside, most: number | null): Promise<Pool> {
  const { connection } = await loadKubeconfig({ path: join(folder, 'kubeconfig'), env: {}, clock: systemClock });
  const { certificate } = await connection.credentials.get({ refused: false, signal: new AbortController().signal });
  const { ca } = connection.tls;
  const secureContext = createSecureContext({ ...(ca !== undefined && { ca }), ...certificate });
  return new Pool(connection.server, { connections: most, connect: { secureContext }, bodyTimeout: 0 });
}

async function measure(pool: Pool, watches: Pool): Promise<Figures> {
  const get = (path: string) => (): Promise<number> => answered(pool, { method: 'GET', path });
  const createsPerSecond = await perSecond(podCount, (index) => create(pool, podsPath, pod(index)));
  await perSecond(gets / 4, get('/version'));
  const floorPerSecond = await perSecond(gets, get('/version'));
  await perSecond(gets / 4, get(`${podsPath}/pod-1`));
  const getsPerSecond = await perSecond(gets, get(`${podsPath}/pod-1`));
  const lists: number[] = [];
  for (let round = 0; round < 5; round++) lists.push(await listMs(pool));
  return {
    'create/s': createsPerSecond,
    'GET/s': getsPerSecond,
    'constant/s': floorPerSecond,
    'first list ms': lists[0] ?? Number.NaN,
    'list ms': Math.min(...lists.slice(1)),
    'seen by 1000 p99 ms': await seenMs(pool, watches),
  };
}

async function perSecond(count: number, request: (index: number) => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await request(next++);
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return (count * 1_000) / (performance.now() - startMs);
}

interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

/** How many bytes came back. */
async function answered(pool: Pool, request: Request): Promise<number> {
  const { statusCode, body } = await pool.request({ ...request, headers: { 'content-type': 'application/json' } });
  const { byteLength } = await body.arrayBuffer();
  if (statusCode >= 300) throw new Error(`${request.method} ${request.path}: ${statusCode}`);
  return byteLength;
}

function create(pool: Pool, path: string, object: object): Promise<number> {
  return answered(pool, { method: 'POST', path, body: JSON.stringify(object) });
}

function pod(index: number): object {
  const resources = { requests: { cpu: '10m', memory: '16Mi' } };
  return {
    metadata: { name: `pod-${index}`, labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image: 'example.com/main:1', resources, ports: [{ containerPort: 80 }] }] },
  };
}

async function listMs(pool: Pool): Promise<number> {
  const startMs = performance.now();
  const bytes = await answered(pool, { method: 'GET', path: podsPath });
  if (bytes < podCount * 500) throw new Error(`a list of ${podCount} pods has ${bytes} bytes`);
  return performance.now() - startMs;
}

/** From the request of a write until a watcher has it: the 99th percentile of all watchers and some writes. */
async function seenMs(pool: Pool, watches: Pool): Promise<number> {
  const sentMs = new Map<string, number>();
  const delaysMs: number[] = [];
  const watching = await Promise.all(
    Array.from({ length: watcherCount }, async () => {
      const { body } = await watches.request({ method: 'GET', path: `${seenPath}?watch=true` });
      body.on('error', () => undefined);
      body.on('data', (chunk: Buffer) => {
        for (const [, name = ''] of chunk.toString().matchAll(/"name":"(seen-\d+)"/g))
          delaysMs.push(performance.now() - (sentMs.get(name) ?? Number.NaN));
      });
      return body;
    }),
  );
  for (let write = 0; write < writes; write++) {
    const name = `seen-${write}`;
    sentMs.set(name, performance.now());
    await create(pool, seenPath, { metadata: { name } });
    for (let round = 0; round < 1_000 && delaysMs.length < (write + 1) * watcherCount; round++) await pause(5);
    if (delaysMs.length < (write + 1) * watcherCount)
      throw new Error(`of ${watcherCount} watchers some did not see ${name}: ${delaysMs.length} in all`);
  }
  for (const body of watching) body.destroy();
  return delaysMs.sort((a, b) => a - b)[Math.floor(delaysMs.length * 0.99)] ?? Number.NaN;
}
