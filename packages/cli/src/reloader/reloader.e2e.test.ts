/** The reloader as a process, with real files, sockets and signals: on loopback, in a folder of its own. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, request as tlsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { loadServingPki } from '@signalbox/cluster';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandProcess, startCommand } from '../testing/process.ts';

let folder: string;
let running: CommandProcess[];
let servers: Server[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-reloader-'));
  await mkdir(join(folder, 'out'));
  running = [];
  servers = [];
});
afterEach(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(running.map(({ ended }) => ended));
  for (const server of servers) server.close().closeAllConnections();
  await rm(folder, { recursive: true });
});

/** Somebody to reload: what it was sent, and what it answers. */
interface Agent {
  readonly requests: string[];
  readonly server: Server;
  status: number;
  port(): number;
}

async function agent(tls?: { readonly cert: string; readonly key: string }): Promise<Agent> {
  const requests: string[] = [];
  const answer: RequestListener = (request, response) => {
    const { authorization = '' } = request.headers;
    requests.push([request.method, request.url, authorization].join(' ').trim());
    response.statusCode = found.status;
    response.end();
  };
  const server = tls === undefined ? createServer(answer) : createTlsServer({ ...tls }, answer);
  const found: Agent = { requests, server, status: 200, port: () => (server.address() as AddressInfo).port };
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return found;
}

const quick = ['--delay-interval=50ms', '--retry-interval=200ms'];

function reloader(...argv: readonly string[]): CommandProcess {
  const env = { POD_NAME: 'agent-12', SHARD: '3' };
  const started = startCommand(['reloader', ...quick, ...argv], { cwd: folder, env });
  running.push(started);
  return started;
}

/** What the kubelet does with a Secret that changes. */
async function project(revision: number, contents: Readonly<Record<string, string | Buffer>>): Promise<void> {
  const mount = join(folder, 'mount');
  await mkdir(join(mount, `..${revision}`), { recursive: true });
  for (const [name, content] of Object.entries(contents)) {
    await writeFile(join(mount, `..${revision}`, name), content);
    await symlink(join('..data', name), join(mount, name)).catch(() => undefined);
  }
  await symlink(`..${revision}`, join(mount, '..data_tmp'));
  await rename(join(mount, '..data_tmp'), join(mount, '..data'));
  await rm(join(mount, `..${revision - 1}`), { recursive: true, force: true });
}

function output(): Promise<string> {
  return readFile(join(folder, 'out', 'config'), 'utf8');
}

const soon = { timeout: 20_000, interval: 20 };

async function port({ err }: CommandProcess): Promise<number> {
  await expect.poll(err, soon).toMatch(/port=\d+/);
  return Number(/port=(\d+)/.exec(err())?.[1]);
}

test('a pod’s life: packed, projected anew, touched, asked for its metrics, stopped', async () => {
  const { requests, port: agentPort } = await agent();
  await project(1, { 'config.gz': gzipSync('shard: $(SHARD), ordinal: $(STATEFULSET_ORDINAL_NUMBER), $(NO)\n') });
  const found = reloader(
    '--config-file=mount/config.gz',
    '--config-envsubst-file=out/config',
    '--watched-dir=mount',
    '--listen-address=127.0.0.1:0',
    `--reload-url=http://127.0.0.1:${agentPort()}/prefix/-/reload`,
  );
  await expect.poll(() => requests, soon).toEqual(['POST /prefix/-/reload']);
  expect(await output()).toBe('shard: 3, ordinal: 12, $(NO)\n');
  const before = await stat(join(folder, 'out', 'config'));
  expect(before.mode & 0o777).toBe(0o644);

  await project(2, { 'config.gz': gzipSync('second') });
  await expect.poll(() => requests.length, soon).toBe(2);
  expect(await output()).toBe('second');
  // Another file under the same name: nobody reads half of one.
  expect((await stat(join(folder, 'out', 'config'))).ino).not.toBe(before.ino);
  await project(3, { 'config.gz': gzipSync('third'), 'rules.yaml': 'a' });
  await expect.poll(() => requests.length, soon).toBe(3);

  const address = `http://127.0.0.1:${await port(found)}`;
  const meter = async (name: string): Promise<number> => {
    const text = await (await fetch(`${address}/metrics`)).text();
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
  };
  expect(await meter('reloader_reloads_total')).toBe(3);
  expect(await meter('reloader_last_reload_successful')).toBe(1);
  const looks = await meter('reloader_config_apply_operations_total');
  await utimes(join(folder, 'mount', 'config.gz'), 1, 1);
  await project(4, { 'config.gz': gzipSync('third'), 'rules.yaml': 'a' });
  await expect.poll(() => meter('reloader_config_apply_operations_total'), soon).toBeGreaterThan(looks);
  expect(requests).toHaveLength(3);
  expect(await (await fetch(`${address}/healthz`)).text()).toBe('{"status":"up"}');
  expect((await fetch(`${address}/else`)).status).toBe(404);

  const stopMs = performance.now();
  found.child.kill('SIGTERM');
  expect(await found.ended).toBe(0);
  expect(performance.now() - stopMs).toBeLessThan(2_000);
  expect(found.err()).toContain('msg="Received SIGTERM, exiting gracefully..."');
  expect(found.err()).toContain('found reference to unset environment variable');
  expect(found.out()).toBe('');
  expect(await readdir(join(folder, 'out'))).toEqual(['config']);
});

test('as an init container it writes and ends; without a configuration it ends with 1', async () => {
  const argv = [
    '--watch-interval=0',
    '--listen-address=:8081',
    '--config-file=in',
    '--config-envsubst-file=out/config',
  ];
  expect(await reloader(...argv).ended).toBe(1);
  await writeFile(join(folder, 'in'), 'a');
  expect(await reloader(...argv).ended).toBe(0);
  expect(await output()).toBe('a');
});

test.each<[readonly string[], number, string]>([
  [['--foo'], 2, "error: unknown long flag '--foo'; see signalbox reloader --help\n"],
  [['--web-config-file=none'], 2, 'Unable to validate web configuration file'],
])('%j ends with %d', async (argv, code, message) => {
  const found = reloader(...argv);
  expect(await found.ended).toBe(code);
  expect(found.err()).toContain(message);
});

test('a process that refuses, and is away, is asked again until it has loaded', async () => {
  const refusing = await agent();
  refusing.status = 500;
  await writeFile(join(folder, 'in'), 'a');
  const found = reloader('--config-file=in', `--reload-url=http://127.0.0.1:${refusing.port()}/-/reload`);
  await expect.poll(() => refusing.requests.length, soon).toBeGreaterThan(1);
  expect(found.err()).toContain('received non-200 response: 500 Internal Server Error; have you set');
  const lastPort = refusing.port();
  await new Promise((resolve) => refusing.server.close(resolve).closeAllConnections());
  await expect.poll(found.err, soon).toContain('ECONNREFUSED');
  refusing.status = 200;
  await new Promise<void>((resolve) => refusing.server.listen(lastPort, '127.0.0.1', resolve));
  await expect.poll(found.err, soon).toContain('msg="Reload triggered"');
});

test('the configuration goes away and comes back: the output stays, then follows', async () => {
  const { requests, port: agentPort } = await agent();
  await writeFile(join(folder, 'in'), 'a');
  const found = reloader(
    '--config-file=in',
    '--config-envsubst-file=out/config',
    `--reload-url=http://127.0.0.1:${agentPort()}/-/reload`,
  );
  await expect.poll(() => requests.length, soon).toBe(1);
  await rm(join(folder, 'in'));
  await expect.poll(found.err, soon).toContain('apply error');
  expect(await output()).toBe('a');
  await writeFile(join(folder, 'in'), Buffer.from([0x1f, 0x8b, 0x08, 0]));
  await expect.poll(found.err, soon).toContain('read compressed config file');
  expect(await output()).toBe('a');
  await writeFile(join(folder, 'in'), 'b');
  await expect.poll(() => requests.length, soon).toBe(2);
  expect(await output()).toBe('b');
});

test('killed and started again it goes on, whatever it left behind', async () => {
  const { requests, port: agentPort } = await agent();
  await writeFile(join(folder, 'in'), 'a');
  const argv = [
    '--config-file=in',
    '--config-envsubst-file=out/config',
    `--reload-url=http://127.0.0.1:${agentPort()}/-/reload`,
  ];
  const first = reloader(...argv);
  await expect.poll(() => requests.length, soon).toBe(1);
  first.child.kill('SIGKILL');
  await first.ended;
  await writeFile(join(folder, 'out', 'config.tmp'), 'half of');
  await writeFile(join(folder, 'in'), 'b');
  reloader(...argv);
  await expect.poll(() => requests.length, soon).toBe(2);
  expect(await output()).toBe('b');
  expect(await readdir(join(folder, 'out'))).toEqual(['config']);
});

test('a full disk keeps the last good output, and the new one comes when there is room', async ({ skip }) => {
  const disk = join(folder, 'out');
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'signalbox-test', disk], { stdio: 'ignore' });
  } catch {
    skip('only the superuser of a system that lets him can make a small disk');
  }
  try {
    const { requests, port: agentPort } = await agent();
    await writeFile(join(folder, 'in'), 'a');
    const found = reloader(
      '--config-file=in',
      '--config-envsubst-file=out/config',
      `--reload-url=http://127.0.0.1:${agentPort()}/-/reload`,
    );
    await expect.poll(() => requests.length, soon).toBe(1);
    await writeFile(join(disk, 'ballast'), Buffer.alloc(40 * 1_024));
    await writeFile(join(folder, 'in'), 'b'.repeat(30 * 1_024));
    await expect.poll(found.err, soon).toContain('ENOSPC');
    expect(await output()).toBe('a');
    expect((await readdir(disk)).sort()).toEqual(['ballast', 'config']);
    await rm(join(disk, 'ballast'));
    await expect.poll(() => requests.length, soon).toBe(2);
    expect((await output()).length).toBe(30 * 1_024);
    found.child.kill('SIGTERM');
    await found.ended;
  } finally {
    execFileSync('umount', [disk]);
  }
});

test('TLS on both sides: a certificate for other names, a renewed one, clients that must have one', async () => {
  const [first, second] = [await loadServingPki({}), await loadServingPki({})].map((keeper) => keeper.current());
  if (first === undefined || second === undefined) throw new Error('there are two');
  const { requests, port: agentPort } = await agent(first.server);
  await writeFile(join(folder, 'tls.crt'), first.server.cert);
  await writeFile(join(folder, 'tls.key'), first.server.key);
  await writeFile(join(folder, 'ca.crt'), first.ca);
  await writeFile(
    join(folder, 'web.yaml'),
    `
tls_server_config:
  cert_file: tls.crt
  key_file: tls.key
  client_ca_file: ca.crt
  client_auth_type: RequireAndVerifyClientCert
http_server_config: { headers: { X-Frame-Options: deny } }
`,
  );
  await writeFile(join(folder, 'in'), 'a');
  const found = reloader(
    '--config-file=in',
    '--listen-address=127.0.0.1:0',
    '--web-config-file=web.yaml',
    `--reload-url=https://me:secret@127.0.0.1:${agentPort()}/-/reload`,
  );
  const basic = Buffer.from('me:secret').toString('base64');
  await expect.poll(() => requests, soon).toEqual([`POST /-/reload Basic ${basic}`]);
  const own = await port(found);
  const ask = (ca: string, client: object): Promise<string> =>
    new Promise((resolve) => {
      tlsRequest({ host: '127.0.0.1', port: own, path: '/healthz', ca, agent: false, ...client }, (response) => {
        response.resume();
        resolve([response.statusCode, response.headers['x-frame-options']].join(' '));
      })
        .on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
        .end();
    });
  expect(await ask(first.ca, first.admin)).toBe('200 deny');
  expect(await ask(first.ca, {})).not.toContain('200');
  expect(await ask(first.ca, second.admin)).not.toContain('200');
  await writeFile(join(folder, 'tls.crt'), second.server.cert);
  // Half renewed: the old one stays.
  expect(await ask(first.ca, first.admin)).toBe('200 deny');
  await writeFile(join(folder, 'tls.key'), second.server.key);
  expect(await ask(second.ca, first.admin)).toBe('200 deny');
  expect(found.err()).not.toContain('secret');
});

test('by a signal, with the process asked what came of it', async () => {
  // It says its name to the system, and counts its signals as Prometheus tells of its reloads.
  const source = `
    const http = require('node:http');
    process.title = 'fakeprometheus';
    let loadedMs = 1000;
    process.on('SIGHUP', () => { loadedMs += 60_000; });
    const server = http.createServer((request, response) => response.end(JSON.stringify({ status: 'success',
      data: { reloadConfigSuccess: true, lastConfigTime: new Date(loadedMs).toISOString() } })));
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const fake = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const fakePort = await new Promise<string>((resolve) => fake.stdout.once('data', (data) => resolve(String(data))));
    await writeFile(join(folder, 'in'), 'a');
    const info = `http://127.0.0.1:${fakePort.trim()}/api/v1/status/runtimeinfo`;
    const found = reloader(
      '--config-file=in',
      '--reload-method=signal',
      '--process-executable-name=fakeprometheus',
      `--runtimeinfo-url=${info}`,
    );
    await expect.poll(found.err, soon).toContain('msg="Reload triggered"');
    const { data } = (await (await fetch(info)).json()) as { readonly data: { readonly lastConfigTime: string } };
    expect(Date.parse(data.lastConfigTime)).toBe(61_000);
  } finally {
    fake.kill('SIGKILL');
  }
});
