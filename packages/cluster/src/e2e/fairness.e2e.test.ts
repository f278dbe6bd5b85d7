/** Some users ask for more than there is room for, and slowly; another one hardly notices. */
import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HookServer, startHookServer } from '../testing/hook-server.ts';
import { type ServedCluster, startServedCluster, until } from './served-cluster.ts';

const flooders = ['greedy', 'hasty', 'rude'];
/** Of each of them; together more than there is room for in the whole server. */
const floodOfEach = 300;
/** So long does each request of the flood take once it runs: its webhook thinks. */
const thinksMs = 1_000;
const patienceMs = 5_000;

let served: ServedCluster;
let hook: HookServer;
let sessions: readonly ClientHttp2Session[];

const webhook = () => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'thinks' },
  webhooks: [
    {
      name: 'thinks.example.com',
      ...{ admissionReviewVersions: ['v1'], sideEffects: 'None', failurePolicy: 'Fail' },
      clientConfig: { url: `https://127.0.0.1:${hook.port}/`, caBundle: hook.caBundle },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      namespaceSelector: { matchLabels: { slow: 'yes' } },
    },
  ],
});

beforeAll(async () => {
  hook = await startHookServer({
    names: ['127.0.0.1'],
    async reply({ body }) {
      const { request, ...review } = JSON.parse(body) as { readonly request: { readonly uid: string } };
      await new Promise((resolve) => setTimeout(resolve, thinksMs));
      return { text: JSON.stringify({ ...review, response: { uid: request.uid, allowed: true } }) };
    },
  });
  const users = [...flooders, 'jane'];
  served = await startServedCluster({
    nodes: 0,
    tokens: users.map((name) => ({ token: `token-of-${name}`, user: { name, groups: [] } })),
  });
  const binding = {
    ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name: 'users' } },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
    subjects: users.map((name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name })),
  };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'slow', labels: { slow: 'yes' } } };
  await served.cluster.apply([webhook(), namespace, binding]);
  const { ca } = served.pki.current();
  sessions = Array.from({ length: 1 + flooders.length }, () => connect(served.url, { ca }));
});

afterAll(async () => {
  for (const session of sessions ?? []) session.destroy();
  await served?.close();
  await hook?.close();
});

interface Answered {
  readonly code: number;
  readonly retryAfter: string | undefined;
  readonly tookMs: number;
}

interface Creation {
  readonly user: string;
  readonly namespace: string;
  readonly name: string;
}

async function create(session: ClientHttp2Session, { user, namespace, name }: Creation): Promise<Answered> {
  const startedMs = performance.now();
  const stream = session.request({
    ':method': 'POST',
    ':path': `/api/v1/namespaces/${namespace}/configmaps`,
    authorization: `Bearer token-of-${user}`,
    'content-type': 'application/json',
  });
  stream.end(JSON.stringify({ metadata: { name } }));
  const [headers] = (await once(stream, 'response')) as [Record<string, string>];
  stream.resume();
  await once(stream, 'end');
  return {
    code: Number(headers[':status']),
    retryAfter: headers['retry-after'],
    tookMs: performance.now() - startedMs,
  };
}

test('whoever floods the server with slow requests is told to come again; somebody else is served meanwhile', async () => {
  const [own, ...others] = sessions;
  if (own === undefined) throw new Error('there is a session for the other user');
  let settled = 0;
  const flood = others.flatMap((over, index) =>
    Array.from({ length: floodOfEach }, async (_, each) => {
      const user = flooders[index] ?? '';
      const answered = await create(over, { user, namespace: 'slow', name: `${user}-${each}` });
      settled++;
      return answered;
    }),
  );
  // Those beyond what may wait are refused; everything is taken that they can take.
  await until(
    () => Promise.resolve(settled),
    (count) => count > 0,
  );
  const calm: Answered[] = [];
  for (let each = 0; each < 3; each++)
    calm.push(await create(own, { user: 'jane', namespace: 'default', name: `calm-${each}` }));
  const answers = await Promise.all(flood);
  expect(calm.map(({ code }) => code)).toEqual([201, 201, 201]);
  expect(Math.max(...calm.map(({ tookMs }) => tookMs))).toBeLessThan(patienceMs);
  expect(new Set(answers.map(({ code }) => code))).toEqual(new Set([201, 429]));
  // Longer where many are refused for longer, as on a busy machine.
  const isTold = (seconds: string | undefined): boolean => /^(?:[1-9]|[12]\d|3[0-2])$/.test(seconds ?? '');
  expect(answers.filter(({ code, retryAfter }) => code === 429 && !isTold(retryAfter))).toEqual([]);
});
