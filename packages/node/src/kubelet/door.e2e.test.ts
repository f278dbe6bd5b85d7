/** kubectl through the API server to the door of a node, on which commands of this machine stand for containers. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import {
  type Cluster,
  createClient,
  createCluster,
  loadServingPki,
  nodes,
  type Pod,
  pods,
  type Serving,
  serveCluster,
  systemClock,
} from '@signalbox/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExecSession, InsideState } from '../protocol/inside.ts';
import { containerLog, nodePlaces } from '../protocol/places.ts';
import { createFakeInside } from '../testing/fake-inside.ts';
import { type Kubelet, openKubelet } from './door.ts';
import { selfSigned } from './self-signed.ts';

const program = process.env['KUBECTL'] ?? 'kubectl';
const { signal } = new AbortController();
const folder = mkdtempSync(join(tmpdir(), 'signalbox-door-'));
const places = nodePlaces(join(folder, 'node'));
const kubeconfig = join(folder, 'kubeconfig');
const problems: string[] = [];
const sizes: unknown[] = [];
let cluster: Cluster;
let serving: Serving;
let kubelet: Kubelet;
let web: Pod;
let application: Server;
let running = true;

function isLeftOut(): boolean {
  if (spawnSync(program, ['version', '--client']).status === 0) return false;
  const message = 'kubectl is not installed: the tests that let it judge the door';
  if ((process.env['CI'] ?? '') !== '') throw new Error(`${message} cannot run`);
  process.stderr.write(`${message} are left out\n`);
  return true;
}

/** A process of this machine; a terminal is only written down. */
function local(
  argv: readonly string[],
  { stdin, tty }: { readonly stdin: boolean; readonly tty: boolean },
): ExecSession {
  const [file = '', ...rest] = argv;
  const child = spawn(file, rest, { stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 137));
  });
  return {
    stdin: child.stdin ?? undefined,
    stdout: child.stdout as Readable,
    stderr: tty ? undefined : (child.stderr as Readable),
    ended,
    resize: (size) => void sizes.push(size),
  };
}

function said(text: string): ExecSession {
  const stdout = new PassThrough();
  const stdin = new PassThrough();
  stdout.write(text);
  stdin.on('data', (bytes: Buffer) => stdout.write(`heard ${bytes.toString()}`));
  stdin.once('end', () => stdout.end());
  const ended = new Promise<number>((resolve) => stdout.once('end', () => resolve(3)));
  return { stdin, stdout, stderr: undefined, ended, resize: () => undefined };
}

beforeAll(async () => {
  if (isLeftOut()) return;
  const pki = await loadServingPki({});
  const report = ({ component, message, error }: { component: string; message: string; error?: unknown }): void =>
    void problems.push(`${component}: ${message}: ${String(error)}`);
  cluster = await createCluster({ nodes: 0, certificateAuthority: pki, report });
  serving = await serveCluster(cluster, { pki, port: 0, kubeconfig, report });
  const state = async (): Promise<InsideState> => ({
    ...{ event: 0, pods: [], orphans: [], lacks: [] },
    containers: [
      {
        ...{ pod: web.metadata.uid, name: 'main', attempt: 1, id: 'process://main-1', startedMs: 1_000 },
        ...(!running && { ended: { endedMs: 2_000, exitCode: 0, isOutOfMemory: false } }),
      },
    ],
  });
  const inside = createFakeInside({
    state,
    exec: async (_, command) => local(command.argv, command),
    attach: async () => said('attached\n'),
    usage: async () => [{ pod: web.metadata.uid, name: 'main', cpuNanoseconds: 1_500_000_000, memoryBytes: 4_096 }],
  });
  kubelet = await openKubelet({
    ...{ nodeName: 'real', inside, places, clock: systemClock, report, pods: () => [web] },
    client: createClient(cluster.api, { name: 'admin', groups: ['system:masters'] }),
    tls: { authority: pki.pem(), ...(await selfSigned('real', systemClock)) },
  });
  const annotations = { 'signalbox.dev/driver': 'process', 'signalbox.dev/kubelet': kubelet.url };
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'real', annotations } };
  await cluster.client.create(nodes, node as never, { signal });
  const containers = [{ name: 'main', image: 'web', stdin: true }];
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default' },
    spec: { nodeName: 'real', containers },
  };
  web = await cluster.client.create(pods, pod as never, { signal });
  const status = { phase: 'Running', podIP: '127.0.0.1' };
  await cluster.client.patch(pods, {
    ...{ namespace: 'default', name: 'web', patchType: 'merge', subresource: 'status', body: { status }, signal },
  });
  web = { ...web, status };
  application = createServer((request, response) => {
    if (request.url === '/large') response.end(Buffer.alloc(5_000_000, 'x'));
    else response.end(`served ${request.url}`);
  });
  await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  application?.close();
  application?.closeAllConnections();
  await kubelet?.close();
  await serving?.close();
  await cluster?.close();
  rmSync(folder, { recursive: true, force: true });
  expect(problems).toEqual([]);
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface Options {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

function start(argv: readonly string[], { env }: Options = {}): ChildProcess {
  const [file = '', ...rest] = argv;
  return spawn(file, rest, { env: { ...process.env, KUBECONFIG: kubeconfig, HOME: folder, ...env } });
}

function run(argv: readonly string[], options: Options = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const child = start(argv, options);
    const text = { out: '', err: '' };
    child.stdout?.on('data', (bytes: Buffer) => (text.out += bytes.toString()));
    child.stderr?.on('data', (bytes: Buffer) => (text.err += bytes.toString()));
    child.once('close', (code) => resolve({ code: code ?? -1, ...text }));
    child.stdin?.on('error', () => undefined).end(options.stdin ?? '');
  });
}

const kubectl = (line: readonly string[], options?: Options): Promise<Ran> => run([program, ...line], options);

const spdy = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' };

describe.skipIf(isLeftOut())('kubectl', () => {
  describe.each([
    ['over WebSocket', {}],
    ['over SPDY', spdy],
  ])('%s', (_, env) => {
    test('runs a command: both outputs and the exit code', async () => {
      const ran = await kubectl(['exec', 'web', '--', 'sh', '-c', 'echo out; echo err >&2; exit 7'], { env });
      expect(ran).toEqual({ code: 7, out: 'out\n', err: 'err\ncommand terminated with exit code 7\n' });
    });

    test('gives it input, and its end', async () => {
      const stdin = 'x'.repeat(3_000_000);
      const { code, out } = await kubectl(['exec', '-i', 'web', '--', 'cat'], { stdin, env });
      expect([code, out.length, out === stdin]).toEqual([0, stdin.length, true]);
    });

    test('gives it a terminal', async () => {
      sizes.length = 0;
      const { out } = await run(['script', '-qec', `${program} exec -it web -- echo typed`, '/dev/null'], { env });
      expect(out).toContain('typed');
    });

    test('copies files both ways', async () => {
      const [there, back] = [join(folder, 'there'), join(folder, 'back')];
      writeFileSync(join(folder, 'file'), 'content');
      mkdirSync(there, { recursive: true });
      expect((await kubectl(['cp', join(folder, 'file'), `web:${there}/copied`], { env })).code).toBe(0);
      expect(readFileSync(join(there, 'copied'), 'utf8')).toBe('content');
      expect((await kubectl(['cp', `web:${there}/copied`, back], { env })).code).toBe(0);
      expect(readFileSync(back, 'utf8')).toBe('content');
    });

    test('attaches', async () => {
      const { code, out } = await kubectl(['attach', '-i', 'web'], { stdin: 'hello', env });
      expect([code, out]).toEqual([0, 'attached\nheard hello']);
    });

    test('forwards ports, many connections and much at a time', async () => {
      const { port } = application.address() as AddressInfo;
      await forwarding(port, env, async (local) => {
        const answers = await Promise.all(Array.from({ length: 20 }, (__, index) => fetched(local, `/${index}`)));
        expect(answers).toEqual(answers.map((___, index) => `served /${index}`));
        expect(await fetched(local, '/large')).toHaveLength(5_000_000);
      });
    });

    test('is told of a port where nobody listens', async () => {
      const said = await forwarding(1, env, async (local) => {
        await expect(fetched(local, '/')).rejects.toThrow();
      });
      expect(said).toMatch(/error forwarding port 1 to pod web, uid [-0-9a-f]+: connect ECONNREFUSED/);
    });
  });

  test('refuses what does not run', async () => {
    running = false;
    const { code, err } = await kubectl(['exec', 'web', '--', 'ls']);
    running = true;
    expect([code, err]).toEqual([1, 'error: unable to upgrade connection: container not found ("main")\n']);
  });

  describe('logs', () => {
    const file = (attempt: number): string =>
      containerLog(places, { namespace: 'default', name: 'web', uid: web.metadata.uid, container: 'main', attempt });
    const line = (time: string, text: string): string => `2026-01-01T00:00:${time}.500000000Z stdout F ${text}\n`;

    test('of this attempt, renamed files and the one before', async () => {
      mkdirSync(dirname(file(0)), { recursive: true });
      writeFileSync(file(0), line('00', 'earlier'));
      writeFileSync(`${file(1)}.20260101-000000.000`, line('01', 'one') + line('02', 'two'));
      writeFileSync(file(1), line('03', 'three') + line('04', 'four'));
      expect((await kubectl(['logs', 'web'])).out).toBe('one\ntwo\nthree\nfour\n');
      expect((await kubectl(['logs', 'web', '--previous'])).out).toBe('earlier\n');
      expect((await kubectl(['logs', 'web', '--tail=3'])).out).toBe('two\nthree\nfour\n');
      expect((await kubectl(['logs', 'web', '--tail=1', '--timestamps'])).out).toBe(
        '2026-01-01T00:00:04.500000000Z four\n',
      );
      expect((await kubectl(['logs', 'web', '--since-time=2026-01-01T00:00:03Z'])).out).toBe('three\nfour\n');
      expect((await kubectl(['logs', 'web', '--since=1h'])).out).toBe('');
      expect((await kubectl(['logs', 'web', '--limit-bytes=5'])).out).toBe('one\nt');
    });

    test('as they grow, until the container ends', async () => {
      writeFileSync(file(1), line('03', 'three'));
      const child = start([program, 'logs', '-f', 'web', '--tail=1']);
      let out = '';
      child.stdout?.on('data', (bytes: Buffer) => (out += bytes.toString()));
      const until = async (text: string): Promise<void> => {
        while (!out.endsWith(text)) await new Promise((resolve) => child.stdout?.once('data', resolve));
      };
      await until('three\n');
      renameSync(file(1), `${file(1)}.20260101-000003.000`);
      writeFileSync(file(1), line('05', 'five'));
      await until('five\n');
      const closed = new Promise((resolve) => child.once('close', resolve));
      running = false;
      expect(await closed).toBe(0);
      running = true;
      expect(out).toBe('three\nfive\n');
    });

    test('that are not there', async () => {
      const { err } = await kubectl(['logs', 'web', '-c', 'other']);
      expect(err).toContain('container other is not valid for pod web');
    });
  });

  test('reads what the node serves', async () => {
    const raw = async (path: string): Promise<string> => (await kubectl(['get', '--raw', path])).out;
    expect(await raw('/api/v1/nodes/real/proxy/healthz')).toBe('ok');
    expect(await raw('/api/v1/nodes/real/proxy/metrics/resource')).toContain(
      'container_cpu_usage_seconds_total{container="main",namespace="default",pod="web"} 1.5 ',
    );
    expect(JSON.parse(await raw('/api/v1/nodes/real/proxy/stats/summary'))).toMatchObject({
      pods: [{ podRef: { name: 'web' }, containers: [{ name: 'main', memory: { workingSetBytes: 4_096 } }] }],
    });
    const { port } = application.address() as AddressInfo;
    expect(await raw(`/api/v1/namespaces/default/pods/web:${port}/proxy/page?q=1`)).toBe('served /page?q=1');
    const refused = await kubectl(['get', '--raw', '/api/v1/namespaces/default/pods/web:1/proxy/']);
    expect(refused.err).toContain('error trying to reach pod default/web at port 1: connect ECONNREFUSED');
  });
});

/** What kubectl said in all. */
async function forwarding(
  port: number,
  env: Readonly<Record<string, string>>,
  use: (local: number) => Promise<void>,
): Promise<string> {
  const child = start([program, 'port-forward', 'pod/web', `:${port}`], { env });
  let text = '';
  const ready = new Promise<number>((resolve, reject) => {
    const hear = (bytes: Buffer): void => {
      text += bytes.toString();
      const found = /Forwarding from 127\.0\.0\.1:(\d+)/.exec(text)?.[1];
      if (found !== undefined) resolve(Number(found));
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('close', () => reject(new Error(`kubectl ended: ${text}`)));
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  try {
    await use(await ready);
  } finally {
    child.kill();
    await closed;
  }
  return text;
}

function fetched(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('end', () => resolve(text)).once('error', reject);
    }).once('error', reject);
  });
}

describe.skipIf(isLeftOut())('who may', () => {
  test('nobody unknown, and a token that the API server knows as far as its rights go', async () => {
    const ask = async (path: string, token?: string): Promise<number> => {
      const { status, stdout } = await new Promise<{ status: number | null; stdout: string }>((resolve) => {
        const auth = token === undefined ? [] : ['-H', `authorization: Bearer ${token}`];
        const child = spawn('curl', ['-sk', '-o', '/dev/null', '-w', '%{http_code}', ...auth, `${kubelet.url}${path}`]);
        let out = '';
        child.stdout.on('data', (bytes: Buffer) => (out += bytes.toString()));
        child.once('close', (code) => resolve({ status: code, stdout: out }));
      });
      expect(status).toBe(0);
      return Number(stdout);
    };
    expect(await ask('/pods')).toBe(401);
    expect(await ask('/pods', 'nonsense')).toBe(401);
    const { out: token } = await kubectl(['create', 'token', 'default']);
    expect(await ask('/metrics/resource', token.trim())).toBe(403);
    await kubectl(['create', 'clusterrole', 'reads', '--verb=get', '--resource=nodes/metrics']);
    await kubectl(['create', 'clusterrolebinding', 'reads', '--clusterrole=reads', '--serviceaccount=default:default']);
    expect(await ask('/metrics/resource', token.trim())).toBe(200);
    expect(await ask('/pods', token.trim())).toBe(403);
  });
});
