import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openHostPath } from './host-path.ts';
import { type OpenWithin, openWithin, pathOf } from './open-within.ts';

let outside: string;
let folder: string;
beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), 'signalbox-'));
  folder = join(outside, 'volume');
  mkdirSync(join(folder, 'a/b'), { recursive: true });
  writeFileSync(join(folder, 'a/file'), 'inside');
  writeFileSync(join(outside, 'secret'), 'outside');
  symlinkSync('a/file', join(folder, 'link'));
  symlinkSync('b/../file', join(folder, 'a/crooked'));
  symlinkSync('../secret', join(folder, 'escape'));
  symlinkSync(join(outside, 'secret'), join(folder, 'absolute'));
  symlinkSync('/a/file', join(folder, 'rooted'));
  symlinkSync('loop', join(folder, 'loop'));
  symlinkSync('..', join(folder, 'a/up'));
});
afterEach(() => rmSync(outside, { recursive: true, force: true }));

async function content(path: string, options: OpenWithin = { above: 'refused' }): Promise<string> {
  const found = await openWithin(folder, path, options);
  try {
    return (await found.stat()).isDirectory() ? 'a folder' : readFileSync(pathOf(found), 'utf8');
  } finally {
    await found.close();
  }
}

describe.runIf(process.platform === 'linux')('below a folder', () => {
  test.each([
    ['', 'a folder'],
    ['a/file', 'inside'],
    ['link', 'inside'],
    ['a/crooked', 'inside'],
    ['a/./b/../file', 'inside'],
    ['a/up/a/up/link', 'inside'],
  ])('%j is there', async (path, expected) => {
    expect(await content(path)).toBe(expected);
  });

  test.each(['escape', 'absolute', 'rooted', '..', '../secret', 'a/../../secret', 'a/up/../secret'])(
    '%s leads out and is refused',
    async (path) => {
      await expect(content(path)).rejects.toThrow(`${path} leaves its volume`);
    },
  );

  test('links without end', async () => {
    await expect(content('loop')).rejects.toThrow('loop has too many links');
  });

  test('as a root it is what links lead to', async () => {
    expect(await content('rooted', { above: 'the folder' })).toBe('inside');
    expect(await content('../../link', { above: 'the folder' })).toBe('inside');
    await expect(content('escape', { above: 'the folder' })).rejects.toThrow('ENOENT');
    await expect(content('absolute', { above: 'the folder' })).rejects.toThrow('ENOENT');
  });

  test('folders are made where that is asked for, never through a link that leads out', async () => {
    expect(await content('new/er', { above: 'refused', createMode: 0o750 })).toBe('a folder');
    expect(statSync(join(folder, 'new/er')).mode & 0o777).toBe(0o750);
    symlinkSync('..', join(folder, 'parent'));
    await expect(content('parent/x', { above: 'refused', createMode: 0o750 })).rejects.toThrow('leaves its volume');
    await expect(content('a/file/x', { above: 'refused', createMode: 0o750 })).rejects.toThrow('ENOTDIR');
    expect(existsSync(join(outside, 'x'))).toBe(false);
  });
});

describe.runIf(process.platform === 'linux')('paths of the node', () => {
  const opened = async (path: string, type: string, allowed: readonly string[] = []): Promise<string> => {
    try {
      const found = await openHostPath(path, type, { root: folder, allowed });
      const stats = await found.stat();
      await found.close();
      return stats.isDirectory() ? 'folder' : 'file';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };

  test.each([
    ['/a', 'Directory', 'folder'],
    ['/a', '', 'folder'],
    ['/', 'Directory', 'folder'],
    ['/a/file', 'File', 'file'],
    ['/a/file', '', 'file'],
    ['/rooted', 'File', 'file'],
    ['/var/log/new', '', 'folder'],
    ['/var/lib/new', 'DirectoryOrCreate', 'folder'],
    ['/a/new', 'FileOrCreate', 'file'],
    ['/a/file', 'FileOrCreate', 'file'],
    ['/none', 'Directory', 'hostPath type check failed: /none is not a directory'],
    ['/a/file', 'DirectoryOrCreate', 'hostPath type check failed: /a/file is not a directory'],
    ['/a', 'File', 'hostPath type check failed: /a is not a file'],
    ['/none/file', 'FileOrCreate', 'ENOENT'],
    ['/a/file', 'Socket', 'hostPath type check failed: /a/file is not a socket file'],
    ['/none', 'CharDevice', 'hostPath type check failed: /none is not a character device'],
    ['/a', 'BlockDevice', 'hostPath type check failed: /a is not a block device'],
    ['/a', 'Whatever', 'there is no hostPath type Whatever'],
    ['/a/../b', '', 'hostPath "/a/../b" is no absolute path without ..'],
    ['a', '', 'hostPath "a" is no absolute path without ..'],
  ])('%s as %j: %s', async (path, type, expected) => {
    expect(await opened(path, type)).toContain(expected);
  });

  test('real ones are seen where they are allowed, and never made', async () => {
    const real = join(outside, 'secret');
    expect(await opened(real, 'File')).toContain('is not a file');
    expect(await opened(real, 'File', [real])).toBe('file');
    expect(await opened(real, 'File', [outside])).toBe('file');
    expect(await opened(join(outside, 'none'), '', [outside])).toContain('is not a directory');
    expect(await opened(`${real}s`, 'File', [real])).toContain('is not a file');
    symlinkSync('/etc', join(outside, 'out'));
    expect(await opened(join(outside, 'out/passwd'), 'File', [outside])).toContain('leaves its volume');
  });
});
