/**
 * Nothing that is secret is told to anybody who did not send it or ask for it: not in the log, in the audit log, in metrics or events,
 * whatever refuses a request and whatever words it has for that.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type Agent, createServer, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadServingPki, type Pki, type Problem } from '@signalbox/cluster';
import { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccessFlags, accessOptions, accessTerms } from '../program/access-options.ts';
import { createTestIo, type TestIo } from '../testing/io.ts';
import { type Started, start } from './start.ts';

const word = 'canary-in-a-secret';
const spellings = (text: string): readonly string[] => {
  const base64 = Buffer.from(text).toString('base64');
  // Wherever it begins within other base64, but for what hangs over at both ends.
  const shifted = [1, 2].map((by) =>
    Buffer.from('x'.repeat(by) + text)
      .toString('base64')
      .slice(4, -4),
  );
  return [text, base64.replace(/=*$/, '').slice(0, -1), ...shifted];
};
const staticToken = 'canary-static-token';
const wrongToken = 'canary-wrong-token';
const login = Buffer.from('canary-user:canary-password').toString('base64');

let folder: string;
let io: TestIo;
let started: Started;
let hooks: Server;
let front: Pki;
const problems: Problem[] = [];
/** How often a webhook was asked, by its path. */
const asked: string[] = [];

const review = (uid: string, response: object): string =>
  JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, ...response } });

/** A webhook that repeats what it was shown in every place that it has. */
function replyTo(path: string, body: string): string {
  asked.push(path);
  const { uid = '' } = (JSON.parse(body) as { readonly request?: { readonly uid?: string } }).request ?? {};
  const auditAnnotations = { seen: body };
  if (path === '/garbage') return `no answer ${body}`;
  if (path === '/patch')
    return review(uid, {
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(`[{"op":"${word}"}]`).toString('base64'),
    });
  if (path === '/note') return review(uid, { allowed: true, auditAnnotations });
  return review(uid, { allowed: false, auditAnnotations, status: { code: 403, message: `seen: ${body}` } });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-canary-'));
  io = await createTestIo();
  front = (await loadServingPki({})).current();
  hooks = createServer({ cert: front.server.cert, key: front.server.key }, (incoming, response) => {
    let body = '';
    incoming.on('data', (piece: Buffer) => (body += piece.toString()));
    incoming.on('end', () =>
      response.setHeader('content-type', 'application/json').end(replyTo(incoming.url?.split('?')[0] ?? '', body)),
    );
  });
  await new Promise<void>((resolve) => hooks.listen(0, '127.0.0.1', resolve));
  const everything = ['secrets', 'serviceaccounts/token'];
  const rules = [
    { level: 'RequestResponse', resources: [{ group: '', resources: everything }] },
    { level: 'RequestResponse', resources: [{ group: 'authentication.k8s.io' }, { group: 'certificates.k8s.io' }] },
    { level: 'RequestResponse', resources: [{ group: '', resources: ['configmaps', 'services/proxy'] }] },
    { level: 'RequestResponse', verbs: ['create'], resources: [{ group: 'admissionregistration.k8s.io' }] },
    { level: 'Metadata' },
  ];
  const files = {
    'tokens.csv': `${staticToken},jane,7,system:masters\n`,
    'front-ca.crt': front.ca,
    'policy.yaml': JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const command = new Command('up');
  for (const option of accessOptions()) command.addOption(option);
  const flags = [
    ...[
      '--token-auth-file',
      join(folder, 'tokens.csv'),
      '--requestheader-client-ca-file',
      join(folder, 'front-ca.crt'),
    ],
    ...['--audit-policy-file', join(folder, 'policy.yaml'), '--audit-log-path', join(folder, 'audit.log')],
    '--rotate-service-account-key',
  ];
  command.parse(flags, { from: 'user' });
  started = await start({
    ...{ folder: join(folder, 'data'), kubeconfig: join(folder, 'kubeconfig'), nodes: 1, io },
    ...{ host: '127.0.0.1', port: 0, advertise: undefined, names: [], certificates: [], definitions: [] },
    ...{ components: undefined, without: [], virtual: undefined, memoryLimitBytes: 512 * 2 ** 20 },
    access: accessTerms(command, command.opts<AccessFlags>()),
    report: (problem) => problems.push(problem),
  });
});
afterAll(async () => {
  hooks.close();
  await io.remove();
  await rm(folder, { recursive: true, force: true });
});

interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
  readonly who?: { readonly cert: string; readonly key: string };
}

interface Answered {
  readonly code: number;
  readonly text: string;
}

function ask(
  path: string,
  { method, headers = {}, body, who = started.pki.current().admin }: Asking = {},
): Promise<Answered> {
  const sending = typeof body === 'object' ? JSON.stringify(body) : body;
  const agent: Agent | false = false;
  return new Promise((resolve, reject) => {
    const options = {
      ...{ ca: started.pki.pem(), agent, ...who, method: method ?? (body === undefined ? 'GET' : 'POST') },
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    };
    const sent = request(`${started.serving.url}${path}`, options, (response) => {
      let text = '';
      response.on('data', (piece: Buffer) => (text += piece.toString()));
      response.on('end', () => resolve({ code: response.statusCode ?? 0, text }));
    });
    sent.once('error', reject).end(sending ?? '');
  });
}

const at = '/api/v1/namespaces/default/secrets';
const secret = (name: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `{"data":"${word}"}` } },
  stringData: { password: word },
  ...more,
});
const merge = { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' } };
const admission = '/apis/admissionregistration.k8s.io/v1';

async function webhook(kind: 'mutating' | 'validating', path: string): Promise<void> {
  const { port } = hooks.address() as AddressInfo;
  const body = {
    metadata: { name: path.slice(1) },
    webhooks: [
      {
        name: `${path.slice(1)}.example.com`,
        clientConfig: { url: `https://localhost:${port}${path}`, caBundle: Buffer.from(front.ca).toString('base64') },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['secrets'] }],
        objectSelector: { matchLabels: { hook: path.slice(1) } },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
      },
    ],
  };
  expect((await ask(`${admission}/${kind}webhookconfigurations`, { body })).code).toBe(201);
}

async function policy(name: string, spec: object): Promise<void> {
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] }];
  const matchConstraints = { resourceRules, objectSelector: { matchLabels: { policy: name } } };
  const body = { metadata: { name }, spec: { matchConstraints, ...spec } };
  const bound = { metadata: { name }, spec: { policyName: name, validationActions: ['Deny', 'Audit'] } };
  const made = await ask(`${admission}/validatingadmissionpolicies`, { body });
  expect([made.code, made.text]).toEqual([201, expect.anything()]);
  expect((await ask(`${admission}/validatingadmissionpolicybindings`, { body: bound })).code).toBe(201);
}

const labelled = (labels: object, name = 'x'): object => {
  const { metadata, ...rest } = secret(name) as { readonly metadata: object };
  return { ...rest, metadata: { ...metadata, labels } };
};

/** All that quotes what it is shown; the codes say that each of them was really there. */
async function tellEverything(): Promise<readonly number[]> {
  const codes: number[] = [];
  const told = async (path: string, asking?: Asking): Promise<string> => {
    const { code, text } = await ask(path, asking);
    codes.push(code);
    return text;
  };
  await told(at, { body: secret('a') });
  await told(at, { body: secret('a') });
  await told(`${at}/a`, { ...merge, body: { stringData: word } });
  await told(`${at}?fieldValidation=Strict`, { body: secret('b', { passwrod: word }) });
  await told(`${at}/a`, { ...merge, body: { data: { 'no key at all!': word } } });
  await told(`${at}/a`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json-patch+json' },
    body: [{ op: 'test', path: '/data/password', value: word }],
  });
  const apply = { method: 'PATCH', headers: { 'content-type': 'application/apply-patch+yaml' } };
  await told(`${at}/a?fieldManager=other`, {
    ...apply,
    body: { ...secret('a'), stringData: undefined, data: { password: Buffer.from(`${word}!`).toString('base64') } },
  });
  for (const [kind, path] of [
    ['validating', '/deny'],
    ['validating', '/garbage'],
    ['validating', '/note'],
    ['mutating', '/patch'],
  ] as const) {
    await webhook(kind, path);
    await told(at, { body: labelled({ hook: path.slice(1) }, path.slice(1)) });
  }
  const password = 'string(object.data.password)';
  const quoted = { expression: 'false', messageExpression: password, reason: 'Forbidden' };
  await policy('quotes', { validations: [quoted], auditAnnotations: [{ key: 'seen', valueExpression: password }] });
  await policy('fails', { validations: [{ expression: `int(${password}) > 1` }] });
  for (const name of ['quotes', 'fails']) await told(at, { body: labelled({ policy: name }, name) });
  await told('/api/v1/namespaces/default/resourcequotas', {
    body: { metadata: { name: 'q' }, spec: { hard: { secrets: '0' } } },
  });
  // Until somebody has counted, nothing is refused.
  const status = async (): Promise<string> => (await ask('/api/v1/namespaces/default/resourcequotas/q')).text;
  while (!(await status()).includes('"used"')) await new Promise((resolve) => setTimeout(resolve, 20));
  await told(at, { body: secret('too-many') });
  return codes;
}

/** Tokens and keys that people show, right and wrong ones. Returns those that the server made. */
async function showCredentials(): Promise<readonly string[]> {
  const bearer = (token: string): Asking => ({
    who: { cert: '', key: '' },
    headers: { authorization: `Bearer ${token}` },
  });
  const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
  let made = '';
  while (made === '') {
    const { text } = await ask(path, { body: { spec: {} } });
    made = (JSON.parse(text) as { readonly status?: { readonly token?: string } }).status?.token ?? '';
  }
  for (const token of [staticToken, wrongToken, made, `${made}x`]) await ask('/api/v1/pods', bearer(token));
  await ask('/api/v1/pods', { who: { cert: '', key: '' }, headers: { authorization: `Basic ${login}` } });
  const reviews = '/apis/authentication.k8s.io/v1/tokenreviews';
  for (const token of [staticToken, wrongToken, made]) await ask(reviews, { body: { spec: { token } } });
  await ask('/api/v1/pods', {
    who: front.proxyClient,
    headers: { 'x-remote-user': 'jane', authorization: `Bearer ${wrongToken}` },
  });
  await ask('/apis/nowhere/v1', bearer(wrongToken));
  const csr = {
    metadata: { name: 'c' },
    spec: { request: 'bm8=', signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] },
  };
  await ask('/apis/certificates.k8s.io/v1/certificatesigningrequests', { body: csr });
  return [made.split('.')[2] ?? '', staticToken, wrongToken, login, 'canary-password', ...(await nameUrls())];
}

/** Passwords in URLs, where something takes them, refuses them or hands them on. */
async function nameUrls(): Promise<readonly string[]> {
  const [inUrl, inQuery] = ['canary-in-a-url', 'canary-in-a-query'];
  const url = `https://ann:${inUrl}@example.com/`;
  const configmap = { metadata: { name: 'urls', annotations: { seen: url } }, data: { url: `write to ${url}` } };
  const made = await ask('/api/v1/namespaces/default/configmaps', { body: configmap });
  expect([made.code, made.text.includes(inUrl)]).toEqual([201, true]);
  const webhooks = [
    { name: 'a.example.com', clientConfig: { url }, admissionReviewVersions: ['v1'], sideEffects: 'None' },
  ];
  const refused = await ask(`${admission}/validatingwebhookconfigurations`, {
    body: { metadata: { name: 'urls' }, webhooks },
  });
  expect([refused.code, refused.text]).toEqual([422, expect.stringContaining('user information is not permitted')]);
  expect(refused.text).not.toContain(inUrl);
  await ask(`/api/v1/namespaces/default/services/https:nobody:1/proxy/login?user=ann&password=${inQuery}`);
  return [inUrl, inQuery];
}

async function everyKey(): Promise<readonly string[]> {
  const { pki } = started;
  const { server, admin, kubeletClient, proxyClient, tokenKey, token, authority } = pki.current();
  const keys = [server, admin, kubeletClient, proxyClient, authority.pair].map(({ key }) => key);
  const lines = [...keys, tokenKey, front.proxyClient.key].map((pem) => pem.split('\n')[1] ?? '');
  return [...lines, token];
}

test('whatever refuses a request, and in whatever words', async () => {
  const codes = await tellEverything();
  expect(codes).toEqual([201, 409, 400, 400, 400, 422, 409, 403, 500, 201, 500, 403, 422, 201, 403]);
  expect(asked.sort()).toEqual(['/deny', '/garbage', '/note', '/patch']);
  const shown = await showCredentials();
  const keys = await everyKey();
  const metrics = await ask('/metrics');
  expect(metrics.text).toContain('apiserver_request_total');
  const events = await ask('/api/v1/events');
  const health = await Promise.all(
    ['/readyz?verbose', '/livez?verbose', '/openapi/v2', '/signalbox/clock'].map((path) => ask(path)),
  );
  await started.close();
  const audit = await readFile(join(folder, 'audit.log'), 'utf8');
  expect(audit.split('\n').length).toBeGreaterThan(codes.length);
  // The audit log was really asked for all of it: names of fields are there, values are not.
  expect(audit).toContain('"password":"***"');
  expect(audit).toContain('withheld: it may quote what is secret');
  expect(audit).toContain('write to https://ann:***@example.com/');
  expect(audit).toContain('/proxy/login?user=***&password=***');
  const told = {
    ...{ audit, metrics: metrics.text, events: events.text, health: health.map(({ text }) => text).join() },
    ...{ out: io.out(), err: io.err() },
    log: problems
      .map(
        ({ component, message, error }) =>
          `${component} ${message} ${String(error)} ${(error as Error | undefined)?.stack ?? ''}`,
      )
      .join('\n'),
  };
  const secrets = [...spellings(word), ...shown, ...keys];
  expect(secrets.every((each) => each.length >= 8)).toBe(true);
  const found = Object.entries(told).flatMap(([where, text]) =>
    secrets
      .filter((each) => text.includes(each))
      .map((each) => `${where}: …${text.slice(Math.max(0, text.indexOf(each) - 300), text.indexOf(each) + 60)}`),
  );
  expect(found).toEqual([]);
}, 60_000);
