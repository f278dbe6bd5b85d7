import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVirtualClock } from '@signalbox/cluster/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLogFile } from './log-file.ts';

const clock = createVirtualClock();
const time = '2026-01-01T00:00:00Z';
let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-log-'));
  path = join(folder, 'up.log');
});
afterEach(() => rm(folder, { recursive: true }));

test('each line has its time, however it is written, and only the owner reads it', async () => {
  const log = openLogFile(path, { bytesMax: 1_000, clock });
  for (const text of ['one\ntwo\n', 'thr', 'ee\n', '\n', 'last']) log.write(text);
  expect(await readFile(path, 'utf8')).toBe(`${time} one\n${time} two\n${time} three\n${time} \n${time} last`);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  openLogFile(path, { bytesMax: 1_000, clock }).write('more\n');
  expect(await readFile(path, 'utf8')).toMatch(/last2026-01-01T00:00:00Z more\n$/);
});

test('lines that say when themselves stay as they are', async () => {
  const log = openLogFile(path, { bytesMax: 1_000, clock });
  log.write('{"time":"now"}\n', 'timed');
  log.write('text\n');
  expect(await readFile(path, 'utf8')).toBe(`{"time":"now"}\n${time} text\n`);
});

test('it never takes more than twice its size', async () => {
  const log = openLogFile(path, { bytesMax: 1_000, clock });
  for (let index = 0; index < 500; index++) log.write(`line ${index}\n`);
  const [now, before] = await Promise.all([readFile(path, 'utf8'), readFile(`${path}.1`, 'utf8')]);
  for (const text of [now, before]) expect(text.length).toBeLessThanOrEqual(1_000);
  expect(`${before}${now}`.trimEnd().split('\n').at(-1)).toBe(`${time} line 499`);
  expect(`${before}${now}`.split('\n').length).toBeGreaterThan(30);
});
