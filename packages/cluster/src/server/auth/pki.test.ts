import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseYamlDocuments } from '../../api/codec/yaml.ts';
import { certificateFacts } from './certificates.ts';
import { formatKubeconfig, writeKubeconfig } from './kubeconfig.ts';
import { loadPki, type Pki, servingNames } from './pki.ts';

const nowMs = Date.parse('2026-01-01T00:00:00Z');
const dayMs = 86_400_000;

let folder: string;
let first: Pki;

beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'pki-')), 'pki');
  first = await loadPki({ folder, host: '127.0.0.1', nowMs });
});

afterAll(() => rm(join(folder, '..'), { recursive: true, force: true }));

test('the authority signs a server and an administrator', () => {
  const ca = { cert: first.ca, key: '' };
  const server = new X509Certificate(first.server.cert);
  const admin = new X509Certificate(first.admin.cert);
  const authority = new X509Certificate(first.ca);
  expect(server.verify(authority.publicKey) && server.checkIssued(authority)).toBe(true);
  expect(admin.verify(authority.publicKey)).toBe(true);
  expect(authority.ca).toBe(true);
  expect(server.ca).toBe(false);
  expect(admin.subject).toBe('O=system:masters\nCN=admin');
  expect(ca.cert).toContain('BEGIN CERTIFICATE');
  for (const name of ['localhost', 'kubernetes', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'])
    expect(server.checkHost(name)).toBeDefined();
  for (const address of ['127.0.0.1', '::1', '10.96.0.1']) expect(server.checkIP(address)).toBeDefined();
  expect(server.checkHost('example.com')).toBeUndefined();
  // Neither may stand in for the other.
  expect(server.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(admin.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
});

test('certificates and keys belong together', () => {
  expect(certificateFacts(first.server)).toBeDefined();
  expect(certificateFacts({ cert: first.server.cert, key: first.admin.key })).toBeUndefined();
  expect(certificateFacts({ cert: 'nonsense', key: 'nonsense' })).toBeUndefined();
});

test('only the owner reads the files, and no draft is left behind', async () => {
  const names = await readdir(folder);
  expect(names.sort()).toEqual([
    'admin.crt',
    'admin.key',
    'ca.crt',
    'ca.key',
    'front-proxy-client.crt',
    'front-proxy-client.key',
    'kubelet-client.crt',
    'kubelet-client.key',
    'sa.key',
    'server.crt',
    'server.key',
    'token',
  ]);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  for (const name of names) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
});

test('a folder from before tokens were signed gets their key, and keeps it', async () => {
  const copy = await mkdtemp(join(tmpdir(), 'pki-'));
  await cp(folder, copy, { recursive: true });
  await rm(join(copy, 'sa.key'));
  const { tokenKey, notices, ...rest } = await loadPki({ folder: copy, host: '127.0.0.1', nowMs });
  expect({ ...first, ...rest }).toEqual(first);
  expect(notices).toEqual([]);
  expect(tokenKey).not.toBe(first.tokenKey);
  expect((await stat(join(copy, 'sa.key'))).mode & 0o777).toBe(0o600);
  expect((await loadPki({ folder: copy, host: '127.0.0.1', nowMs })).tokenKey).toBe(tokenKey);
  await rm(copy, { recursive: true });
});

test.each(['', 'nonsense', generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })])(
  'a key for tokens that cannot be used is replaced, and people are told',
  async (broken) => {
    const copy = await mkdtemp(join(tmpdir(), 'pki-'));
    await cp(folder, copy, { recursive: true });
    await writeFile(join(copy, 'sa.key'), broken);
    const { notices, tokenKey } = await loadPki({ folder: copy, host: '127.0.0.1', nowMs });
    expect(notices).toEqual([expect.stringMatching(/pki\/sa\.key.*was replaced; tokens from before now are refused/)]);
    expect(notices[0]).not.toContain('PRIVATE');
    expect(await readFile(join(copy, 'sa.key'), 'utf8')).toBe(tokenKey);
    await rm(copy, { recursive: true });
  },
);

test('further certificates are signed, kept and renewed like the others', async () => {
  const own = join(await mkdtemp(join(tmpdir(), 'pki-')), 'pki');
  const subject = { commonName: 'system:node:box', organizations: ['system:nodes'] };
  const further = [
    { file: 'node-box', subject, usage: 'client', names: [] },
    { file: 'node-box-serving', subject, usage: 'server', names: ['box', '127.0.0.1'] },
  ] as const;
  const load = (atMs: number): Promise<Pki> => loadPki({ folder: own, host: '127.0.0.1', further, nowMs: atMs });
  const made = await load(nowMs);
  const client = new X509Certificate(made.further['node-box']?.cert ?? '');
  expect(client.subject).toBe('O=system:nodes\nCN=system:node:box');
  expect(client.verify(new X509Certificate(made.ca).publicKey)).toBe(true);
  expect(new X509Certificate(made.further['node-box-serving']?.cert ?? '').checkIP('127.0.0.1')).toBeDefined();
  expect((await stat(join(own, 'node-box.key'))).mode & 0o777).toBe(0o600);
  expect((await load(nowMs + dayMs)).further).toEqual(made.further);
  expect((await load(nowMs + 340 * dayMs)).further['node-box']).not.toEqual(made.further['node-box']);
  await rm(join(own, '..'), { recursive: true });
});

test('a restart takes what is there', async () => {
  expect(await loadPki({ folder, host: '127.0.0.1', nowMs: nowMs + 100 * dayMs })).toEqual(first);
});

test('what nears its end is made anew, under the same authority', async () => {
  const own = join(await mkdtemp(join(tmpdir(), 'pki-')), 'pki');
  const before = await loadPki({ folder: own, host: '127.0.0.1', nowMs });
  const after = await loadPki({ folder: own, host: '127.0.0.1', nowMs: nowMs + 340 * dayMs });
  expect([after.ca, after.token]).toEqual([before.ca, before.token]);
  expect(after.server.cert).not.toBe(before.server.cert);
  expect(after.admin.cert).not.toBe(before.admin.cert);
  const decade = await loadPki({ folder: own, host: '127.0.0.1', nowMs: nowMs + 3_640 * dayMs });
  expect(decade.ca).not.toBe(before.ca);
  await rm(join(own, '..'), { recursive: true });
});

test('another host gets another server certificate, and the old names stay', async () => {
  const moved = await loadPki({ folder, host: 'box.example.com', nowMs });
  expect(moved.admin).toEqual(first.admin);
  const server = new X509Certificate(moved.server.cert);
  expect(server.checkHost('box.example.com')).toBeDefined();
  expect(server.checkIP('127.0.0.1')).toBeDefined();
  const address = await loadPki({ folder, host: '10.1.2.3', nowMs });
  expect(new X509Certificate(address.server.cert).checkIP('10.1.2.3')).toBeDefined();
});

test('a certificate that is not valid yet is made anew', async () => {
  const own = join(await mkdtemp(join(tmpdir(), 'pki-')), 'pki');
  const ahead = await loadPki({ folder: own, host: '127.0.0.1', nowMs: nowMs + 20 * dayMs });
  const right = await loadPki({ folder: own, host: '127.0.0.1', nowMs });
  for (const cert of [right.server.cert, right.admin.cert, right.ca])
    expect(Date.parse(new X509Certificate(cert).validFrom)).toBeLessThanOrEqual(nowMs);
  expect(right.server.cert).not.toBe(ahead.server.cert);
  expect(right.token).toBe(ahead.token);
  await rm(join(own, '..'), { recursive: true });
});

test('nothing outlives the authority that signed it', async () => {
  const own = join(await mkdtemp(join(tmpdir(), 'pki-')), 'pki');
  await loadPki({ folder: own, host: '127.0.0.1', nowMs });
  const late = await loadPki({ folder: own, host: '127.0.0.1', nowMs: nowMs + 3_600 * dayMs });
  const [authority] = late.ca.split(/(?<=-----END CERTIFICATE-----\n)/);
  expect(new X509Certificate(late.server.cert).validTo).toBe(new X509Certificate(authority ?? '').validTo);
  expect(late.window.untilMs).toBe(nowMs + 3_620 * dayMs);
  await rm(join(own, '..'), { recursive: true });
});

describe('further names', () => {
  const namesOf = ({ server }: Pki): string => new X509Certificate(server.cert).subjectAltName ?? '';
  const withNames = (...names: readonly string[]): Promise<Pki> => loadPki({ folder, host: '127.0.0.1', names, nowMs });

  test('are in the certificate, and any change of them makes another', async () => {
    const two = await withNames('api.example.com', '10.0.0.7');
    expect(namesOf(two)).toMatch(/DNS:api\.example\.com, IP Address:10\.0\.0\.7$/);
    expect((await withNames('10.0.0.7', 'API.example.com')).server).toEqual(two.server);
    const one = await withNames('10.0.0.7');
    expect(namesOf(one)).not.toContain('api.example.com');
    expect((await withNames('10.0.0.7')).server).toEqual(one.server);
  });
  test('may be patterns and addresses of either family, however they are spelled', async () => {
    const made = await withNames('*.example.com', 'FD00:0:0::0001');
    expect(new X509Certificate(made.server.cert).checkIP('fd00::1')).toBeDefined();
    expect(new X509Certificate(made.server.cert).checkHost('a.example.com')).toBeDefined();
    expect((await withNames('fd00::1', '*.example.com')).server).toEqual(made.server);
  });
  test('an address that means all of them is none to be called by', () => {
    expect(servingNames(['0.0.0.0', '::', '0:0::0', ''])).toEqual(servingNames([]));
  });
});

test('damaged files are made anew', async () => {
  await writeFile(join(folder, 'admin.key'), 'garbage');
  await writeFile(join(folder, 'token'), 'short');
  const mended = await loadPki({ folder, host: '127.0.0.1', nowMs });
  expect(mended.ca).toBe(first.ca);
  expect(certificateFacts(mended.admin, { cert: mended.ca, key: '' })?.isSigned).toBe(true);
  expect(mended.token).toMatch(/^[\w-]{43}$/);
});

test('an authority whose key is lost is replaced with a word, and comes back with its key', async () => {
  const own = join(await mkdtemp(join(tmpdir(), 'pki-')), 'pki');
  const before = await loadPki({ folder: own, host: '127.0.0.1', nowMs });
  const key = await readFile(join(own, 'ca.key'), 'utf8');
  await rm(join(own, 'ca.key'));
  const replaced = await loadPki({ folder: own, host: '127.0.0.1', nowMs });
  expect(replaced.ca).not.toContain(before.ca);
  expect(replaced.notices).toEqual([
    expect.stringMatching(/key of the certificate authority \(pki\/ca\.key\) is missing/),
  ]);
  expect((await loadPki({ folder: own, host: '127.0.0.1', nowMs })).notices).toEqual([]);
  await writeFile(join(own, 'ca.key'), key);
  expect((await loadPki({ folder: own, host: '127.0.0.1', nowMs })).ca).toContain(before.ca.trim());
  await rm(join(own, '..'), { recursive: true });
});

test('without a folder everything is made each time', async () => {
  const [one, two] = await Promise.all([
    loadPki({ folder: undefined, host: 'localhost', nowMs }),
    loadPki({ folder: undefined, host: 'localhost', nowMs }),
  ]);
  expect(one.token).not.toBe(two.token);
  expect(one.ca).not.toBe(two.ca);
});

test('the kubeconfig holds all that kubectl needs, for its owner alone', async () => {
  const path = join(folder, '..', 'kubeconfig');
  await writeFile(path, 'old', { mode: 0o644 });
  const options = { server: 'https://127.0.0.1:6443', ca: first.ca, client: first.admin };
  await writeKubeconfig(path, options);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const text = await readFile(path, 'utf8');
  expect(text).toBe(formatKubeconfig(options));
  const base64 = (pem: string): string => Buffer.from(pem).toString('base64');
  expect(parseYamlDocuments(text, { source: path })[0]?.value).toEqual({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'signalbox',
        cluster: { server: 'https://127.0.0.1:6443', 'certificate-authority-data': base64(first.ca) },
      },
    ],
    users: [
      {
        name: 'signalbox',
        user: {
          'client-certificate-data': base64(first.admin.cert),
          'client-key-data': base64(first.admin.key),
        },
      },
    ],
    contexts: [{ name: 'signalbox', context: { cluster: 'signalbox', user: 'signalbox', namespace: 'default' } }],
    'current-context': 'signalbox',
    preferences: {},
  });
});

test('a folder that cannot be made is an error that names it', async () => {
  const file = join(folder, '..', 'file');
  await writeFile(file, '');
  await expect(loadPki({ folder: join(file, 'pki'), host: 'localhost', nowMs })).rejects.toThrow(/file/);
});
