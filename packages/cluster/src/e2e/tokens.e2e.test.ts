/** Tokens of service accounts as their users meet them: made by kubectl, shown to the HTTPS door. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kubectlMinor, type ServedCluster, startServedCluster, until, withoutKubectl } from './served-cluster.ts';

const without = withoutKubectl();
const minor = kubectlMinor ?? 0;
let served: ServedCluster;

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const mayRead = { rules: [{ apiGroups: [''], resources: ['pods', 'serviceaccounts'], verbs: ['get', 'list'] }] };
const robotMayRead = {
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'robot' },
  subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'default' }],
};

beforeAll(async () => {
  served = await startServedCluster({ nodes: 1 });
  const make = async (path: string, body: object): Promise<void> => {
    const { code } = await served.ask(path, { method: 'POST', body: { metadata: { name: 'robot' }, ...body } });
    expect(code).toBe(201);
  };
  await make('/api/v1/namespaces/default/serviceaccounts', {});
  await make(`${rbac}/clusterroles`, mayRead);
  await make(`${rbac}/clusterrolebindings`, robotMayRead);
});

afterAll(async () => {
  const problems = served?.problems ?? [];
  await served?.close();
  expect(problems).toEqual([]);
});

const tokenPath = '/api/v1/namespaces/default/serviceaccounts/robot/token';
const bearer = (token: string): { readonly anonymous: true; readonly headers: { readonly authorization: string } } => ({
  anonymous: true,
  headers: { authorization: `Bearer ${token}` },
});

async function issued(spec: object = {}): Promise<string> {
  const { code, body } = await served.ask(tokenPath, { method: 'POST', body: { spec } });
  expect(code).toBe(201);
  const { status } = body as { readonly status: { readonly token: string } };
  return status.token;
}

describe('over HTTP', () => {
  test('a review knows the administrator’s token, too', async () => {
    const { token } = served.pki.current();
    const path = '/apis/authentication.k8s.io/v1/tokenreviews';
    const reviewed = await served.ask(path, { method: 'POST', body: { spec: { token } } });
    expect(reviewed.body?.['status']).toMatchObject({ authenticated: true, user: { username: 'admin' } });
    const { body } = await served.ask('/api/v1/namespaces', bearer(token));
    expect(body).toMatchObject({ kind: 'NamespaceList' });
  });

  test('a token says who asks', async () => {
    const { code, body } = await served.ask('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      ...bearer(await issued()),
      method: 'POST',
      body: {},
    });
    expect(code).toBe(201);
    expect(body?.['status']).toEqual({
      userInfo: {
        username: 'system:serviceaccount:default:robot',
        uid: expect.any(String),
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)] },
      },
    });
  });

  test.each<[string, (token: string) => string]>([
    ['changed', (token) => `${token.slice(0, -2)}AA`],
    ['without its signature', (token) => token.replace(/[^.]*$/, '')],
    ['of nonsense', () => 'a.b.c'],
  ])('a token %s is a 401 that says nothing', async (_, change) => {
    const { code, text } = await served.ask('/api', bearer(change(await issued())));
    expect(code).toBe(401);
    expect(JSON.parse(text)).toMatchObject({ message: 'Unauthorized', reason: 'Unauthorized' });
  });

  test('a token for somebody else is a 401', async () => {
    expect((await served.ask('/api', bearer(await issued({ audiences: ['vault'] })))).code).toBe(401);
  });

  test('who checks tokens themselves finds the keys', async () => {
    const { body, headers } = await served.ask('/.well-known/openid-configuration', bearer(await issued()));
    expect(headers['content-type']).toBe('application/json');
    expect(body).toEqual({
      issuer: 'https://kubernetes.default.svc.cluster.local',
      jwks_uri: `${served.url}/openid/v1/jwks`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    });
    const keys = await served.ask('/openid/v1/jwks');
    expect(keys.headers['content-type']).toBe('application/jwk-set+json');
    expect(keys.text).not.toContain('"d"');
    const [head = ''] = (await issued()).split('.');
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { readonly kid: string };
    expect(keys.body).toEqual({ keys: [expect.objectContaining({ kid, kty: 'EC', crv: 'P-256' })] });
    expect((await served.ask('/openid/v1/jwks', { anonymous: true })).code).toBe(401);
  });
});

describe.skipIf(without)('with kubectl', () => {
  /** Who is asked as by a token alone: no certificate of the kubeconfig gets in between. */
  const as = (token: string): string =>
    `--kubeconfig=/dev/null --server=${served.url} --insecure-skip-tls-verify --token=${token}`;

  test.skipIf(minor < 24)('create token, and use it', async () => {
    const { kubectl } = served;
    const token = await kubectl('create token robot --duration=10m');
    expect(await kubectl(`${as(token)} get sa robot -o name`)).toBe('serviceaccount/robot');
    expect(await kubectl(`${as(token)} auth whoami -o jsonpath={.status.userInfo.username}`)).toBe(
      'system:serviceaccount:default:robot',
    );
    const other = await kubectl('create token robot --audience=vault');
    expect(await kubectl.refused(`${as(other)} get sa`)).toContain('Unauthorized');
    expect(await kubectl.refused('create token robot --duration=1m')).toContain('less than 10 minutes');
    expect(await kubectl.refused('create token nobody')).toContain('serviceaccounts "nobody" not found');
  });

  test.skipIf(minor < 24)('create token for a pod, with which it ends', async () => {
    const { kubectl } = served;
    await kubectl(`run bound --image=x --overrides='{"spec":{"serviceAccountName":"robot"}}'`);
    const token = await kubectl('create token robot --bound-object-kind=Pod --bound-object-name=bound');
    expect(await kubectl(`${as(token)} get pod bound -o name`)).toBe('pod/bound');
    await kubectl('delete pod bound --grace-period=0 --force');
    expect(await kubectl.refused(`${as(token)} get pods`)).toContain('Unauthorized');
    expect(await kubectl.refused('create token robot --bound-object-kind=Pod --bound-object-name=bound')).toContain(
      'pods "bound" not found',
    );
  });

  test('a Secret of its own holds a token for good', async () => {
    const { kubectl } = served;
    const manifest = {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/service-account-token',
      metadata: { name: 'kept', annotations: { 'kubernetes.io/service-account.name': 'robot' } },
    };
    await kubectl('create -f -', { stdin: JSON.stringify(manifest) });
    const read = async (): Promise<string> => kubectl(`get secret kept -o jsonpath='{.data.token}'`);
    const token = Buffer.from(await until(read, (text) => text !== ''), 'base64').toString();
    expect(await kubectl(`${as(token)} get sa robot -o name`)).toBe('serviceaccount/robot');
    expect(await kubectl('describe secret kept')).toMatch(/ca\.crt: +\d+ bytes/);
    await kubectl('delete secret kept');
    expect(await kubectl.refused(`${as(token)} get sa`)).toMatch(/Unauthorized|logged in/);
  });
});
