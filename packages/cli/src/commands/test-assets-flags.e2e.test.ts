/** Flags that envtest itself does not give, but suites do: `testEnv.ControlPlane.GetAPIServer().Configure().Set(…)`. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadServingPki } from '@signalbox/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, type AssetsWorld, createAssetsWorld } from '../testing/assets-world.ts';

let world: AssetsWorld;
beforeAll(async () => {
  world = await createAssetsWorld();
});
afterAll(() => world.close());

async function withApi(argv: readonly string[], work: (api: Api) => Promise<void>): Promise<void> {
  const api = await world.startApi({ argv });
  try {
    await work(api);
  } finally {
    api.stop();
    await api.exited;
  }
}

async function written(name: string, text: string | Buffer): Promise<string> {
  const path = join(world.folder, name);
  await writeFile(path, text);
  return path;
}

const pem = (key: KeyObject): string =>
  String(key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' }));

const rsa = (): ReturnType<typeof generateKeyPairSync> => generateKeyPairSync('rsa', { modulusLength: 2048 });

interface Token {
  readonly header: { readonly alg: string; readonly kid: string };
  readonly claims: object;
  readonly text: string;
}

/** A token of the account `robot`, which is made at the first time. */
async function robotToken({ port }: Api): Promise<Token> {
  const at = '/api/v1/namespaces/default/serviceaccounts';
  const asAdmin = (path: string, body: object): ReturnType<AssetsWorld['ask']> =>
    world.ask({ port, path, who: world.pki.admin, body });
  await asAdmin(at, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } });
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { text } = await asAdmin(`${at}/robot/token`, request);
  const { token } = (JSON.parse(text) as { readonly status: { readonly token: string } }).status;
  const [header, claims] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  return {
    header: JSON.parse(header ?? '') as Token['header'],
    claims: JSON.parse(claims ?? '') as object,
    text: token,
  };
}

async function whoIs(token: string, { port }: Api): Promise<string> {
  const { code, text } = await world.ask({ port, path: '/api/v1/pods', headers: { authorization: `Bearer ${token}` } });
  return `${code} ${/User \\"([^"\\]+)/.exec(text)?.[1] ?? ''}`.trim();
}

const robot = '403 system:serviceaccount:default:robot';

test.each([
  ['PKCS #8', 'pkcs8'],
  ['PKCS #1', 'pkcs1'],
] as const)('an RSA key signs tokens: %s', async (_what, type) => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const path = await written(`rsa-${type}.key`, privateKey.export({ type, format: 'pem' }));
  await withApi([`--service-account-signing-key-file=${path}`, `--service-account-key-file=${path}`], async (api) => {
    const token = await robotToken(api);
    expect(token.header.alg).toBe('RS256');
    expect(await whoIs(token.text, api)).toBe(robot);
    const { text } = await world.ask({ port: api.port, path: '/openid/v1/jwks', who: world.pki.admin });
    expect(JSON.parse(text)).toMatchObject({ keys: [{ kty: 'RSA', alg: 'RS256', kid: token.header.kid }] });
  });
});

test('tokens are checked by every key that is named, in files of one or of several, and by no other', async () => {
  const [signing, old, older, strange] = [rsa(), rsa(), rsa(), rsa()] as {
    privateKey: KeyObject;
    publicKey: KeyObject;
  }[];
  if (!signing || !old || !older || !strange) throw new Error('there are four');
  const path = await written('signing.key', pem(signing.privateKey));
  const both = await written('old.pub', `${pem(old.publicKey)}${pem(older.publicKey)}`);
  const own = await written('signing.pub', pem(signing.publicKey));
  const argv = [path].map((each) => `--service-account-signing-key-file=${each}`);
  await withApi([...argv, `--service-account-key-file=${own}`, `--service-account-key-file=${both}`], async (api) => {
    const token = await robotToken(api);
    const { text } = await world.ask({ port: api.port, path: '/openid/v1/jwks', who: world.pki.admin });
    const { keys } = JSON.parse(text) as { readonly keys: readonly { readonly kid: string; readonly n: string }[] };
    expect(keys).toHaveLength(3);
    const signedBy = ({ privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject }): string => {
      const { n } = publicKey.export({ format: 'jwk' });
      const kid = keys.find((key) => key.n === n)?.kid ?? token.header.kid;
      const head = [{ ...token.header, kid }, token.claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.');
      return `${head}.${sign('sha256', Buffer.from(head), privateKey).toString('base64url')}`;
    };
    expect(await Promise.all([signing, old, older, strange].map((key) => whoIs(signedBy(key), api)))).toEqual([
      ...[robot, robot, robot],
      '401',
    ]);
  });
});

test('a proxy in front says who asks, and nobody else does', async () => {
  const other = (await loadServingPki({})).current();
  const ca = await written('front-proxy-ca.crt', other.ca);
  const flags = [
    ...[`--requestheader-client-ca-file=${ca}`, '--requestheader-allowed-names=front-proxy-client,another'],
    ...['--requestheader-username-headers=X-Remote-User', '--requestheader-group-headers=X-Remote-Group'],
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
  ];
  const headers = { 'x-remote-user': 'jane', 'x-remote-group': 'team', 'x-remote-extra-scope': 'read' };
  await withApi(flags, async ({ port }) => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const who = async (asking: Partial<Parameters<AssetsWorld['ask']>[0]>): Promise<unknown> => {
      const { code, text } = await world.ask({ port, path, body, headers, ...asking });
      const { status } = JSON.parse(text) as { readonly status: { readonly userInfo: object } | 'Failure' };
      return status === 'Failure' ? code : status.userInfo;
    };
    expect(await who({ who: other.proxyClient })).toEqual({
      username: 'jane',
      groups: ['team', 'system:authenticated'],
      extra: { scope: ['read'] },
    });
    expect(await who({ who: other.proxyClient, headers: {} })).toBe(401);
    // A name that may not, an authority that signs clients alone, nobody.
    expect(await who({ who: other.admin })).toBe(401);
    expect(await who({ who: world.pki.further['viewer'] ?? world.pki.admin })).toMatchObject({ username: 'viewer' });
    expect(await who({ who: world.pki.proxyClient })).toMatchObject({ username: 'front-proxy-client' });
    expect(await who({})).toBe(401);
    // Whoever is named by it may do what they may, also in the name of others.
    expect(await who({ who: other.proxyClient, headers: { ...headers, 'impersonate-user': 'root' } })).toBe(403);
    const trust = await world.ask({
      ...{ port, who: world.pki.admin },
      path: '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
    });
    expect((JSON.parse(trust.text) as { readonly data: object }).data).toEqual({
      'client-ca-file': world.pki.ca,
      'requestheader-allowed-names': '["front-proxy-client","another"]',
      'requestheader-client-ca-file': other.ca,
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-username-headers': '["X-Remote-User"]',
    });
  });
});

test('events may be limited', async () => {
  const limits =
    '{ apiVersion: eventratelimit.admission.k8s.io/v1alpha1, kind: Configuration, limits: [{ type: User, qps: 1, burst: 2 }] }';
  await written('limits.yaml', limits);
  const config = await written(
    'admission.yaml',
    '{ apiVersion: apiserver.config.k8s.io/v1, kind: AdmissionConfiguration, plugins: [{ name: EventRateLimit, path: limits.yaml }] }',
  );
  const flags = ['--enable-admission-plugins=EventRateLimit', `--admission-control-config-file=${config}`];
  await withApi(flags, async ({ port }) => {
    const body = { metadata: { generateName: 'e' }, involvedObject: { namespace: 'default' } };
    const codes = [1, 2, 3].map(async () => {
      const path = '/api/v1/namespaces/default/events';
      return (await world.ask({ port, path, who: world.pki.admin, body })).code;
    });
    expect((await Promise.all(codes)).sort((a, b) => a - b)).toEqual([201, 201, 429]);
  });
});

test('static tokens stand for whom their file says', async () => {
  const path = await written('tokens.csv', 'secret-1,ann,1,"team,other"\nsecret-2,root,2,system:masters\n');
  await withApi([`--token-auth-file=${path}`], async (api) => {
    expect(await whoIs('secret-1', api)).toBe('403 ann');
    expect(await whoIs('secret-2', api)).toBe('200');
    expect(await whoIs('secret-3', api)).toBe('401');
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const { text } = await world.ask({
      ...{ port: api.port, path: '/apis/authentication.k8s.io/v1/selfsubjectreviews', body },
      headers: { authorization: 'Bearer secret-1' },
    });
    expect(JSON.parse(text)).toMatchObject({
      status: { userInfo: { username: 'ann', uid: '1', groups: ['team', 'other', 'system:authenticated'] } },
    });
  });
});

test('without anonymous users nobody gets anything who shows nothing', async () => {
  await withApi(['--anonymous-auth=false'], async (api) => {
    const codes = ['/healthz', '/readyz', '/version', '/api/v1/pods'].map(async (path) => {
      const { code } = await world.ask({ port: api.port, path });
      return code;
    });
    expect(await Promise.all(codes)).toEqual([401, 401, 401, 401]);
    const asAdmin = { port: api.port, path: '/healthz', who: world.pki.admin };
    expect(await world.ask(asAdmin)).toEqual({ code: 200, text: 'ok' });
  });
});

test.each([
  ['--token-auth-file=/nowhere', '--token-auth-file: ENOENT'],
  ['--client-ca-file=/dev/null', '--client-ca-file /dev/null: there is no certificate in it'],
  ['--requestheader-client-ca-file=/nowhere', '--requestheader-client-ca-file: ENOENT'],
  ['--enable-admission-plugins=Foo', 'enable-admission-plugins plugin "Foo" is unknown'],
  ['--enable-admission-plugins=EventRateLimit', 'limits: Invalid value: null: must not be empty'],
  ['--service-account-signing-key-file=/nowhere', '--service-account-signing-key-file: ENOENT'],
  ['--max-requests-inflight=-1', '--max-requests-inflight can not be negative value'],
])('%s ends it with its reason', async (flag, why) => {
  await expect(world.startApi({ argv: [flag] })).rejects.toThrow(why);
});
