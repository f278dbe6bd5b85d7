import { chmod, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AssetFiles, folderName, writeAssets } from './folder.ts';

const files: AssetFiles = {
  etcd: { is: 'program', text: '#!/bin/sh\n' },
  'etcd.mjs': { is: 'text', text: 'ü' },
  kubectl: { is: 'link', to: '/bin/sh' },
};

let parent = '';
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'signalbox-assets-'));
});
afterEach(() => rm(parent, { recursive: true }));

test('the folder is called by what is in it', () => {
  expect(folderName(files)).toMatch(/^[0-9a-f]{16}$/);
  expect(folderName({ ...files, kubectl: { is: 'link', to: '/bin/bash' } })).not.toBe(folderName(files));
  expect(folderName(Object.fromEntries(Object.entries(files).reverse()))).toBe(folderName(files));
});

test('it has programs that run, and links', async () => {
  const path = await writeAssets(join(parent, 'a', 'b'), files);
  expect((await stat(join(path, 'etcd'))).mode & 0o777).toBe(0o755);
  expect(await readFile(join(path, 'etcd.mjs'), 'utf8')).toBe('ü');
  expect(await readlink(join(path, 'kubectl'))).toBe('/bin/sh');
});

test('many at once get the same one, and leave nothing beside it', async () => {
  const paths = await Promise.all(Array.from({ length: 8 }, () => writeAssets(parent, files)));
  expect(new Set(paths).size).toBe(1);
  expect(await readdir(parent)).toEqual([folderName(files)]);
});

test('one that is there is left alone, one that is damaged is made anew', async () => {
  const path = await writeAssets(parent, files);
  const before = await stat(path);
  await writeAssets(parent, files);
  expect((await stat(path)).ino).toBe(before.ino);
  await writeFile(join(path, 'etcd.mjs'), 'torn off');
  await chmod(join(path, 'etcd'), 0o600);
  expect(await writeAssets(parent, files)).toBe(path);
  expect(await readFile(join(path, 'etcd.mjs'), 'utf8')).toBe('ü');
  expect((await stat(join(path, 'etcd'))).mode & 0o777).toBe(0o755);
  expect(await readdir(parent)).toEqual([folderName(files)]);
});
