import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createVirtualClock } from '@signalbox/cluster/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BackgroundMessage, Launched } from '../io/background.ts';
import { createTestIo, type TestIo } from '../testing/io.ts';
import { openBackground } from './background.ts';
import { launchUp } from './launch.ts';
import { runningIn, writeRunFile } from './run-file.ts';

let io: TestIo;
beforeEach(async () => {
  io = await createTestIo();
});
afterEach(() => io.remove());

interface Fake {
  readonly messages: readonly BackgroundMessage[];
  readonly code: number | null;
  readonly told: string[];
}

const launched = ({ messages, code, told }: Fake): Launched => ({
  pid: 7,
  messages: (async function* () {
    yield* messages;
  })(),
  ended: Promise.resolve(code),
  kill: (signal) => told.push(signal),
  release: () => told.push('released'),
});

async function launch(
  messages: readonly BackgroundMessage[],
  code: number | null,
): Promise<readonly [number | string, readonly string[]]> {
  const told: string[] = [];
  const folder = join(io.cwd, 'data');
  const done = launchUp(
    { folder, takesInput: false },
    {
      ...io,
      launch: ({ log }) => {
        told.push(log.slice(io.cwd.length));
        return launched({ messages, code, told });
      },
    },
  );
  return [await done.catch((error: Error) => error.message), told];
}

test.each([0, 1])('what it says is shown until it has settled, with its exit code %i, and it goes on', async (code) => {
  const [result, told] = await launch(
    [
      { is: 'text', to: 'stderr', text: 'pod created\n' },
      { is: 'text', to: 'stdout', text: 'the tree\n' },
      { is: 'settled', code },
    ],
    null,
  );
  expect([result, told]).toEqual([code, ['/data/up.log', 'released']]);
  expect([io.out(), io.err()]).toEqual(['the tree\n', 'pod created\n']);
});

test('one that fails has said why, and its exit code is handed on', async () => {
  const [result] = await launch([{ is: 'text', to: 'stderr', text: 'error: port 1 is in use\n' }], 1);
  expect([result, io.err()]).toEqual([1, 'error: port 1 is in use\n']);
});

test.each([null, 0])('one that ends without a word (%s) leads to its log', async (code) => {
  expect((await launch([], code))[0]).toBe(
    'the process in the background ended before it served anything; see data/up.log',
  );
});

test('who interrupts the wait ends it', async () => {
  io.stop();
  expect((await launch([], null))[0]).toContain('nothing runs in the background');
});

test('the process in the background hands over what it says until it has settled, and logs all of it', async () => {
  const messages: BackgroundMessage[] = [];
  let isClosed = false;
  const log = join(io.cwd, 'up.log');
  const channel = {
    send: (message: BackgroundMessage) => Promise.resolve(void messages.push(message)),
    close: () => {
      isClosed = true;
    },
  };
  const background = openBackground(log, channel, { clock: createVirtualClock() });
  background.stderr.write('a\n');
  background.settle(0);
  background.settle(1);
  background.stderr.write('b\n');
  await background.flushed();
  expect(messages).toEqual([
    { is: 'text', to: 'stderr', text: 'a\n' },
    { is: 'settled', code: 0 },
  ]);
  await Promise.resolve();
  expect(isClosed).toBe(true);
});

test('what a crash has left behind says nothing about who runs', async () => {
  const folder = join(io.cwd, 'data');
  expect(await runningIn(folder)).toEqual({ is: 'stopped' });
  await mkdir(folder);
  await writeRunFile(folder, { pid: process.pid, since: '', server: '', kubeconfig: '' });
  expect(await runningIn(folder)).toEqual({ is: 'stopped' });
  await writeFile(join(folder, 'run.json'), 'nonsense');
  expect(await runningIn(folder)).toEqual({ is: 'stopped' });
  await rm(folder, { recursive: true });
});
