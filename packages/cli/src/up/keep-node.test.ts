import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processName } from '@signalbox/cluster';
import { createVirtualClock, type VirtualClock } from '@signalbox/cluster/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BackgroundMessage, Launched } from '../io/background.ts';
import type { LogLine } from '../io/log.ts';
import { type KeptNode, keepNode } from './keep-node.ts';

let folder: string;
let clock: VirtualClock;
let agents: FakeAgent[];
let told: LogLine[];
let left: string[];
let killed: string[];
let node: KeptNode;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-node-'));
  clock = createVirtualClock();
  [agents, told, left, killed] = [[], [], [], []];
});
afterEach(() => rm(folder, { recursive: true }));

/** An agent as a process that says and ends what the test wants. */
interface FakeAgent {
  readonly launched: Launched;
  readonly signals: string[];
  say(message: BackgroundMessage): void;
  exit(code: number | null): void;
}

function fakeAgent(): FakeAgent {
  const said: BackgroundMessage[] = [];
  const signals: string[] = [];
  let wake = (): void => undefined;
  let isOver = false;
  let end: (code: number | null) => void = () => undefined;
  const ended = new Promise<number | null>((resolve) => {
    end = resolve;
  });
  const exit = (code: number | null): void => {
    isOver = true;
    end(code);
    wake();
  };
  const messages = async function* (): AsyncGenerator<BackgroundMessage> {
    for (;;) {
      const next = said.shift();
      if (next !== undefined) yield next;
      else if (isOver) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  };
  return {
    signals,
    exit,
    say(message) {
      said.push(message);
      wake();
    },
    launched: {
      pid: 100 + agents.length,
      messages: messages(),
      ended,
      kill(signal) {
        signals.push(signal);
        if (signal !== 'SIGTERM') exit(signal === 'SIGHUP' ? 0 : null);
      },
      release: () => undefined,
    },
  };
}

function start(): void {
  const launch = (): Launched => {
    const agent = fakeAgent();
    agents.push(agent);
    return agent.launched;
  };
  const realNodes = {
    lacks: async () => [],
    address: async () => '10.64.0.1',
    start: () => Promise.reject(new Error('none is started here')),
    endLeftIn: async (path: string) => {
      left.push(path);
      return true;
    },
  };
  const processes = { id: 1, kill: (pid: number, signal: string) => void killed.push(`${signal} ${pid}`) };
  const io = { launch, clock, processes, realNodes };
  const log = { write: (line: LogLine) => void told.push(line) };
  node = keepNode({ name: 'box', folder, argv: ['node'], logFile: join(folder, 'agent.log'), log, io });
}

const settled: BackgroundMessage = { is: 'settled', code: 0 };
const launchedSoFar = (count: number): Promise<void> => expect.poll(() => agents.length).toBe(count);
const messages = (): readonly string[] => told.map(({ message }) => message);

test('it is up once it says so, and what it says until then is told', async () => {
  start();
  await launchedSoFar(1);
  expect(node.isUp()).toBe(false);
  agents[0]?.say({ is: 'text', to: 'stderr', text: '{"level":"warn","component":"node","message":"slow"}\n{"level":' });
  agents[0]?.say({ is: 'text', to: 'stderr', text: '"info","component":"inside","message":"here"}\n' });
  agents[0]?.say(settled);
  await expect.poll(() => node.isUp()).toBe(true);
  expect(told).toEqual([
    { level: 'warn', component: 'node box', message: 'slow' },
    { level: 'info', component: 'node box', message: 'inside: here' },
  ]);
});

test('one that never gets anywhere fails with its own words', async () => {
  start();
  await launchedSoFar(1);
  agents[0]?.say({ is: 'text', to: 'stderr', text: '{"level":"error","message":"no bwrap; install it"}\n' });
  agents[0]?.exit(1);
  await expect(node.failed).rejects.toThrow('the real node box cannot run: no bwrap; install it');
});

test('one that dies is started again, ever later, and at once again after a long life', async () => {
  start();
  for (const [index, delayMs] of [1_000, 2_000, 4_000].entries()) {
    await launchedSoFar(index + 1);
    agents[index]?.say(settled);
    await expect.poll(() => node.isUp()).toBe(true);
    agents[index]?.exit(null);
    await expect.poll(() => told.length).toBe(index + 1);
    expect(messages().at(-1)).toBe(
      `its agent (process ${100 + index}) was killed; what runs in its pods goes on, and it is started again in ${delayMs / 1_000}s`,
    );
    await clock.advance(delayMs);
  }
  await launchedSoFar(4);
  agents[3]?.say(settled);
  await expect.poll(() => node.isUp()).toBe(true);
  await clock.advance(60_000);
  agents[3]?.exit(1);
  await expect.poll(() => messages().at(-1)).toMatch(/ended with exit code 1; .* started again in 1s$/);
});

test('a start that fails later is tried again', async () => {
  start();
  await launchedSoFar(1);
  agents[0]?.say(settled);
  await expect.poll(() => node.isUp()).toBe(true);
  agents[0]?.exit(null);
  await expect.poll(() => told.length).toBe(1);
  await clock.advance(1_000);
  await launchedSoFar(2);
  agents[1]?.exit(1);
  await expect.poll(() => messages().at(-1)).toMatch(/^the real node box cannot run: see .*agent\.log; .* in 2s$/);
});

test('a renewed one follows at once, and nobody is told', async () => {
  start();
  await launchedSoFar(1);
  agents[0]?.say(settled);
  await expect.poll(() => node.isUp()).toBe(true);
  node.renew();
  await launchedSoFar(2);
  expect(agents[0]?.signals).toEqual(['SIGHUP']);
  expect(told).toEqual([]);
});

test('at the end it ends what runs, and so does whoever is left behind', async () => {
  start();
  await launchedSoFar(1);
  agents[0]?.say(settled);
  await expect.poll(() => node.isUp()).toBe(true);
  const ended = node.end();
  expect(agents[0]?.signals).toEqual(['SIGTERM']);
  agents[0]?.exit(0);
  await ended;
  expect(left).toEqual([folder]);
  expect(agents).toHaveLength(1);
});

test('one that does not end is killed', async () => {
  start();
  await launchedSoFar(1);
  const ended = node.end();
  await clock.advance(20_000);
  await ended;
  expect(agents[0]?.signals).toEqual(['SIGTERM', 'SIGKILL']);
});

test('the agent of an `up` that was killed is let go of first', async () => {
  const other = spawn('sleep', ['60'], { stdio: 'ignore' });
  const { pid = 0 } = other;
  await writeFile(join(folder, `lock.${await processName(pid)}`), '');
  start();
  await expect.poll(() => killed).toEqual([`SIGHUP ${pid}`]);
  expect(messages()).toEqual([`takes over from process ${pid}; what runs in its pods goes on`]);
  expect(agents).toEqual([]);
  other.kill('SIGHUP');
  await expect
    .poll(async () => {
      await clock.advance(50);
      return agents.length;
    })
    .toBe(1);
});
