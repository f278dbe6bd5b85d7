import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makePrivateFolder } from './private-folder.ts';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'signalbox-folder-'));
});
afterEach(() => rm(parent, { recursive: true }));

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

test('every folder that is made is for its owner alone', async () => {
  await makePrivateFolder(join(parent, 'a', 'b'));
  expect([await modeOf(join(parent, 'a')), await modeOf(join(parent, 'a', 'b'))]).toEqual(['700', '700']);
});

test('a folder that was there keeps its mode', async () => {
  await chmod(parent, 0o755);
  await makePrivateFolder(parent);
  expect(await modeOf(parent)).toBe('755');
});

test('a file in the way is an error', async () => {
  await writeFile(join(parent, 'file'), '');
  await expect(makePrivateFolder(join(parent, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makePrivateFolder(join(parent, 'file', 'a'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test.runIf(process.platform === 'linux')('it ends where the system takes no folders', async () => {
  await expect(makePrivateFolder('/proc/signalbox/a')).rejects.toMatchObject({ code: 'ENOENT' });
});
