import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { VolumeFile } from '../../protocol/volume.ts';
import { writeFiles } from './write-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const owners = { isRoot: false, group: undefined };

function file(path: string, text: string, mode = 0o644): VolumeFile {
  return { path, base64: Buffer.from(text).toString('base64'), mode };
}

const names = () => readdirSync(folder).filter((name) => !name.startsWith('..'));
const text = (path: string) => readFileSync(join(folder, path), 'utf8');
const mode = (path: string) => (lstatSync(join(folder, path)).mode & 0o7777).toString(8);

test('visible names lead through one link to the files', () => {
  writeFiles(folder, [file('a', 'A', 0o400), file('deep/er/b', 'B')], owners);
  expect(names()).toEqual(['a', 'deep']);
  expect(readlinkSync(join(folder, 'a'))).toBe('..data/a');
  expect(text('deep/er/b')).toBe('B');
  expect([mode('..data/a'), mode('..data/deep/er/b'), mode('..data/deep')]).toEqual(['400', '644', '755']);
});

test('a new set replaces the old one as a whole, and leaves nothing of it', () => {
  writeFiles(folder, [file('a', '1'), file('gone', 'x')], owners);
  const before = readlinkSync(join(folder, '..data'));
  writeFiles(folder, [file('a', '2'), file('new', 'y')], owners);
  expect([text('a'), text('new'), names()]).toEqual(['2', 'y', ['a', 'new']]);
  expect(readdirSync(folder)).not.toContain(before);
  expect(readdirSync(folder)).toHaveLength(4);
});

test('the same set again changes nothing', () => {
  writeFiles(folder, [file('a', '1')], owners);
  const made = lstatSync(join(folder, '..data')).ino;
  writeFiles(folder, [file('a', '1')], owners);
  expect(lstatSync(join(folder, '..data')).ino).toBe(made);
});

test('the group of the volume may read what is in it', () => {
  writeFiles(folder, [file('a', '1', 0o400), file('b/c', '2', 0o600)], { isRoot: false, group: 7 });
  expect([mode('..data/a'), mode('..data/b/c'), mode('..data/b')]).toEqual(['440', '640', '2755']);
});

test('no files are a folder without any', () => {
  writeFiles(folder, [file('a', '1')], owners);
  writeFiles(folder, [], owners);
  expect(names()).toEqual([]);
});

test.each(['../x', '/etc/x', 'a/../../x', '..data', '..x/y', '', 'a//b', './a', 'a\0b'])('%j is refused', (path) => {
  expect(() => writeFiles(folder, [file(path, 'x')], owners)).toThrow('is no path of a file in a volume');
  expect(readdirSync(folder)).toEqual([]);
});
