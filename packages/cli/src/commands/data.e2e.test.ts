import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandProcess, startCommand } from '../testing/process.ts';

let cwd: string;
let running: CommandProcess[];
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'signalbox-data-'));
  running = [];
});
afterEach(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(running.map(({ ended }) => ended));
  await rm(cwd, { recursive: true });
});

const start = (...argv: readonly string[]): CommandProcess => {
  const started = startCommand(argv, { cwd });
  running.push(started);
  return started;
};
const ended = async (...argv: readonly string[]): Promise<{ code: number | null; out: string; err: string }> => {
  const command = start(...argv);
  const code = await command.ended;
  return { code, out: command.out(), err: command.err() };
};
const up = async (folder: string): Promise<CommandProcess> => {
  const server = start('up', '--data', folder, '--port', '0', '--nodes', '1', '--no-operator');
  await server.printed('The API is at');
  return server;
};

const configMap = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kept}\ndata: {a: "1"}\n`;

test('a cluster is saved while it runs and when it does not, checked, and restored', async () => {
  await writeFile(join(cwd, 'kept.yaml'), configMap);
  expect(
    (await ended('up', '--data', 'a', '--port', '0', '--exit-when-ready', '--no-operator', '-f', 'kept.yaml')).code,
  ).toBe(0);
  const server = await up('a');
  const saved = await ended('backup', 'running.backup', '--kubeconfig', 'a/kubeconfig');
  expect([saved.code, saved.out]).toEqual([0, '']);
  expect(saved.err).toMatch(/saved \d+ objects and \d+ certificates and keys of revision \d+ to running.backup/);
  expect((await stat(join(cwd, 'running.backup'))).mode & 0o777).toBe(0o600);
  expect(await ended('backup', 'no.backup', '--data', 'a')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^error: .*in use by process \d+; leave --data away to ask the running server\n$/),
  });
  expect(await ended('check', '--data', 'a')).toMatchObject({ code: 1, err: expect.stringContaining('in use by') });
  server.child.kill('SIGTERM');
  await server.ended;

  expect((await ended('backup', 'stopped.backup', '--data', 'a')).code).toBe(0);
  const check = await ended('check', '--data', 'a');
  expect([check.code, check.out]).toEqual([0, '']);
  expect(check.err).toContain('3  core/nodes');
  expect(await ended('restore', 'running.backup', '--data', 'a')).toMatchObject({
    code: 1,
    err: expect.stringContaining('is not empty; choose another folder, or put what it holds aside with --replace'),
  });
  expect((await ended('restore', 'running.backup', '--data', 'b')).code).toBe(0);
  const restored = await up('b');
  restored.child.kill('SIGTERM');
  await restored.ended;
  expect((await ended('check', '--data', 'b')).err).toMatch(/revision 1\d{9}, /);
  expect((await readdir(cwd)).sort()).toEqual(['a', 'b', 'kept.yaml', 'running.backup', 'stopped.backup']);
}, 120_000);

test('what is not there is told in one line', async () => {
  expect(await ended('backup', 'x', '--data', 'none')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^error: cannot read the data folder .*none: .*\n$/),
  });
  expect(await ended('restore', 'none', '--data', 'x')).toMatchObject({
    code: 1,
    err: 'reading none\nerror: there is no file none\n',
  });
}, 60_000);
