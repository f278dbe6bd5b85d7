import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ContainerState } from '../protocol/inside.ts';
import { leaveEnds, takeEnds } from './ends.ts';

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'signalbox-ends-')), 'ends.json');
});
afterEach(() => rmSync(join(path, '..'), { recursive: true }));

const runs: ContainerState = { pod: 'p', name: 'runs', attempt: 0, id: 'process://1', startedMs: 1 };
const ended: ContainerState = {
  ...{ ...runs, name: 'ended' },
  ended: { endedMs: 2, exitCode: 3, isOutOfMemory: false, message: 'the end' },
};

test('what ended is told to the next one, and only once', async () => {
  await leaveEnds(path, [runs, ended]);
  expect(await takeEnds(path)).toEqual([ended]);
  expect(await takeEnds(path)).toEqual([]);
});

test('nothing is left of a node on which nothing ran', async () => {
  await leaveEnds(path, []);
  expect(existsSync(path)).toBe(false);
});

test('what cannot be read is nothing', async () => {
  writeFileSync(path, '[{"pod"');
  expect(await takeEnds(path)).toEqual([]);
  expect(existsSync(path)).toBe(false);
});
