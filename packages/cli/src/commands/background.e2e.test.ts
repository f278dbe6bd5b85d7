import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandProcess, commandLine, startCommand } from '../testing/process.ts';

let cwd: string;
let running: CommandProcess[];
let started: Set<number>;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'signalbox-background-'));
  running = [];
  started = new Set();
});
afterEach(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(running.map(({ ended }) => ended));
  for (const pid of started) kill(pid, 'SIGKILL');
  await rm(cwd, { recursive: true });
});

const start = (...argv: readonly string[]): CommandProcess => {
  const command = startCommand(argv, { cwd });
  running.push(command);
  return command;
};
const kill = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
};
interface Told {
  readonly running: boolean;
  readonly pid: number;
  readonly log: string;
}
const told = async (): Promise<Told> => {
  const status = start('status', '-o', 'json');
  await status.ended;
  const found = JSON.parse(status.out()) as Told;
  if (found.pid !== undefined) started.add(found.pid);
  return found;
};

test('in the background it serves on, is told of by status, and is stopped by down', async () => {
  const up = start('up', '--detach', '--port', '0');
  expect(await up.ended, up.err()).toBe(0);
  expect(up.out()).toMatch(
    /^It runs in the background as process \d+ and writes to .*up\.log:\n {2}signalbox status\n {2}signalbox down$/m,
  );
  expect(up.err()).not.toContain('Ctrl-C');
  const found = await told();
  expect(found).toMatchObject({
    running: true,
    answers: true,
    nodes: { ready: 3, total: 3 },
    pods: { ready: 0, total: 0 },
  });
  expect(await readFile(found.log, 'utf8')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ The API is at /m);

  const second = start('up', '--detach', '--port', '0');
  expect(await second.ended).toBe(1);
  expect(second.err()).toContain(`it is in use by process ${found.pid}`);

  const down = start('down');
  expect(await down.ended, down.err()).toBe(0);
  expect(down.err()).toBe(`the cluster in .signalbox has stopped (process ${found.pid})\n`);
  const after = start('status');
  expect([await after.ended, after.out()]).toEqual([1, 'no cluster is running in .signalbox\n']);
  const again = start('down');
  expect([await again.ended, again.err()]).toEqual([0, 'no cluster is running in .signalbox\n']);
});

test('what keeps it from starting is told where it was started', async () => {
  const up = start('up', '--detach', '--host', '192.0.2.1', '--port', '0');
  expect(await up.ended).toBe(1);
  expect(up.err()).toBe('error: 192.0.2.1 is no address of this computer; use 127.0.0.1\n');
  expect((await told()).running).toBe(false);
});

test('what does not get ready, or is refused, is told, and the cluster goes on', async () => {
  await writeFile(join(cwd, 'bad.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: Bad_Name }\n');
  const up = start('up', '-f', 'bad.yaml', '--detach', '--port', '0');
  expect(await up.ended).toBe(1);
  expect(up.err()).toMatch(/^error: bad\.yaml:1: configmap\/Bad_Name: /m);
  expect((await told()).running).toBe(true);
  expect(await start('down').ended).toBe(0);
});

test('one that does not end in time is killed only when that is asked for', async () => {
  const up = start('up', '--port', '0');
  await up.printed('export KUBECONFIG=');
  up.child.kill('SIGSTOP');
  const patient = start('down', '--timeout', '1s');
  expect(await patient.ended).toBe(1);
  expect(patient.err()).toMatch(/^error: process \d+ does not end within 1s; .*signalbox down --force/);
  const impatient = start('down', '--timeout', '1s', '--force');
  expect(await impatient.ended, impatient.err()).toBe(0);
  expect(await up.ended).toBeNull();
});

test.each(['SIGTERM', 'SIGKILL'] as const)('npx that ends by %s takes the server along', async (signal) => {
  // As npm does it: a shell between, which gets the signal and does not hand it on.
  await writeFile(
    join(cwd, 'npm-cli.js'),
    `const { spawn } = require('node:child_process');
const shell = spawn('sh', ['-c', process.argv[2] + '; true'], { stdio: 'inherit' });
process.on('SIGTERM', () => { shell.kill('SIGTERM'); });
shell.on('exit', () => process.exit(0));`,
  );
  const line = commandLine(['up', '--port', '0'])
    .map((word) => `'${word}'`)
    .join(' ');
  const npm = spawn(process.execPath, [join(cwd, 'npm-cli.js'), line], {
    cwd,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, npm_config_user_agent: 'npm/11' },
  });
  await expect.poll(async () => (await told()).running, { timeout: 30_000, interval: 500 }).toBe(true);
  await expect.poll(async () => 'answers' in (await told()), { timeout: 30_000, interval: 500 }).toBe(true);
  npm.kill(signal);
  await expect.poll(async () => (await told()).running, { timeout: 15_000, interval: 500 }).toBe(false);
});
