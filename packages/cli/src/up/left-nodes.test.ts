import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processName } from '@signalbox/cluster';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { run } from '../run.ts';
import { createTestIo, type TestIo } from '../testing/io.ts';

let io: TestIo;
let left: Set<string>;
const pids: number[] = [];

beforeEach(async () => {
  const made = await createTestIo();
  left = new Set();
  const endLeftIn = async (folder: string): Promise<boolean> => left.delete(folder);
  const kill = (pid: number, signal: NodeJS.Signals): void => void process.kill(pid, signal);
  io = Object.assign(made, { realNodes: { ...made.realNodes, endLeftIn }, processes: { id: 1, kill } });
});
afterEach(async () => {
  for (const pid of pids.splice(0)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended, as it should.
    }
  }
  await io.remove();
});

const folderOf = (name: string): string => join(io.cwd, '.signalbox/nodes', name);

/** A process that has the node's folder. */
async function agent(name: string, script: string): Promise<number> {
  await mkdir(folderOf(name), { recursive: true });
  const { pid = 0, stdout } = spawn('sh', ['-c', `${script}; echo up; while :; do sleep 0.05; done`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await new Promise((resolve) => stdout.once('data', resolve));
  pids.push(pid);
  await writeFile(join(folderOf(name), `lock.${await processName(pid)}`), '');
  return pid;
}

test('down ends the agents that a killed `up` has left, and what agents that were killed have left', async () => {
  const pid = await agent('box', ':');
  await mkdir(folderOf('gone'), { recursive: true });
  await mkdir(folderOf('old'), { recursive: true });
  left.add(folderOf('gone'));
  expect(await run(['down'], io)).toBe(0);
  expect(io.err().split('\n')).toEqual([
    'no cluster is running in .signalbox',
    `the real node box of .signalbox has stopped (process ${pid})`,
    'the real node gone of .signalbox has stopped',
    '',
  ]);
});

test('one that does not end is killed only when that is asked for', async () => {
  const pid = await agent('box', "trap '' TERM");
  expect(await run(['down', '--timeout', '100ms'], io)).toBe(1);
  expect(io.err()).toContain(`the agent of the real node box (process ${pid}) does not end within 100ms`);
  expect(await run(['down', '--timeout', '100ms', '--force'], io)).toBe(0);
  expect(io.err()).toContain(`the real node box of .signalbox has stopped (process ${pid})`);
});
