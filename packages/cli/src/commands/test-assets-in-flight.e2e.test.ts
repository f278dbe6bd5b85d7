/** How many requests run at once on an API server that was really started: as its flags say. */
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Api, type Asked, type AssetsWorld, createAssetsWorld } from '../testing/assets-world.ts';

let world: AssetsWorld;
let hook: Server;
/** What the webhook was asked and has not answered: a write that waits there runs. */
let held: (() => void)[];
let port: number;

beforeEach(async () => {
  world = await createAssetsWorld();
  held = [];
  hook = createServer({ cert: world.pki.server.cert, key: world.pki.server.key }, (request, response) => {
    let text = '';
    request.on('data', (piece) => {
      text += String(piece);
    });
    request.on('end', () => {
      const {
        apiVersion,
        kind,
        request: asked,
      } = JSON.parse(text) as { apiVersion: string; kind: string; request: { uid: string } };
      const answer = JSON.stringify({ apiVersion, kind, response: { uid: asked.uid, allowed: true } });
      held.push(() => response.setHeader('content-type', 'application/json').end(answer));
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  ({ port } = hook.address() as AddressInfo);
});

afterEach(async () => {
  for (const release of held) release();
  hook.closeAllConnections();
  hook.close();
  await world.close();
});

/** `ann` may do everything, and is no member of `system:masters`. */
async function withApi(argv: readonly string[], work: (api: Api) => Promise<void>): Promise<void> {
  const tokens = join(world.folder, 'tokens.csv');
  await writeFile(tokens, 'secret,ann,1,"team"\n');
  const api = await world.startApi({ argv: [`--token-auth-file=${tokens}`, ...argv] });
  const asAdmin = (path: string, body: object): Promise<Asked> =>
    world.ask({ port: api.port, path, who: world.pki.admin, body });
  try {
    await asAdmin('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'ann' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }],
    });
    await asAdmin('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
      metadata: { name: 'slow' },
      webhooks: [
        {
          ...{ name: 'slow.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 30 },
          clientConfig: {
            url: `https://127.0.0.1:${port}/`,
            caBundle: Buffer.from(world.pki.ca).toString('base64'),
          },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        },
      ],
    });
    await work(api);
  } finally {
    api.stop();
    await api.exited;
  }
}

const configmaps = '/api/v1/namespaces/default/configmaps';
const annsToken = { authorization: 'Bearer secret' };

function makes(api: Api, name: string, who?: 'admin'): Promise<Asked> {
  return world.ask({
    ...{ port: api.port, path: configmaps, body: { metadata: { name } } },
    ...(who === 'admin' ? { who: world.pki.admin } : { headers: annsToken }),
  });
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}

function release(): void {
  for (const each of held.splice(0)) each();
}

test('without fairness: what comes beyond the number of writes is refused, but for masters; reads have a number of their own', async () => {
  const argv = [
    '--enable-priority-and-fairness=false',
    '--max-mutating-requests-inflight=1',
    '--max-requests-inflight=7',
  ];
  await withApi(argv, async (api) => {
    const first = makes(api, 'a');
    await until(() => held.length === 1);
    const refused = await makes(api, 'b');
    expect([refused.code, refused.text]).toEqual([429, expect.stringContaining('Too many requests, please try again')]);
    expect((await world.ask({ port: api.port, path: configmaps, headers: annsToken })).code).toBe(200);
    const masters = makes(api, 'c', 'admin');
    await until(() => held.length === 2);
    release();
    expect((await Promise.all([first, masters])).map(({ code }) => code)).toEqual([201, 201]);
    const second = makes(api, 'b');
    await until(() => held.length === 1);
    release();
    expect((await second).code).toBe(201);
    const dump = '/debug/api_priority_and_fairness/dump_priority_levels';
    expect((await world.ask({ port: api.port, path: dump, who: world.pki.admin })).code).toBe(404);
    expect(api.said()).not.toContain('changes nothing');
  });
});

test.each([
  [3, 2, 3],
  [60, 40, 20],
])(
  'with fairness: the sum of %d and %d is shared out: of 20 requests %d run, and the others wait',
  async (reads, writes, runs) => {
    const argv = [`--max-requests-inflight=${reads}`, `--max-mutating-requests-inflight=${writes}`];
    await withApi(argv, async (api) => {
      const waiting = async (): Promise<number> => {
        const path = '/debug/api_priority_and_fairness/dump_priority_levels';
        const { text } = await world.ask({ port: api.port, path, who: world.pki.admin });
        const level = text.split('\n').find((line) => line.startsWith('global-default,'));
        return Number(level?.split(',')[4]);
      };
      const codes: number[] = [];
      for (let index = 0; index < 20; index++) void makes(api, `m${index}`).then(({ code }) => codes.push(code));
      await until(async () => held.length === runs && (await waiting()) === 20 - runs);
      await until(() => {
        release();
        return codes.length === 20;
      });
      expect(new Set(codes)).toEqual(new Set([201]));
    });
  },
);
