import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandProcess, startCommand } from '../testing/process.ts';

const call = promisify(execFile);

let cwd: string;
let running: CommandProcess[];
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'signalbox-clock-'));
  running = [];
});
afterEach(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(running.map(({ ended }) => ended));
  await rm(cwd, { recursive: true });
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function ended(...argv: readonly string[]): Promise<Ended> {
  const command = startCommand(argv, { cwd });
  running.push(command);
  const code = await command.ended;
  return { code, out: command.out(), err: command.err() };
}

async function up(...argv: readonly string[]): Promise<CommandProcess> {
  const server = startCommand(['up', '--port', '0', '--no-operator', '--no-crds', ...argv], { cwd });
  running.push(server);
  await server.printed('The API is at');
  return server;
}

async function kubectl(...argv: readonly string[]): Promise<string> {
  const { stdout } = await call('kubectl', ['--kubeconfig', join(cwd, '.signalbox/kubeconfig'), ...argv], {
    cwd,
  });
  return stdout;
}

const workloads = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: registry.invalid/web:1 }] }
---
apiVersion: v1
kind: Pod
metadata: { name: guest }
spec:
  nodeName: node-1
  containers: [{ name: c, image: example.com/c:1 }]
`;

test('hours pass when somebody says so: deadlines, silent nodes, and a restart', async () => {
  await writeFile(join(cwd, 'workloads.yaml'), workloads);
  const server = await up('--virtual', '--seed', 'one');
  const time = async (): Promise<number> => Date.parse((await ended('clock')).out.split(' ')[0] ?? '');
  const began = await time();
  await kubectl('apply', '-f', 'workloads.yaml');
  expect(await kubectl('get', 'pod', 'guest', '-o', 'jsonpath={.status.phase}')).toBe('Pending');
  expect(await time()).toBe(began);

  expect((await ended('clock', '+11m')).out).toBe(`${new Date(began + 660_000).toISOString()}\n`);
  expect(await kubectl('get', 'pod', 'guest', '-o', 'jsonpath={.status.phase}')).toBe('Running');
  const reason = 'jsonpath={.status.conditions[?(@.type=="Progressing")].reason}';
  expect(await kubectl('get', 'deployment', 'web', '-o', reason)).toBe('ProgressDeadlineExceeded');

  await kubectl('annotate', 'node', 'node-1', 'signalbox.dev/stopped=true');
  await ended('clock', '+2m');
  expect(await kubectl('get', 'node', 'node-1', '-o', 'jsonpath={.spec.taints[*].key}')).toContain('unreachable');
  await ended('clock', '+6m');
  expect(await kubectl('get', 'pod', 'guest', '-o', 'jsonpath={.metadata.deletionTimestamp}')).not.toBe('');

  expect(await ended('clock', '2020-01-01T00:00:00Z')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^error: time only goes forward, and it is /),
  });
  const stood = await time();
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  const unmoved = await ended('up', '--port', '0', '--no-operator', '--no-crds');
  expect(unmoved).toMatchObject({
    code: 1,
    err: expect.stringMatching(/it is \S+Z already: its clock was moved; go on with --virtual, or take another folder/),
  });
  await up('--virtual');
  // A start lets a second pass.
  expect(await time()).toBe(stood + 1_000);
});

test('up itself lets as much time pass as its manifests need', async () => {
  await writeFile(join(cwd, 'slow.yaml'), workloads.replace('registry.invalid/web:1', 'example.com/web:1'));
  const ready = [
    'up',
    '--memory',
    '--virtual',
    '--port',
    '0',
    '--no-operator',
    '--no-crds',
    '-f',
    'slow.yaml',
    '--exit-when-ready',
  ];
  expect(await ended(...ready)).toMatchObject({ code: 0 });
});

test('the computer’s clock cannot be moved, and some flags do not go together', async () => {
  await up();
  expect((await ended('clock')).out).toMatch(/^20\S+Z \(the computer’s\)\n$/);
  expect(await ended('clock', '+1h')).toMatchObject({
    code: 1,
    err: 'error: the clock of this cluster is the computer’s and cannot be moved; start it with: signalbox up --virtual\n',
  });
  for (const text of ['1h', '+1x', 'yesterday', ''])
    expect(await ended('clock', text)).toMatchObject({ code: 2, err: expect.stringContaining('neither a way') });
  expect(await ended('up', '--real', '--virtual')).toMatchObject({ code: 2 });
  expect(await ended('up', '--seed', 'x')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--seed goes with --virtual'),
  });
});
