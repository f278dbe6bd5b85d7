/** The image as it is built, from its archive. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createArchives } from '../../packages/node/src/images/archives/archives.ts';
import type { Image } from '../../packages/node/src/images/image.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'image-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function image(...args: readonly string[]) {
  const command = ['--import', 'tsx', join(root, 'tools/image/main.ts'), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** As somebody builds it whose files are nobody else's. */
function imageOfPrivate(...args: readonly string[]) {
  const before = process.umask(0o077);
  try {
    return image(...args);
  } finally {
    process.umask(before);
  }
}

function built(name: string, ...args: readonly string[]): string {
  mkdirSync(join(folder, name), { recursive: true });
  const out = join(folder, name, 'image.tar');
  const { status, stderr } = image('--name', 'example.org/signalbox:test', '--out', out, ...args);
  expect(stderr).not.toContain('error');
  expect(status).toBe(0);
  return out;
}

async function unpacked(archive: string, arch = 'x64'): Promise<Image> {
  const archives = createArchives({
    folder: join(archive, '..'),
    cache: `${archive}.cache`,
    isRoot: process.getuid?.() === 0,
    arch,
  });
  const found = await archives.unpacked('example.org/signalbox:test');
  if (found === undefined) throw new Error(`${archive} has no such image`);
  return found;
}

function rootOf({ root: from }: Image): string {
  if (from.is !== 'image') throw new Error('it has no root');
  return from.path;
}

/** A root file system whose Node.js is this one. */
function rootWithNode(): string {
  const base = join(folder, 'root');
  mkdirSync(join(base, 'usr/local/bin'), { recursive: true });
  const node = join(base, 'usr/local/bin/node');
  writeFileSync(node, `#!/bin/sh\nexec ${process.execPath} "$@"\n`);
  chmodSync(node, 0o755);
  return base;
}

test('the same files give the same archive, small enough, and the program starts from it', {
  timeout: 120_000,
}, async () => {
  const archive = built('first', '--platform', 'linux/amd64');
  expect(readFileSync(built('second', '--platform', 'linux/amd64')).equals(readFileSync(archive))).toBe(true);
  const secret = join(folder, 'private.tar');
  imageOfPrivate('--name', 'example.org/signalbox:test', '--out', secret, '--platform', 'linux/amd64');
  expect(readFileSync(secret).equals(readFileSync(archive))).toBe(true);
  expect(statSync(archive).size).toBeLessThan(10e6);
  const { entrypoint, user, workingDir, ...rest } = await unpacked(archive);
  expect({ entrypoint, user, workingDir }).toEqual({
    entrypoint: ['node', '/usr/lib/signalbox/dist/bundle/main.js'],
    user: '65532:65532',
    workingDir: '/',
  });
  const files = join(rootOf({ entrypoint, user, workingDir, ...rest }), 'usr/lib/signalbox');
  const up = ['up', '--data', join(folder, 'data'), '--port', '0', '--nodes', '1', '--exit-when-ready'];
  const quickstart = join(root, 'examples/quickstart');
  const program = [join(files, 'dist/bundle/main.js'), ...up, '-f', quickstart];
  const started = spawnSync(process.execPath, program, { encoding: 'utf8' });
  expect(started.stderr).toContain('GrafanaAgent monitoring/grafana-agent (Reconciled, Available)');
  expect(started.status).toBe(0);
  const sbom = JSON.parse(readFileSync(join(files, 'sbom.spdx.json'), 'utf8')) as {
    readonly packages: readonly {
      readonly name: string;
      readonly versionInfo: string;
      readonly licenseDeclared: string;
    }[];
  };
  const names = sbom.packages.map(({ name }) => name);
  for (const name of ['signalbox', 'lmdb', '@lmdb/lmdb-linux-x64', 'undici', 'commander', 'js-yaml', 'jose'])
    expect(names).toContain(name);
  expect(
    sbom.packages.filter(({ licenseDeclared }) => licenseDeclared === 'NOASSERTION').map(({ name }) => name),
  ).toEqual([]);
});

test('it stands on a root file system, and on an image', { timeout: 120_000 }, async () => {
  const first = built('rooted', '--platform', 'linux/amd64', '--base', rootWithNode());
  const { entrypoint } = await unpacked(first);
  expect(entrypoint[0]).toBe('/usr/local/bin/node');
  const image = await unpacked(built('based', '--base', first));
  expect(image.entrypoint[0]).toBe('/usr/local/bin/node');
  expect(readdirSync(join(rootOf(image), 'usr')).sort()).toEqual(['lib', 'local']);
});

test.each([
  [['--name', 'Bad Name:x y'], 'it is no name of an image'],
  [['--base', 'LICENSE'], 'the base LICENSE is no tar, or a damaged one: '],
  [['--base', '/nowhere'], 'the base /nowhere is not there'],
  [['--platform', 'linux/s390x'], 'there are no binaries for linux/s390x'],
  [['--base', 'docs'], 'the base does not say which platform it is for'],
  [['--base', 'docs', '--platform', 'linux/amd64'], 'has no Node.js for linux/amd64'],
])('%j is refused with what is wrong', (args, message) => {
  const { status, stderr } = image(...args, '--out', join(folder, 'refused.tar'));
  expect(status).toBe(1);
  expect(stderr).toContain(message);
});
