import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { targetIn } from './image-root.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'image-'));
  mkdirSync(join(root, 'var/log'), { recursive: true });
  for (const [leadsTo, path] of [
    ['/run', 'var/run'],
    ['../../../../../../etc', 'var/out'],
    ['/oldroot/root', 'absolute'],
    ['loop', 'loop'],
    ['log/inner', 'var/inner'],
  ] as const)
    symlinkSync(leadsTo, join(root, path));
});
afterAll(() => rmSync(root, { recursive: true }));

test.each([
  ['/data', '/data'],
  ['/var/log/app', '/var/log/app'],
  ['/var/run/secrets/token', '/run/secrets/token'],
  ['/var/out/passwd', '/etc/passwd'],
  ['/absolute/.ssh', '/oldroot/root/.ssh'],
  ['/var/inner', '/var/log/inner'],
])('%s of the container is %s below its root', async (target, found) => {
  expect(await targetIn(root, target)).toBe(found);
});

test('links that lead in a circle are refused', async () => {
  await expect(targetIn(root, '/loop/x')).rejects.toThrow('more than 40 links');
});
