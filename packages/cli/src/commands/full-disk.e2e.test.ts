import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  configmaps,
  createClient,
  createHttpTransport,
  isStatusError,
  loadKubeconfig,
  StatusError,
  systemClock,
  systemRandom,
} from '@signalbox/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCommand } from '../testing/process.ts';

const { signal } = new AbortController();
let disk: string;
/** Only the superuser of a system that lets him may make a small disk. */
let isMounted = false;
beforeAll(async () => {
  disk = await mkdtemp(join(tmpdir(), 'signalbox-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'signalbox-test', disk], { stdio: 'ignore' });
    isMounted = true;
  } catch {
    process.stderr.write('skipped: no small disk can be mounted here\n');
  }
});
afterAll(async () => {
  if (isMounted) execFileSync('umount', [disk]);
  await rm(disk, { recursive: true });
});

test('a full disk refuses writes in one line, keeps what it has, and writes come back when there is room', async ({
  skip,
}) => {
  if (!isMounted) skip();
  await writeFile(join(disk, 'ballast'), Buffer.alloc(6 * 1024 * 1024));
  const server = startCommand(['up', '--data', 'data', '--port', '0', '--nodes', '1', '--no-operator', '--no-crds'], {
    cwd: disk,
  });
  try {
    await server.printed('The API is at');
    const { connection } = await loadKubeconfig({
      path: join(disk, 'data', 'kubeconfig'),
      env: {},
      clock: systemClock,
    });
    const transport = createHttpTransport({ connection, clock: systemClock, random: systemRandom() });
    const client = createClient(transport, { name: '', groups: [] });
    const write = (name: string): Promise<unknown> =>
      client.create(
        configmaps,
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name, namespace: 'default' },
          data: { text: 'x'.repeat(500_000) },
        },
        { signal },
      );
    let written = 0;
    let refusal: unknown;
    for (; refusal === undefined && written < 100; written += refusal === undefined ? 1 : 0)
      await write(`large-${written}`).catch((error: unknown) => {
        refusal = error;
      });
    expect(written).toBeGreaterThan(3);
    if (!(refusal instanceof StatusError)) throw refusal;
    expect([refusal.code, refusal.message]).toEqual([
      500,
      expect.stringMatching(/the disk of \S+ is full: .*; make room, and writes go on by themselves/),
    ]);
    // Reads go on.
    const { items } = await client.list(configmaps, { namespace: 'default', signal });
    expect(items.filter(({ metadata }) => metadata.name?.startsWith('large-'))).toHaveLength(written);
    await rm(join(disk, 'ballast'));
    await expect
      .poll(
        () =>
          write('after').then(
            () => 'written',
            (error: unknown) => (isStatusError(error, 'AlreadyExists') ? 'written' : String(error)),
          ),
        { timeout: 20_000 },
      )
      .toBe('written');
    await transport.close();
    expect(server.err().match(/^.*the disk of \S+ is full.*$/gm)).toHaveLength(1);
    expect(server.err()).not.toMatch(/^\s+at |commitError|do_write/m);
  } finally {
    server.child.kill('SIGTERM');
    await server.ended;
  }
}, 60_000);

test('a disk that is full at the start is told in one line', async ({ skip }) => {
  if (!isMounted) skip();
  await writeFile(join(disk, 'ballast'), Buffer.alloc(15_800_000)).catch(() => undefined);
  const server = startCommand(['up', '--data', 'new', '--port', '0', '--no-operator', '--no-crds'], { cwd: disk });
  expect(await server.ended).toBe(1);
  expect(server.err()).toMatch(
    /^error: cannot open the data folder \S+: the disk of \S+ is full: [^\n]*; make room\n$/,
  );
}, 60_000);
