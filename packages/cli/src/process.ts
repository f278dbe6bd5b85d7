import { readdir } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import {
  availableMemoryBytes,
  collectWhenMuch,
  compileWasmOnce,
  createProcessMemory,
  optimizeAfterStart,
  optimizeAsUsual,
  processName,
  systemClock,
  systemRandom,
} from '@signalbox/cluster';
import { backgroundVariable, openBackground } from './background/background.ts';
import { processChannel, spawnLaunch } from './background/spawn.ts';
import { Ending } from './io/ending.ts';
import type { Io, Output, Vitals } from './io/io.ts';
import type { Launcher, ProcessTable } from './launcher.ts';
import { untilLeft } from './orphan.ts';
import { machineNodes } from './real-nodes.ts';
import { run } from './run.ts';

/** What looks at this process, besides main.ts: streams, environment, signals, clock and chance become parameters here. */
const ending = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // Who asks twice does not want to wait.
    if (ending.signal.aborted) endAtOnce();
    ending.abort(new Ending(name));
  });
}

const lastWords: (() => void)[] = [];

function endAtOnce(): never {
  try {
    for (const speak of lastWords) speak();
  } finally {
    process.exit(1);
  }
}

function output(stream: NodeJS.WriteStream): Output {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader (`| head`) has seen enough.
    process.exit(error.code === 'EPIPE' ? 0 : 1);
  });
  return {
    write: (text) => void stream.write(text),
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.columns;
    },
  };
}

/** Those of a single link mean nothing without naming the interface. */
function addresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.filter(({ internal, address }) => !internal && !/^fe80:/i.test(address)).map(({ address }) => address);
}

const startedMs = Math.round(systemClock.nowMs() - process.uptime() * 1_000);

async function vitals(): Promise<Vitals> {
  const { user, system } = process.cpuUsage();
  const { rss: residentBytes, heapUsed: heapUsedBytes } = process.memoryUsage();
  const open = await readdir('/proc/self/fd').catch(() => undefined);
  return { cpuSeconds: (user + system) / 1e6, residentBytes, heapUsedBytes, startedMs, openFiles: open?.length };
}

compileWasmOnce();

const log = process.env[backgroundVariable];
const background = log === undefined ? undefined : openBackground(log, processChannel(process), { clock: systemClock });

const memory = createProcessMemory();
const heap = {
  cpuMs() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e3;
  },
  usedBytes: () => memory.measure().heapUsedBytes,
  collect: memory.collect,
};

const io: Io = {
  get stdin() {
    return process.stdin;
  },
  stdout: background?.stdout ?? output(process.stdout),
  stderr: background?.stderr ?? output(process.stderr),
  env: process.env,
  cwd: process.cwd(),
  clock: systemClock,
  random: systemRandom(),
  host: hostname(),
  addresses,
  userId: process.getuid?.(),
  nodeVersion: process.version,
  processes: { id: process.pid, kill: (pid, signal) => void process.kill(pid, signal) },
  // Chunks of the bundle stand beside the programs.
  install: { node: process.execPath, programs: import.meta.dirname },
  realNodes: machineNodes({ isRoot: process.getuid?.() === 0 }),
  launch: spawnLaunch({
    engine: process.execArgv,
    program: process.argv.slice(1, 2),
    argv: process.argv.slice(2),
    execPath: process.execPath,
    env: process.env,
  }),
  background,
  signal: ending.signal,
  onHurry: (speak) => void lastWords.push(speak),
  memoryBytes: availableMemoryBytes(),
  vitals,
  heap,
  engine: {
    starts: () => optimizeAfterStart(process.versions.v8),
    serves: () => optimizeAsUsual(process.versions.v8),
    neverRests: () => collectWhenMuch(process.versions.v8, { used: heap, clock: systemClock }),
  },
};

/** For whoever keeps the code of this process compiled. */
export { withUsualFlags } from '@signalbox/cluster';

export interface Started {
  /** By npm or the like, if by one of them. */
  readonly by: Launcher | 'gone' | undefined;
  readonly table: ProcessTable;
}

/** Runs the command that this process was started with, to its end. */
export async function runProcess({ by, table }: Started): Promise<void> {
  if (background === undefined && by !== undefined) void endWith(by, table);
  const code = await run(process.argv.slice(2), io);
  await background?.flushed();
  // What stands in the pipes is still written; what else holds the process open is not waited for.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}

/** A command that npm has started ends with it. */
async function endWith(launcher: Launcher | 'gone', table: ProcessTable): Promise<void> {
  await untilLeft(launcher, { table, nameOf: processName, clock: io.clock, signal: io.signal }).then(
    () => ending.abort(new Error('npm, which started this, has ended')),
    () => undefined,
  );
}
