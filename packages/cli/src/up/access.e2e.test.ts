/** What flags of access come to: keys that change, a proxy in front, rules of admission. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadServingPki, type Pki } from '@signalbox/cluster';
import { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccessFlags, accessOptions, accessTerms } from '../program/access-options.ts';
import { createTestIo, type TestIo } from '../testing/io.ts';
import { type Started, start } from './start.ts';

let folder: string;
let io: TestIo;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-access-'));
  io = await createTestIo();
});
afterAll(async () => {
  await io.remove();
  await rm(folder, { recursive: true, force: true });
});

function termsOf(argv: readonly string[]): ReturnType<typeof accessTerms> {
  const command = new Command('up').exitOverride().configureOutput({ writeErr: () => undefined });
  for (const option of accessOptions()) command.addOption(option);
  command.parse(argv, { from: 'user' });
  return accessTerms(command, command.opts<AccessFlags>());
}

async function withUp(argv: readonly string[], work: (started: Started) => Promise<void>): Promise<void> {
  const started = await start({
    ...{ folder: join(folder, 'data'), kubeconfig: join(folder, 'kubeconfig'), nodes: 0, io },
    ...{ host: '127.0.0.1', port: 0, advertise: undefined, names: [], certificates: [], definitions: [] },
    ...{ components: undefined, without: [], virtual: undefined, memoryLimitBytes: 512 * 2 ** 20 },
    access: termsOf(argv),
    report: () => undefined,
  });
  try {
    await work(started);
  } finally {
    await started.close();
  }
}

interface Asking {
  readonly path: string;
  readonly who?: { readonly cert: string; readonly key: string };
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

async function ask({ serving, pki }: Started, { path, who, headers = {}, body }: Asking): Promise<[number, Answer]> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = {
      ca: pki.pem(),
      ...who,
      agent: false,
      headers: { 'content-type': 'application/json', ...headers },
    };
    const sent = request(`${serving.url}${path}`, { ...options, method: body ? 'POST' : 'GET' }, resolve);
    sent.once('error', reject).end(body === undefined ? '' : JSON.stringify(body));
  });
  let text = '';
  for await (const piece of response) text += String(piece);
  return [response.statusCode ?? 0, JSON.parse(text) as Answer];
}

interface Answer {
  readonly status?: { readonly token?: string; readonly userInfo?: { readonly username: string } };
  readonly keys?: readonly object[];
  readonly issuer?: string;
  readonly data?: Readonly<Record<string, string>>;
}

const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

async function whoIs(started: Started, asking: Omit<Asking, 'path'>): Promise<string | number> {
  const [code, { status }] = await ask(started, { path: reviews, body: review, ...asking });
  return status?.userInfo?.username ?? code;
}

async function newToken(started: Started): Promise<string> {
  const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
  const [, { status }] = await ask(started, { path, body: { spec: {} }, who: started.pki.current().admin });
  return status?.token ?? '';
}

const byToken = (token: string): Omit<Asking, 'path'> => ({ headers: { authorization: `Bearer ${token}` } });

test('a key that is changed goes on checking; so does the folder’s when another signs', async () => {
  const robot = 'system:serviceaccount:default:default';
  const tokens: string[] = [];
  await withUp([], async (started) => {
    // The account is made by a controller.
    await until(async () => {
      const token = await newToken(started);
      tokens.push(token);
      return token !== '';
    });
  });
  await withUp(['--rotate-service-account-key', '--service-account-issuer=https://me'], async (started) => {
    tokens.push(await newToken(started));
    expect(await whoIs(started, byToken(tokens.at(-2) ?? ''))).toBe(401);
    expect(await whoIs(started, byToken(tokens.at(-1) ?? ''))).toBe(robot);
  });
  const key = join(folder, 'signing.key');
  await writeFile(key, (await loadServingPki({})).tokenKey());
  const issuers = ['https://us', 'https://me', 'https://kubernetes.default.svc.cluster.local'];
  const flags = [
    `--service-account-signing-key-file=${key}`,
    ...issuers.map((url) => `--service-account-issuer=${url}`),
  ];
  await withUp(flags, async (started) => {
    const { admin } = started.pki.current();
    const shown = [...tokens.slice(-2), await newToken(started)];
    expect(await Promise.all(shown.map((token) => whoIs(started, byToken(token))))).toEqual([robot, robot, robot]);
    const [, { keys }] = await ask(started, { path: '/openid/v1/jwks', who: admin });
    expect(keys).toHaveLength(3);
    const [, { issuer }] = await ask(started, { path: '/.well-known/openid-configuration', who: admin });
    expect(issuer).toBe('https://us');
  });
});

async function until(look: () => Promise<boolean>): Promise<void> {
  while (!(await look().catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('a proxy in front is believed; other API servers are told of the cluster’s own', async () => {
  const front: Pki = (await loadServingPki({})).current();
  const ca = join(folder, 'front-ca.crt');
  await writeFile(ca, front.ca);
  const headers = { 'x-remote-user': 'jane', 'x-remote-group': 'team' };
  await withUp(
    [`--requestheader-client-ca-file=${ca}`, '--requestheader-allowed-names=front-proxy-client'],
    async (started) => {
      const { admin, proxyClient } = started.pki.current();
      expect(await whoIs(started, { who: front.proxyClient, headers })).toBe('jane');
      expect(await whoIs(started, { who: front.admin, headers })).toBe(401);
      expect(await whoIs(started, { who: admin, headers })).toBe('admin');
      expect(await whoIs(started, { who: proxyClient, headers })).toBe('front-proxy-client');
      const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
      const [, { data }] = await ask(started, { path, who: admin });
      expect(data).toMatchObject({
        'client-ca-file': started.pki.pem(),
        'requestheader-client-ca-file': started.pki.pem(),
        'requestheader-allowed-names': '["front-proxy-client"]',
        'requestheader-uid-headers': '["X-Remote-Uid"]',
      });
    },
  );
});

test('without a proxy in front headers say nothing, whoever sends them', async () => {
  const headers = { 'x-remote-user': 'jane' };
  await withUp([], async (started) => {
    expect(await whoIs(started, { who: started.pki.proxyClient(), headers })).toBe('front-proxy-client');
    const stranger = (await loadServingPki({})).current().admin;
    expect(await whoIs(started, { who: stranger, headers })).toBe(401);
    expect(await whoIs(started, { headers })).toBe(401);
  });
});

test.each([
  [['--requestheader-allowed-names=a'], 'goes with --requestheader-client-ca-file'],
  [['--enable-admission-plugins=Foo'], 'plugin "Foo" is unknown'],
  [['--rotate-service-account-key', '--service-account-signing-key-file=x'], 'is about the key of the data folder'],
])('%j is refused', (argv, why) => expect(() => termsOf(argv)).toThrow(why));

test.each([
  [['--requestheader-client-ca-file=/nowhere'], '--requestheader-client-ca-file /nowhere'],
  [['--service-account-key-file=/nowhere'], '--service-account-key-file /nowhere'],
  [
    [`--service-account-signing-key-file=${import.meta.filename}`],
    /^--service-account-signing-key-file .*: no private key/,
  ],
  [
    [`--service-account-key-file=${import.meta.filename}`],
    /^--service-account-key-file .*: no public key, private key or/,
  ],
  [['--enable-admission-plugins=EventRateLimit'], 'EventRateLimit has no limits'],
])('%j cannot be used', async (argv, why) => {
  await expect(withUp(argv, () => Promise.resolve())).rejects.toThrow(why);
});
