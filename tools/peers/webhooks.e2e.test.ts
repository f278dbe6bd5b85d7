/** What webhooks are asked, and what comes of their answers: the same requests to upstream's API server and to ours, step by step. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCluster, loadServingPki, serveCluster, sleep, systemClock } from '@signalbox/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HookServer, startHookServer } from '../../packages/cluster/src/testing/hook-server.ts';
import { type HookStep, hookSteps, replyOf } from './compare/hook-steps.ts';
import { startControlPlane } from './plane/control-plane.ts';
import { findPrograms } from './plane/programs.ts';
import { createRequests, type Requests } from './plane/requests.ts';

const { programs, missing = '' } = findPrograms(process.env);

interface Side {
  readonly requests: Requests;
  readonly hook: HookServer;
  /** What the webhook was asked since it was last looked at. */
  readonly asked: unknown[];
  close(): Promise<void>;
}

async function withHook(api: { readonly requests: Requests; close(): Promise<void> }): Promise<Side> {
  const asked: unknown[] = [];
  const hook = await startHookServer({
    names: ['localhost', '127.0.0.1'],
    reply({ path, body }) {
      asked.push({ path, review: JSON.parse(body) as unknown });
      return { text: replyOf(path, body) };
    },
  });
  return {
    ...{ requests: api.requests, hook, asked },
    async close() {
      await api.close();
      await hook.close();
    },
  };
}

/** Neither side has anybody who acts by themselves: what the webhook is asked comes of the steps alone. */
const nobody = () => ({
  name: 'nobody',
  run: ({ signal }: { readonly signal: AbortSignal }) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
});

async function ours(folder: string): Promise<Side> {
  const pki = await loadServingPki({ folder });
  const cluster = await createCluster({ nodes: 0, certificateAuthority: pki, around: () => nobody });
  const serving = await serveCluster(cluster, { pki, port: 0, kubeconfig: join(folder, 'kubeconfig') });
  const { ca, admin } = pki.current();
  const requests = createRequests({ server: serving.url, ca, client: admin });
  await giveAccount(requests);
  return withHook({
    requests,
    async close() {
      requests.close();
      await serving.close();
      await cluster.close();
    },
  });
}

async function giveAccount(requests: Requests): Promise<void> {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await requests.ask({
    ...{ method: 'POST', path: '/api/v1/namespaces/default/serviceaccounts', body: JSON.stringify(account) },
    headers: { 'content-type': 'application/json' },
  });
}

async function theirs(folder: string): Promise<Side> {
  if (programs === undefined) throw new Error(missing);
  const plane = await startControlPlane({ programs, folder, parts: [] });
  await giveAccount(plane.requests);
  return withHook(plane);
}

let folder: string;
const sides: Side[] = [];

beforeAll(async () => {
  if (programs === undefined) return;
  folder = mkdtempSync(join(tmpdir(), 'signalbox-hooks-'));
  sides.push(await theirs(join(folder, 'theirs')), await ours(join(folder, 'ours')));
});

afterAll(async () => {
  for (const side of sides) await side.close();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

async function play({ requests, hook, asked }: Side, step: HookStep): Promise<unknown> {
  asked.length = 0;
  const { method, path, type = 'application/json' } = step;
  const text =
    step.body === undefined ? undefined : JSON.stringify(step.body).replaceAll('HOOK', `localhost:${hook.port}`);
  const body = text?.replaceAll('BUNDLE', hook.caBundle);
  const answer = await requests.ask({
    ...{ method, path },
    headers: { 'content-type': type, ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }) },
    ...(body !== undefined && { body }),
  });
  // Upstream hears of a configuration a moment later.
  if (path.includes('webhookconfigurations')) await sleep(systemClock, 1_500, { signal: new AbortController().signal });
  const answered =
    step.shows === 'nothing'
      ? { code: answer.code }
      : { code: answer.code, object: JSON.parse(answer.text) as unknown };
  return plain({ answered, warning: answer.headers['warning'], asked: [...asked] }, hook.port);
}

const volatile: ReadonlySet<string> = new Set([
  ...['uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp', 'userInfo'],
]);
/** Who owns which field has stories of its own; upstream writes a time that it does not know as null. */
const leftOut: ReadonlySet<string> = new Set(['managedFields', 'lastProbeTime']);

/** Without what no two servers have alike: times, numbers, versions, names made by chance, who the administrator is. */
function plain(value: unknown, port: number): unknown {
  const text = JSON.stringify(value, (key, each: unknown) => {
    if (leftOut.has(key)) return undefined;
    return volatile.has(key) && each !== undefined ? '…' : each;
  });
  return JSON.parse(
    text
      .replaceAll(`localhost:${port}`, 'HOOK')
      .replaceAll(/made-[a-z0-9]{5}/g, 'made-…')
      .replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-…')
      .replaceAll(/(?<=uid=\\")[0-9a-f-]{36}/g, '…'),
  ) as unknown;
}

test.skipIf(programs === undefined).each(hookSteps)('$name', { timeout: 60_000 }, async (step) => {
  const [told, upstream] = await Promise.all([...sides].reverse().map((side) => play(side, step)));
  expect(told).toEqual(upstream);
});
