import { gzipSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { createMemoryFiles, type MemoryFiles } from '../testing/memory-files.ts';
import { type Look, look } from './look.ts';

let files: MemoryFiles;
beforeEach(() => {
  files = createMemoryFiles();
  files.put('/in/config', 'a: $(FOO)');
  files.put('/rules/a.yaml', 'a');
  files.put('/rules/inner/b.yaml', 'b');
});

const places = { configFile: '/in/config', outputFile: '/out/config', watchedFolders: ['/rules'] };
function seen(from = places): Promise<Look> {
  return look(from, { files, env: { FOO: 'bar' } });
}

/** What the kubelet makes of a ConfigMap. */
function project(folder: string, revision: string, contents: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(contents)) {
    files.put(`${folder}/..${revision}/${name}`, text);
    const [top = ''] = name.split('/');
    files.link(`${folder}/${top}`, `..data/${top}`);
  }
  files.link(`${folder}/..data`, `..${revision}`);
}

test.each<[string, boolean, () => void]>([
  ['nothing', false, () => undefined],
  ['the configuration', true, () => files.put('/in/config', 'b')],
  ['the configuration, with the same bytes', false, () => files.put('/in/config', 'a: $(FOO)')],
  ['a file', true, () => files.put('/rules/a.yaml', 'c')],
  ['a file of a folder inside', true, () => files.put('/rules/inner/b.yaml', 'c')],
  [
    'the name of a file',
    true,
    () => {
      files.drop('/rules/a.yaml');
      files.put('/rules/z.yaml', 'a');
    },
  ],
  [
    'the order in which files appeared',
    false,
    () => {
      files.drop('/rules/a.yaml');
      files.put('/rules/a.yaml', 'a');
    },
  ],
  ['that a file is gone', true, () => files.drop('/rules/a.yaml')],
  [
    'that a file moved its end into the next one',
    true,
    () => {
      files.put('/rules/a.yaml', '');
      files.put('/rules/inner/b.yaml', 'ab');
    },
  ],
  ['the output', false, () => files.put('/out/config', 'else')],
])('the sum tells: %s', async (_, isTold, change) => {
  const before = await seen();
  change();
  expect((await seen()).sum !== before.sum).toBe(isTold);
});

test('a mount that is projected anew with the same contents is the same; with others it is not', async () => {
  project('/mount', '1', { 'x.yaml': 'x', 'deep/y.yaml': 'y' });
  const where = { ...places, watchedFolders: ['/mount'] };
  const before = await seen(where);
  project('/mount', '2', { 'x.yaml': 'x', 'deep/y.yaml': 'y' });
  files.drop('/mount/..1');
  expect((await seen(where)).sum).toBe(before.sum);
  project('/mount', '3', { 'x.yaml': 'x', 'deep/y.yaml': 'new' });
  expect((await seen(where)).sum).not.toBe(before.sum);
});

test('links that lead in a circle are followed once', async () => {
  files.link('/rules/inner/up', '/rules');
  await expect(seen()).resolves.toMatchObject({ config: { output: { unset: [] } } });
});

test.each<[string, () => void, string]>([
  ['a configuration that is gone', () => files.drop('/in/config'), 'ENOENT: /in/config'],
  ['a folder that is gone', () => files.drop('/rules'), 'ENOENT: /rules'],
  ['a link into nowhere', () => files.link('/rules/c.yaml', '/nowhere'), 'ENOENT: /rules/c.yaml'],
  ['a packed file that is damaged', () => files.put('/in/config', gzipSync('a').subarray(0, 12)), 'compressed'],
])('%s is an error', async (_, change, message) => {
  change();
  await expect(seen()).rejects.toThrow(message);
});

test('what belongs into the output is there as long as the output does not hold it', async () => {
  expect((await seen()).config?.unwritten?.toString()).toBe('a: bar');
  files.put('/out/config', 'a: bar');
  expect((await seen()).config?.unwritten).toBeUndefined();
  expect((await seen({ ...places, outputFile: '' })).config?.output).toBeUndefined();
});

test.each<[string, () => void]>([
  ['nothing', () => undefined],
  ['the configuration', () => files.put('/in/config', 'b: $(NO)')],
  ['the output', () => files.put('/out/config', 'else')],
  ['that the output is there', () => files.drop('/out/config')],
  ['a watched file', () => files.put('/rules/a.yaml', 'new')],
])('a look after another one sees what the first one would have seen: %s has changed', async (_, change) => {
  files.put('/out/config', 'a: bar');
  const before = await seen();
  change();
  expect(await look(places, { files, env: { FOO: 'bar' }, before })).toEqual(await seen());
});
