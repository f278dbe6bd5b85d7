import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { folderHolder, lockFolder } from './lock.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-lock-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('one holder at a time, and free after release', async () => {
  const lock = await lockFolder(folder);
  await expect(lockFolder(folder)).rejects.toThrow(`in use by process ${process.pid}`);
  await lock.release();
  await lock.release();
  await (await lockFolder(folder)).release();
  expect(await readdir(folder)).toEqual([]);
});

test('of many that want it at once at most one gets it', async () => {
  for (let round = 0; round < 20; round++) {
    const wanted = await Promise.allSettled(Array.from({ length: 5 }, () => lockFolder(folder)));
    const got = wanted.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(got).toHaveLength(1);
    await got[0]?.release();
  }
});

test('locks of dead processes, and of dead processes whose id came back, are taken over', async () => {
  const { pid: gone = 0 } = await finished();
  await writeFile(join(folder, `lock.${gone}.1-aaaaaaaa`), '');
  await writeFile(join(folder, `lock.${process.pid}.1-aaaaaaaa`), '');
  await writeFile(join(folder, 'lock.of-something-else'), '');
  const lock = await lockFolder(folder);
  const files = await readdir(folder);
  expect(files).toHaveLength(2);
  expect(files).toContain('lock.of-something-else');
  await lock.release();
});

test.runIf(process.platform === 'linux')('a killed process that nobody has waited for holds nothing', async () => {
  // The shell becomes a process that never asks after its child; the child outlives the change, or the shell would.
  const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [output] = await once(parent.stdout, 'data');
    const zombie = Number(output);
    const fields = async (): Promise<readonly string[]> =>
      (await readFile(`/proc/${zombie}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
    await expect.poll(async () => (await fields())[0]).toBe('Z');
    const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).slice(0, 8);
    await writeFile(join(folder, `lock.${zombie}.${(await fields())[19]}-${boot}`), '');
    await (await lockFolder(folder)).release();
    expect(await readdir(folder)).toEqual([]);
  } finally {
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  }
});

async function finished(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child;
}

const lockModule = new URL('./lock.ts', import.meta.url).href;
const script = `
  const { lockFolder } = await import(process.argv[1]);
  await lockFolder(process.argv[2]).then(
    () => { console.log('locked'); setInterval(() => {}, 1000); },
    (error) => console.log(error.message),
  );
`;
const args = (): readonly string[] => ['--import', 'tsx', '--input-type=module', '-e', script, lockModule, folder];

test('a second process is refused while the first lives and takes over when it was killed', async () => {
  const first = spawn(process.execPath, args(), { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [output] = await once(first.stdout, 'data');
    expect(String(output)).toBe('locked\n');
    await expect(lockFolder(folder)).rejects.toThrow(
      `it is in use by process ${first.pid}; stop that process or choose another folder`,
    );
    const second = await promisify(execFile)(process.execPath, args());
    expect(second.stdout).toContain(`in use by process ${first.pid}`);
  } finally {
    first.kill('SIGKILL');
    await once(first, 'exit');
  }
  await (await lockFolder(folder)).release();
}, 30_000);

test('who holds a folder is told, until it lets go; files of the dead count for nothing', async () => {
  expect(await folderHolder(join(folder, 'nowhere'))).toBeUndefined();
  await writeFile(join(folder, `lock.${process.pid}.1-aaaaaaaa`), '');
  expect(await folderHolder(folder)).toBeUndefined();
  const lock = await lockFolder(folder);
  const holder = await folderHolder(folder);
  expect(holder?.pid).toBe(process.pid);
  expect(await holder?.isRunning()).toBe(true);
  await lock.release();
  expect(await folderHolder(folder)).toBeUndefined();
});
