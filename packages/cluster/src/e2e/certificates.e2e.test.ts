import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configmaps, namespaces } from '../api/generated/kinds.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { systemRandom } from '../base/random.ts';
import type { Client } from '../client/client.ts';
import { createClient } from '../client/create-client.ts';
import { createHttpTransport, type HttpTransport } from '../client/http/http-transport.ts';
import { loadKubeconfig } from '../client/http/kubeconfig.ts';
import { type Cluster, createCluster } from '../cluster.ts';
import { loadServingPki, type Serving, serveCluster } from '../serve.ts';

const dayMs = 86_400_000;
const { signal } = new AbortController();

/** The computer's clock, put back by some days; waits of an hour and more end when it is put right. */
function lateClock(days: number): Clock & { putRight(): void } {
  let offMs = -days * dayMs;
  const waiting = new Set<() => void>();
  return {
    ...systemClock,
    nowMs: () => systemClock.nowMs() + offMs,
    after(delayMs, work) {
      if (delayMs < 3_600_000) return systemClock.after(delayMs, work);
      waiting.add(work);
      return () => waiting.delete(work);
    },
    putRight() {
      offMs = 0;
      for (const work of waiting) work();
    },
  };
}

let folder: string;
let cluster: Cluster;
let serving: Serving;
let clock: ReturnType<typeof lateClock>;
const transports: HttpTransport[] = [];
const problems: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-certificates-'));
  clock = lateClock(350);
  const pki = await loadServingPki({ folder, host: '0.0.0.0', names: ['box.example.com'], clock });
  cluster = await createCluster({ nodes: 0, certificateAuthority: pki });
  serving = await serveCluster(cluster, {
    ...{ pki, host: '0.0.0.0', port: 0, clock, kubeconfig: join(folder, 'kubeconfig') },
    report: ({ message }) => problems.push(message),
  });
});

afterEach(async () => {
  for (const transport of transports.splice(0)) await transport.close();
  await serving.close();
  await cluster.close();
  await rm(folder, { recursive: true });
  expect(problems).toEqual([]);
});

async function clientFromKubeconfig(): Promise<Client> {
  const { connection } = await loadKubeconfig({ path: join(folder, 'kubeconfig'), env: {}, clock: systemClock });
  const transport = createHttpTransport({ connection, clock: systemClock, random: systemRandom() });
  transports.push(transport);
  return createClient(transport, { name: '', groups: [] });
}

function shownCertificate(): Promise<PeerCertificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: serving.port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate());
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

test('certificates are renewed while connections stand, and the kubeconfig follows', async () => {
  expect(serving.url).toBe(`https://127.0.0.1:${serving.port}`);
  const before = await clientFromKubeconfig();
  const text = await readFile(join(folder, 'kubeconfig'), 'utf8');
  const first = await shownCertificate();
  expect(first.subjectaltname).toContain('DNS:box.example.com');
  const ending = new AbortController();
  const { resourceVersion = '' } = (await before.list(configmaps, { signal })).metadata;
  const watch = before.watch(configmaps, { resourceVersion, signal: ending.signal })[Symbol.asyncIterator]();
  const next = watch.next();
  // It stands before anything is renewed.
  await before.get(namespaces, { name: 'default', signal });

  clock.putRight();
  await expect.poll(async () => (await shownCertificate()).fingerprint256).not.toBe(first.fingerprint256);
  await expect.poll(() => readFile(join(folder, 'kubeconfig'), 'utf8')).not.toBe(text);

  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } } as const;
  await (await clientFromKubeconfig()).create(configmaps, object, { signal });
  expect((await next).value).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
  // Who has the old kubeconfig goes on with it until its certificate ends.
  expect((await before.get(namespaces, { name: 'default', signal })).metadata.name).toBe('default');
  ending.abort();
});
