/** A node that ends while people look into its pods; as root and as an ordinary user. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHttpTransport, systemClock, systemRandom } from '@signalbox/cluster';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { startNode } from './node.ts';
import { groupName } from './protocol/places.ts';
import { familyOf } from './testing/family.ts';
import { insideCommand } from './testing/inside-command.ts';
import { everybody } from './testing/real-inside.ts';
import { isReady, isRunning, type RealNode, realNode, shellContainer } from './testing/real-node.ts';

interface Client {
  readonly child: ChildProcess;
  said(): string;
  readonly ended: Promise<{ readonly code: number | null; readonly said: string }>;
}

let node: RealNode;
let clients: Client[] = [];

function start(argv: readonly string[]): Client {
  const [program = '', ...args] = argv;
  const env = {
    PATH: process.env['PATH'],
    HOME: node.clusterFolder,
    KUBECONFIG: join(node.clusterFolder, 'kubeconfig'),
  };
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const ended = new Promise<{ code: number | null; said: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, said })),
  );
  const client: Client = { child, said: () => said, ended };
  clients.push(client);
  return client;
}

const poll = { timeout: 20_000 };

const path = (process.env['PATH'] ?? '').split(':');
const isMissing = (program: string): boolean => !path.some((folder) => existsSync(join(folder, program)));
const mend = isMissing('kubectl') ? ' (needs: apt-get install kubernetes-client)' : '';
const isCi = process.env['CI'] === 'true';

describe.skipIf(mend !== '' && !isCi).each(everybody)(`as %s${mend}`, (who) => {
  afterEach(async () => {
    for (const { child } of clients) child.kill('SIGKILL');
    clients = [];
    await node.end();
  });

  test('two agents do not share a folder, and who looks into a pod is told when the node ends', async () => {
    expect(mend).toBe('');
    node = await realNode(who, { images: [`example/node=${process.execPath}`] });
    const program = `
      require('net').createServer((s) => { s.write('welcome\\n'); s.on('error', () => {}); }).listen(8080);
      setInterval(() => console.log('tick'), 100);`;
    const app = {
      ...{ name: 'app', image: 'example/node', command: [process.execPath, '-e', program] },
      readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
    };
    await node.create('web', { containers: [app] } as never);
    const stubborn = shellContainer('trap "" TERM; setsid sleep 5555 & while :; do sleep 0.2; done', {
      volumeMounts: [{ name: 'm', mountPath: '/m' }],
    });
    const volumes = [{ name: 'm', emptyDir: { medium: 'Memory' } }];
    await node.create('busy', { containers: [stubborn], volumes } as never);
    await node.until('busy', isRunning);
    await node.until('web', isReady);
    await expect(node.startRival()).rejects.toThrow(/it is in use by process \d+; stop that process or choose/);
    expect((await node.exec('web', 'echo still there')).stdout).toBe('still there\n');

    const exec = start(['script', '-qec', 'kubectl exec -it web -- sh -c "echo typed; exec cat"', '/dev/null']);
    const logs = start(['kubectl', 'logs', '-f', 'web']);
    const attach = start(['kubectl', 'attach', 'web']);
    const forward = start(['kubectl', 'port-forward', 'pod/web', ':8080']);
    await expect.poll(() => forward.said(), poll).toMatch(/Forwarding from 127\.0\.0\.1:\d+/);
    const socket = connect(Number(/127\.0\.0\.1:(\d+)/.exec(forward.said())?.[1]), '127.0.0.1');
    let heard = '';
    const hungUp = new Promise<void>((resolve) => socket.on('error', () => undefined).once('close', () => resolve()));
    socket.on('data', (bytes) => (heard += bytes.toString()));
    await expect.poll(() => heard, poll).toBe('welcome\n');
    await expect.poll(() => exec.said(), poll).toContain('typed');
    for (const each of [logs, attach]) await expect.poll(() => each.said(), poll).toContain('tick');

    const all = familyOf(node.folder);
    expect(all.length).toBeGreaterThan(3);
    const sinceMs = performance.now();
    await node.endNode();
    const ends = await Promise.all(
      Object.entries({ exec, logs, attach, forward }).map(async ([name, { ended }]) => [name, await ended] as const),
    );
    await hungUp;
    expect(performance.now() - sinceMs).toBeLessThan(8_000);
    const lastLine = /([^\r\n]*)[\r\n]*$/;
    expect(ends.map(([name, { code, said }]) => `${name} ${code}: ${lastLine.exec(said)?.[1]}`)).toEqual([
      'exec 1: error: Internal error occurred: the agent of node box ends',
      'logs 0: tick',
      'attach 1: error: Internal error occurred: the agent of node box ends',
      'forward 1: error: lost connection to pod',
    ]);
    await expectNothingLeft(all);
    expect(node.said).toEqual([]);
  });
});

test('a node that is ended before it was registered leaves nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-node-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const connection = { server: 'https://127.0.0.1:1', tls: {}, credentials: { get: () => Promise.resolve({}) } };
  const transport = createHttpTransport({ connection, clock: systemClock, random: systemRandom() });
  onTestFinished(() => transport.close());
  const ending = new AbortController();
  const node = startNode({
    ...{ name: 'box', folder, transport, networkTransport: transport, insideCommand, signal: ending.signal },
    ...{ api: { host: '127.0.0.1', port: 1 }, authority: '', serving: undefined, labels: {}, taints: [], podsMax: 1 },
    ...{ images: [], imagesFolder: undefined, egress: [], hostPaths: [], staticPods: undefined, reloader: undefined },
    ...{ clock: systemClock, random: systemRandom(), report: () => undefined },
  });
  node.catch(() => undefined);
  await expect.poll(() => familyOf(folder).length, poll).toBeGreaterThan(1);
  ending.abort(new Error('somebody has pressed Ctrl-C'));
  await expect(node).rejects.toThrow('Ctrl-C');
  await expect.poll(() => familyOf(folder), poll).toEqual([]);
});

async function expectNothingLeft(all: readonly number[]): Promise<void> {
  const living = (): readonly number[] =>
    all.filter((pid) => existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`).length > 0);
  await expect.poll(living, poll).toEqual([]);
  expect(familyOf(node.folder)).toEqual([]);
  expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(node.folder);
  expect(execFileSync('ip', ['link'], { encoding: 'utf8' })).not.toMatch(/br0|veth/);
  for (const tree of ['memory', 'pids', 'cpu', ''])
    expect(existsSync(join('/sys/fs/cgroup', tree, groupName(node.folder)))).toBe(false);
  expect(readdirSync(node.folder).filter((name) => name.startsWith('lock'))).toEqual([]);
}
