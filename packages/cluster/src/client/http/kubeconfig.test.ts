import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createVirtualClock } from '../../testing/virtual-clock.ts';
import type { ClientCredentials } from './connection.ts';
import { type LoadedKubeconfig, type LoadKubeconfigOptions, loadKubeconfig } from './kubeconfig.ts';

const pem = (what: string): string => `-----BEGIN ${what}-----\nAAAA\n-----END ${what}-----\n`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const clock = createVirtualClock();
const signal = new AbortController().signal;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

let files = 0;

interface Parts {
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: object;
  readonly rest?: object;
}

async function write(text: string, mode = 0o600): Promise<string> {
  const path = join(folder, `config-${files++}`);
  await writeFile(path, text, { mode });
  return path;
}

function config({ cluster, user, context, rest }: Parts): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'k', cluster: { server: 'https://host:6443', ...cluster } }],
    users: [{ name: 'u', user: user ?? {} }],
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u', ...context } }],
    ...rest,
  });
}

async function load(parts: Parts, options: Partial<LoadKubeconfigOptions> = {}): Promise<LoadedKubeconfig> {
  return loadKubeconfig({ path: await write(config(parts)), env: {}, clock, ...options });
}

async function credentialsOf(parts: Parts, options: Partial<LoadKubeconfigOptions> = {}): Promise<ClientCredentials> {
  return (await load(parts, options)).connection.credentials.get({ refused: false, signal });
}

test('server, authority, names and namespace', async () => {
  const loaded = await load({
    cluster: { 'certificate-authority-data': base64(pem('CERTIFICATE')), 'tls-server-name': 'other' },
    context: { namespace: 'ns' },
  });
  expect(loaded).toMatchObject({ context: 'c', namespace: 'ns', warnings: [] });
  expect(loaded.connection).toMatchObject({
    server: 'https://host:6443',
    tls: { ca: pem('CERTIFICATE'), serverName: 'other' },
  });
});

test('files are found beside the kubeconfig', async () => {
  await writeFile(join(folder, 'ca.pem'), pem('CERTIFICATE'));
  expect((await load({ cluster: { 'certificate-authority': 'ca.pem' } })).connection.tls.ca).toBe(pem('CERTIFICATE'));
});

test('verification can be switched off', async () => {
  const { tls } = (await load({ cluster: { 'insecure-skip-tls-verify': true } })).connection;
  expect(tls).toEqual({ insecureSkipVerify: true });
});

test.each<[string, object, ClientCredentials]>([
  ['a token', { token: 't' }, { authorization: 'Bearer t' }],
  ['a name and a password', { username: 'n', password: 'p' }, { authorization: `Basic ${base64('n:p')}` }],
  [
    'a certificate',
    { 'client-certificate-data': base64(pem('CERTIFICATE')), 'client-key-data': base64(pem('PRIVATE KEY')) },
    { certificate: { cert: pem('CERTIFICATE'), key: pem('PRIVATE KEY') } },
  ],
  ['nothing', {}, {}],
])('credentials: %s', async (_, user, expected) => expect(await credentialsOf({ user })).toEqual(expected));

test('a token file is read again when it may have changed', async () => {
  const path = join(folder, 'token');
  await writeFile(path, 'one\n');
  const { credentials } = (await load({ user: { tokenFile: path, token: 'ignored' } })).connection;
  expect(await credentials.get({ refused: false, signal })).toEqual({ authorization: 'Bearer one' });
  await writeFile(path, 'two\n');
  expect(await credentials.get({ refused: false, signal })).toEqual({ authorization: 'Bearer one' });
  expect(await credentials.get({ refused: true, signal })).toEqual({ authorization: 'Bearer two' });
  await writeFile(path, 'three\n');
  await clock.advance(61_000);
  expect(await credentials.get({ refused: false, signal })).toEqual({ authorization: 'Bearer three' });
});

test('several files are one, and the first of two entries counts', async () => {
  const first = await write(config({ user: { token: 'first' }, rest: { contexts: [] } }));
  const second = await write(config({ user: { token: 'second' }, context: { namespace: 'two' } }));
  const missing = join(folder, 'missing');
  const env = { KUBECONFIG: [missing, first, second].join(delimiter) };
  const loaded = await loadKubeconfig({ env, clock });
  expect(loaded.namespace).toBe('two');
  expect(await loaded.connection.credentials.get({ refused: false, signal })).toEqual({
    authorization: 'Bearer first',
  });
});

test('without a word, the file in the home folder counts', async () => {
  const home = join(folder, 'home');
  await mkdir(join(home, '.kube'), { recursive: true });
  await writeFile(join(home, '.kube', 'config'), config({ context: { namespace: 'home' } }), { mode: 0o600 });
  expect((await loadKubeconfig({ env: { HOME: home }, clock })).namespace).toBe('home');
});

test('another context can be chosen', async () => {
  const rest = {
    contexts: [
      { name: 'c', context: { cluster: 'k', user: 'u' } },
      { name: 'd', context: { cluster: 'k', namespace: 'other' } },
    ],
  };
  expect((await load({ rest }, { context: 'd' })).namespace).toBe('other');
});

test('a file that everybody may read is warned about', async () => {
  const path = await write(config({}));
  await chmod(path, 0o644);
  const { warnings } = await loadKubeconfig({ path, env: {}, clock });
  expect(warnings).toEqual([`kubeconfig ${path} can be read by everybody; chmod 600 it`]);
});

test.each<[string, Parts, Partial<LoadKubeconfigOptions>, RegExp]>([
  ['an unknown context', {}, { context: 'x' }, /no context "x"; there are: c$/],
  ['an unknown cluster', { context: { cluster: 'x' } }, {}, /no cluster "x"; there are: k$/],
  ['an unknown user', { context: { user: 'x' } }, {}, /no user "x"; there are: u$/],
  ['no current context', { rest: { 'current-context': '' } }, {}, /has no current-context; choose one with --context$/],
  ['no server', { cluster: { server: '' } }, {}, /cluster k has no valid server URL$/],
  ['a server that is no URL', { cluster: { server: 'host' } }, {}, /cluster k has no valid server URL$/],
  [
    'a password in the URL',
    { cluster: { server: 'https://ann:hunter2@h' } },
    {},
    /^kubeconfig \S+: the server URL of cluster k holds a user or a password; give them to the user as username and password$/,
  ],
  ['a proxy', { cluster: { 'proxy-url': 'http://p' } }, {}, /uses proxy-url, which is not supported/],
  ['a token in clear text', { cluster: { server: 'http://h' }, user: { token: 't' } }, {}, /is not encrypted/],
  [
    'broken base64',
    { cluster: { 'certificate-authority-data': '***' } },
    {},
    /certificate-authority-data of k is no base64 of a PEM$/,
  ],
  ['base64 of something else', { cluster: { 'certificate-authority-data': base64('x') } }, {}, /no base64 of a PEM$/],
  [
    'a file that is not there',
    { cluster: { 'certificate-authority': 'nope.pem' } },
    {},
    /certificate-authority of k cannot be read: .*nope\.pem: ENOENT$/,
  ],
  [
    'a certificate without key',
    { user: { 'client-certificate-data': base64(pem('CERTIFICATE')) } },
    {},
    /needs both client-certificate and client-key$/,
  ],
  ['an auth provider', { user: { 'auth-provider': { name: 'gcp' } } }, {}, /uses auth-provider/],
  ['impersonation', { user: { as: 'x' } }, {}, /uses as, which is not supported/],
  ['another kind', { rest: { kind: 'Pod' } }, {}, /is a "Pod", not a Config$/],
])('%s is one clear line', async (_, parts, options, expected) => {
  const error = await load(parts, options).then(
    () => undefined,
    (reason: unknown) => reason as Error,
  );
  expect(error?.message).toMatch(expected);
  expect(error?.message).not.toContain('\n');
});

test('a missing file, a broken file and no file at all', async () => {
  const missing = join(folder, 'nope');
  await expect(loadKubeconfig({ path: missing, env: {}, clock })).rejects.toThrow(
    `kubeconfig ${missing} does not exist`,
  );
  const broken = await write('a: [1\n');
  await expect(loadKubeconfig({ path: broken, env: {}, clock })).rejects.toThrow(
    new RegExp(`^kubeconfig ${broken}:\\d+:`),
  );
  await expect(loadKubeconfig({ path: folder, env: {}, clock })).rejects.toThrow(`kubeconfig ${folder} is a folder`);
  await expect(loadKubeconfig({ env: {}, clock })).rejects.toThrow('no kubeconfig found; name one with --kubeconfig');
});

test.each(['*hunter2', '!hunter2 x', '[*hunter2]', '"hunter2\\q"', 'hunter2: x', '"hunter2'])(
  'nothing of a token that cannot be read is told: %s',
  async (token) => {
    const path = await write(`users: [{ name: u, user: { token: ${token} } }]\n`);
    const error: unknown = await loadKubeconfig({ path, env: {}, clock }).catch((reason: unknown) => reason);
    expect(inspect(error, { depth: 10 })).toMatch(new RegExp(`^Error: kubeconfig ${path}:\\d+:\\d+: `));
    expect(inspect(error, { depth: 10 })).not.toContain('hunter2');
  },
);

test('in a pod without a service account', async () => {
  await expect(loadKubeconfig({ env: { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, clock })).rejects.toThrow(
    /looks like a pod/,
  );
});

describe('a credential plugin', () => {
  const v1 = 'client.authentication.k8s.io/v1';

  /** A plugin that counts its runs in its answer. */
  async function plugin(script: string): Promise<object> {
    const path = join(folder, `plugin-${files++}.mjs`);
    await writeFile(path, script);
    return { apiVersion: v1, command: process.execPath, args: [path], env: [{ name: 'GIVEN', value: 'x' }] };
  }

  const answering = (status: string): string => `
    import { existsSync, readFileSync, writeFileSync } from 'node:fs';
    const counter = process.argv[1] + '.count';
    const count = existsSync(counter) ? Number(readFileSync(counter, 'utf8')) + 1 : 1;
    writeFileSync(counter, String(count));
    const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
    console.log(JSON.stringify({ apiVersion: info.apiVersion, kind: 'ExecCredential', status: ${status} }));`;

  test('is run once and remembered until its answer expires or is refused', async () => {
    const start = new Date(clock.nowMs() + 3_600_000).toISOString();
    const exec = await plugin(answering(`{ token: process.env.GIVEN + count, expirationTimestamp: '${start}' }`));
    const { credentials } = (await load({ user: { exec } })).connection;
    const [one, two] = await Promise.all([
      credentials.get({ refused: false, signal }),
      credentials.get({ refused: false, signal }),
    ]);
    expect([one, two]).toEqual([{ authorization: 'Bearer x1' }, { authorization: 'Bearer x1' }]);
    expect(await credentials.get({ refused: false, signal })).toEqual({ authorization: 'Bearer x1' });
    expect(await credentials.get({ refused: true, signal })).toEqual({ authorization: 'Bearer x2' });
    await clock.advance(3_600_001);
    expect(await credentials.get({ refused: false, signal })).toEqual({ authorization: 'Bearer x3' });
  });

  test('may give a certificate, and is told about the cluster if it asks', async () => {
    const exec = {
      ...(await plugin(answering('{ clientCertificateData: info.spec.cluster.server, clientKeyData: "k" }'))),
      provideClusterInfo: true,
    };
    expect(await credentialsOf({ user: { exec } })).toEqual({ certificate: { cert: 'https://host:6443', key: 'k' } });
  });

  test.each<[string, string, RegExp]>([
    ['that fails', 'console.error("no session\\nstack"); process.exit(3);', /ended with 3: no session$/],
    ['that prints nonsense', 'console.log("s3cret");', /printed no ExecCredential$/],
    [
      'that answers in another version',
      `console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: 'v0' }));`,
      /answered in "v0" instead of/,
    ],
    [
      'that gives nothing',
      `console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: '${v1}', status: {} }));`,
      /neither a token nor/,
    ],
  ])('%s is one clear line without its output', async (_, script, expected) => {
    const exec = await plugin(script);
    const error = await credentialsOf({ user: { exec } }).then(
      () => undefined,
      (reason: unknown) => reason as Error,
    );
    expect(error?.message).toMatch(expected);
    expect(error?.message).not.toMatch(/\n|s3cret/);
  });

  test.each<[string, object, Readonly<Record<string, string>>, RegExp]>([
    [
      'that is not installed',
      { apiVersion: v1, command: 'no-such-plugin', installHint: 'get it\nthere' },
      {},
      /no-such-plugin is not installed; get it there$/,
    ],
    [
      'of an old version',
      { apiVersion: 'client.authentication.k8s.io/v1alpha1', command: 'x' },
      {},
      /exec needs apiVersion/,
    ],
    ['without a command', { apiVersion: v1 }, {}, /exec has no command$/],
    ['that wants a terminal', { apiVersion: v1, command: 'x', interactiveMode: 'Always' }, {}, /terminal/],
    ['that calls itself', { apiVersion: v1, command: 'x' }, { KUBERNETES_EXEC_INFO: '{}' }, /would never end$/],
  ])('%s is refused', async (_, exec, env, expected) => {
    await expect(credentialsOf({ user: { exec } }, { env })).rejects.toThrow(expected);
  });
});
