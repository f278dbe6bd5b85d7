import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '@signalbox/cluster';
import { seededRandom } from '@signalbox/cluster/testing';
import type { Io } from '../io/io.ts';

/** A folder of its own and streams that remember, for running commands in the test's process. */
export interface TestIo extends Io {
  /** What the command wrote. */
  out(): string;
  err(): string;
  stop(): void;
  /** As who asks a second time; the process of the test goes on. */
  hurry(): void;
  /** Writes a file into the folder. */
  file(name: string, text: string): Promise<void>;
  /** Removes the folder. */
  remove(): Promise<void>;
}

export interface TestIoOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly isTerminal?: boolean;
  readonly clock?: Clock;
  readonly seed?: string;
}

export async function createTestIo(options: TestIoOptions = {}): Promise<TestIo> {
  const { stdin = '', env = {}, isTerminal = false, clock = systemClock, seed = 'cli' } = options;
  const cwd = await mkdtemp(join(tmpdir(), 'signalbox-cli-'));
  const written = { out: '', err: '' };
  const ending = new AbortController();
  const lastWords: (() => void)[] = [];
  const output = (name: 'out' | 'err'): Io['stdout'] => ({
    write(text) {
      written[name] += text;
    },
    isTerminal,
    columns: 100,
  });
  return {
    stdin: (async function* () {
      yield stdin;
    })(),
    stdout: output('out'),
    stderr: output('err'),
    env,
    cwd,
    clock,
    random: seededRandom(seed),
    host: 'test',
    addresses: () => ['10.1.2.3'],
    userId: 1_000,
    nodeVersion: 'v20.19.0',
    processes: {
      id: 1,
      kill: (pid) => {
        throw new Error(`the test kills no process, and not ${pid}`);
      },
    },
    launch: () => {
      throw new Error('the test launches no process');
    },
    install: { node: process.execPath, programs: cwd },
    realNodes: {
      lacks: async () => ['the test has no real nodes'],
      address: async () => '10.64.0.1',
      start: () => Promise.reject(new Error('the test starts no real node')),
      endLeftIn: async () => false,
    },
    background: undefined,
    memoryBytes: 8 * 2 ** 30,
    vitals: async () => ({ cpuSeconds: 1.5, residentBytes: 9e7, heapUsedBytes: 4e7, startedMs: 1e12, openFiles: 20 }),
    heap: { cpuMs: () => 1_500, usedBytes: () => 4e7, collect: () => undefined },
    engine: { starts: () => undefined, serves: () => undefined, neverRests: () => () => undefined },
    signal: ending.signal,
    onHurry: (speak) => void lastWords.push(speak),
    hurry() {
      for (const speak of lastWords) speak();
    },
    out: () => written.out,
    err: () => written.err,
    stop: () => ending.abort(new Error('stopped by the test')),
    file: (name, text) => writeFile(join(cwd, name), text),
    remove: () => rm(cwd, { recursive: true }),
  };
}
