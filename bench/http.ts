/**
 * Requests over HTTPS from another process, on connections that are kept: what one takes beside a constant that the same server
 * answers with, which is the floor; a list of many pods; and when each of many watchers sees one write.
 */
import type { Pool } from 'undici';
import type { Figures } from './figures.ts';
import { apiOnly, pause, withCluster } from './outside.ts';
import { cpuMs } from './process-figures.ts';
import { askWell, create, poolOf, untilReady } from './requests.ts';

const connections = 64;
const gets = 20_000;
const podCount = 10_000;
const watcherCount = 1_000;
const writes = 20;
const podsPath = '/api/v1/namespaces/default/pods';
const seenPath = '/api/v1/namespaces/default/configmaps';

export function measureHttp(): Promise<Figures> {
  return withCluster({ args: apiOnly }, async (outside) => {
    await untilReady(outside);
    const pool = await poolOf(outside, connections);
    const watches = await poolOf(outside, null);
    try {
      return await measure({ pool, watches, pid: outside.pid });
    } finally {
      await Promise.all([pool.destroy(), watches.destroy()]);
    }
  });
}

interface Served {
  readonly pool: Pool;
  readonly watches: Pool;
  readonly pid: number;
}

/**
 * The first creates meet a server that has just started, and pay for what the engine makes of its way; those that follow, in a
 * namespace of their own, show what a create takes. CPU is the whole process's, its threads included: it hardly minds a busy machine.
 */
async function measure({ pool, watches, pid }: Served): Promise<Figures> {
  const get = (path: string) => (): Promise<unknown> => askWell(pool, { method: 'GET', path });
  const inTurn = (count: number, request: (index: number) => Promise<unknown>): Promise<Pace> =>
    paced(pid, { count, request });
  const first = await inTurn(podCount, (index) => create(pool, podsPath, pod(index)));
  await create(pool, '/api/v1/namespaces', { metadata: { name: 'warm' } });
  const warm = await inTurn(podCount, (index) => create(pool, podsPath.replace('default', 'warm'), pod(index)));
  await inTurn(gets / 4, get('/version'));
  const floor = await inTurn(gets, get('/version'));
  await inTurn(gets / 4, get(`${podsPath}/pod-1`));
  const read = await inTurn(gets, get(`${podsPath}/pod-1`));
  const lists: number[] = [];
  for (let round = 0; round < 5; round++) lists.push(await listMs(pool));
  return {
    'create/s': first.perSecond,
    'create CPU us': first.cpuUs,
    'warm create/s': warm.perSecond,
    'warm create CPU us': warm.cpuUs,
    'GET/s': read.perSecond,
    'GET CPU us': read.cpuUs,
    'constant/s': floor.perSecond,
    'constant CPU us': floor.cpuUs,
    'first list ms': lists[0] ?? Number.NaN,
    'list ms': Math.min(...lists.slice(1)),
    'seen by 1000 p99 ms': await seenMs(pool, watches),
  };
}

interface Pace {
  readonly perSecond: number;
  /** Of the server, for each request. */
  readonly cpuUs: number;
}

interface Requests {
  readonly count: number;
  request(index: number): Promise<unknown>;
}

async function paced(pid: number, { count, request }: Requests): Promise<Pace> {
  const beforeMs = cpuMs(pid);
  const rate = await perSecond(count, request);
  return { perSecond: rate, cpuUs: ((cpuMs(pid) - beforeMs) * 1_000) / count };
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

function pod(index: number): object {
  const resources = { requests: { cpu: '10m', memory: '16Mi' } };
  return {
    metadata: { name: `pod-${index}`, labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image: 'example.com/main:1', resources, ports: [{ containerPort: 80 }] }] },
  };
}

async function listMs(pool: Pool): Promise<number> {
  const startMs = performance.now();
  const { bytes } = await askWell(pool, { method: 'GET', path: podsPath });
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
