/** Who owns what, and what an apply comes to: the same requests to upstream's API server and to ours, step by step. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCluster, loadServingPki, serveCluster, sleep, systemClock } from '@signalbox/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startHookServer } from '../../packages/cluster/src/testing/hook-server.ts';
import { type Story, stories } from './compare/apply-stories.ts';
import { conversionReply, conversionStory } from './compare/conversion-story.ts';
import { schemaStories } from './compare/schema-stories.ts';
import { startControlPlane } from './plane/control-plane.ts';
import { findPrograms } from './plane/programs.ts';
import { createRequests, type Requests } from './plane/requests.ts';

const { programs, missing = '' } = findPrograms(process.env);

interface Side {
  readonly requests: Requests;
  close(): Promise<void>;
}

async function ours(folder: string): Promise<Side> {
  const pki = await loadServingPki({ folder });
  const cluster = await createCluster({ nodes: 0, certificateAuthority: pki });
  const serving = await serveCluster(cluster, { pki, port: 0, kubeconfig: join(folder, 'kubeconfig') });
  const { ca, admin } = pki.current();
  const requests = createRequests({ server: serving.url, ca, client: admin });
  return {
    requests,
    async close() {
      requests.close();
      await serving.close();
      await cluster.close();
    },
  };
}

async function theirs(folder: string): Promise<Side> {
  if (programs === undefined) throw new Error(missing);
  const plane = await startControlPlane({ programs, folder, parts: [] });
  // Its controllers would make it; without them pods are refused.
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await plane.requests.ask({
    ...{ method: 'POST', path: '/api/v1/namespaces/default/serviceaccounts', body: JSON.stringify(account) },
    headers: { 'content-type': 'application/json' },
  });
  return plane;
}

let folder: string;
const sides: Side[] = [];

beforeAll(async () => {
  if (programs === undefined) return;
  folder = mkdtempSync(join(tmpdir(), 'signalbox-apply-'));
  sides.push(await theirs(join(folder, 'theirs')), await ours(join(folder, 'ours')));
});

afterAll(async () => {
  for (const side of sides) await side.close();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** What each step was answered with, and who owns what then; without what no two servers have alike. */
async function toldBy({ requests }: Side, { steps }: Story): Promise<readonly unknown[]> {
  const told: unknown[] = [];
  for (const step of steps) {
    const { code, text } = await answered(requests, {
      method: step.method,
      path: step.path,
      headers: { 'content-type': step.type ?? 'application/json', 'user-agent': `${step.agent ?? 'test'}/1` },
      body: typeof step.body === 'string' ? step.body : JSON.stringify(step.body),
    });
    told.push(shown(code, JSON.parse(text) as Answer, step));
    if (step.pauseMs !== undefined) await sleep(systemClock, step.pauseMs, { signal: AbortSignal.timeout(60_000) });
  }
  return told;
}

/** A kind that was just defined is served a little later; of its group not even the path is known before. */
const notYet = ['the server could not find the requested resource', '404 page not found'];

async function answered(
  requests: Requests,
  request: Parameters<Requests['ask']>[0],
): Promise<{ code: number; text: string }> {
  for (let attempt = 1; ; attempt++) {
    const said = await requests.ask(request);
    if (attempt === 40 || !notYet.some((words) => said.text.includes(words))) return said;
    await sleep(systemClock, 250, { signal: AbortSignal.timeout(60_000) });
  }
}

interface Answer {
  readonly kind: string;
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes?: readonly unknown[] };
  readonly metadata: { readonly managedFields?: readonly Readonly<Record<string, unknown>>[] };
  readonly spec?: unknown;
  readonly data?: unknown;
}

function shown(code: number, answer: Answer, { what, isSetting }: Story['steps'][number]): unknown {
  if (isSetting === true) return { what, code };
  if (answer.kind === 'Status') {
    const { message, reason, details } = answer;
    // Upstream's are in no order.
    return { what, code, message, reason, causes: sorted(details?.causes ?? []) };
  }
  // Nobody controls anything there; and a step may fall into another second.
  const owners = (answer.metadata.managedFields ?? [])
    .filter(({ manager }) => manager !== 'kube-controller-manager')
    .map(({ time: _time, ...owner }) => owner);
  const { data, spec } = answer;
  return { what, code, owners: sorted(owners), data, spec: what.includes('shown') ? spec : undefined };
}

/** By what tells them apart; keys come in any order. */
function sorted(all: readonly unknown[]): readonly unknown[] {
  const text = (value: unknown): string =>
    JSON.stringify(value, ['manager', 'operation', 'apiVersion', 'subresource', 'field', 'message']);
  return [...all].sort((a, b) => (text(a) < text(b) ? -1 : 1));
}

describe.skipIf(programs === undefined)('as upstream', () => {
  test.each([...stories, ...schemaStories])('$name', async (story) => {
    const [upstream, here] = await Promise.all(sides.map((side) => toldBy(side, story)));
    expect(here).toEqual(upstream);
  });

  test('behind a webhook that converts', async () => {
    const hook = await startHookServer({
      names: ['127.0.0.1'],
      reply: ({ body }) => ({ text: conversionReply(body) }),
    });
    const story = conversionStory({ url: `https://127.0.0.1:${hook.port}/`, caBundle: hook.caBundle });
    const [upstream, here] = await Promise.all(sides.map((side) => toldBy(side, story)));
    await hook.close();
    expect(here).toEqual(upstream);
  });
});
