/** A further process in a container, and the streams of its first one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { PassThrough, Writable } from 'node:stream';
import { notFound } from '../../protocol/failure.ts';
import type { ExecCommand, ExecSession, Waiting } from '../../protocol/inside.ts';
import { boundOptions, identityOptions, type MachineRoot, setprivIn } from '../../sandbox/bubblewrap.ts';
import { hostEnv } from '../run.ts';
import type { Container, InsideClock } from './container.ts';
import { endExec } from './end-exec.ts';
import { closePipe, type Pipes } from './pipes.ts';
import { processLimitOption } from './process-count.ts';
import { inTerminal, ownerOf, resizeTerminal } from './terminal.ts';

export interface ExecTools {
  readonly machine: MachineRoot;
  readonly pipes: Pipes;
  /** Files of the container's control groups, to join by. */
  readonly joinFiles: readonly string[];
  readonly clock: Pick<InsideClock, 'after'>;
  /** Where no control group counts. */
  readonly processLimit: number | undefined;
}

/** Variables that change what our own helpers do: they are set for the program alone. */
const ownVariable = /^(LD_|GLIBC_TUNABLES$|GCONV_PATH$|LOCPATH$|SHELL$|ENV$)|[^A-Za-z0-9_]/;

/** Joins the groups given before `--`, then becomes the rest. */
const joinScript = 'while [ "$1" != -- ]; do echo $$ > "$1"; shift; done; shift; exec "$@"';

export async function execIn(
  container: Container,
  command: ExecCommand,
  { tools, waiting }: { readonly tools: ExecTools; readonly waiting: Waiting },
): Promise<ExecSession> {
  const argv = execArgv(container, tools);
  const [stdout, stderr] = await Promise.all([tools.pipes.take(), tools.pipes.take()]);
  const ownVariables = Object.entries(container.env).filter(([name]) => ownVariable.test(name));
  const env = Object.fromEntries(Object.entries(container.env).filter(([name]) => !ownVariable.test(name)));
  const program = ownVariables.length === 0 ? command.argv : withVariables(ownVariables, command.argv);
  const line = ['/bin/sh', '-c', joinScript, 'sh', ...tools.joinFiles, '--', ...argv, ...program];
  const owner = ownerOf(container.launch, tools.machine);
  const [shell = '', ...args] = command.tty ? inTerminal(line, { of: container.pid, owner }) : line;
  const child = spawn(shell, args, {
    env: {
      ...hostEnv,
      ...(command.tty ? { TERM: 'xterm' } : {}),
      ...env,
      ...(command.tty ? { SHELL: '/bin/sh' } : {}),
    },
    // A terminal has an input, whether somebody types or not.
    stdio: [command.stdin || command.tty ? 'pipe' : 'ignore', stdout.writeEnd, stderr.writeEnd],
  });
  closePipe(stdout);
  closePipe(stderr);
  const stop = (): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) endExec(child.pid);
  };
  waiting.signal.addEventListener('abort', stop, { once: true });
  if (waiting.signal.aborted) stop();
  const exited = new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(code ?? 128 + (signal === 'SIGKILL' ? 9 : 15)));
  });
  const ended = exited.finally(() => waiting.signal.removeEventListener('abort', stop));
  return {
    stdin: command.stdin ? (child.stdin ?? undefined) : undefined,
    stdout: stdout.readable,
    stderr: command.tty ? undefined : stderr.readable,
    ended,
    resize: command.tty ? resizing(child, tools.clock) : () => undefined,
  };
}

const terminalLooksMax = 1_000;
const terminalLookMs = 20;

/** Who asks does so at once, and the terminal is only being made: sizes wait for it, and follow each other. */
function resizing(child: ChildProcess, clock: Pick<InsideClock, 'after'>): ExecSession['resize'] {
  const pause = (): Promise<void> => new Promise((resolve) => void clock.after(terminalLookMs, resolve));
  /** `script` has the terminal, and its child sits in it. */
  const find = async (): Promise<number | undefined> => {
    const { pid = 0 } = child;
    for (let looks = 0; looks < terminalLooksMax && child.exitCode === null && child.signalCode === null; looks++) {
      const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
      const sitting = Number(children.trim().split(' ')[0]);
      if (sitting > 0 && (await isTerminal(sitting))) return sitting;
      await pause();
    }
    return undefined;
  };
  let last: Promise<number | undefined> | undefined;
  return (size) => {
    last = (last ?? find()).then(async (found) => {
      // A machine with much to do may take longer than it was waited for.
      const pid = found ?? (await find());
      if (pid !== undefined) await resizeTerminal(pid, size);
      return pid;
    });
    last.catch(() => undefined);
  };
}

async function isTerminal(pid: number): Promise<boolean> {
  return (await readlink(`/proc/${pid}/fd/0`).catch(() => '')).includes('/pts/');
}

function withVariables(variables: readonly (readonly [string, string])[], argv: readonly string[]): readonly string[] {
  return ['/usr/bin/env', ...variables.map(([name, value]) => `${name}=${value}`), ...argv];
}

function execArgv({ pid, launch }: Container, { machine, processLimit }: ExecTools): readonly string[] {
  return [
    ...(processLimit === undefined ? [] : ['/usr/bin/prlimit', processLimitOption(processLimit)]),
    ...['/usr/bin/nsenter', '--target', String(pid)],
    ...['--mount', '--net', '--ipc', '--uts', '--pid', '--root', `--wd=/proc/${pid}/cwd`],
    // The namespace knows the container's user only, and calls us by its name.
    ...(machine.isRoot ? [] : ['--user', '--preserve-credentials']),
    '--',
    ...setprivIn(launch, machine),
    ...(machine.isRoot ? identityOptions(launch) : boundOptions(launch)),
  ];
}

/** What it has said before is in its log. */
export function attachTo(container: Container, { signal }: Waiting): ExecSession {
  if (signal.aborted) throw notFound('client');
  const stdout = follow(container.stdout, signal);
  const stderr = follow(container.stderr, signal);
  return {
    stdin: container.stdin === undefined ? undefined : lent(container, container.stdin),
    stdout,
    stderr: container.launch.tty ? undefined : stderr,
    ended: container.ended.then(({ ended }) => ended?.exitCode ?? 0),
    resize: (size) => void (container.launch.tty ? resizeTerminal(container.pid, size) : undefined),
  };
}

/** Who follows too slowly loses what was said meanwhile: the container and its log do not wait for them. */
function follow(from: NodeJS.ReadableStream, signal: AbortSignal): PassThrough {
  const copy = new PassThrough({ highWaterMark: 1 << 20 });
  const pass = (bytes: Buffer): void => {
    if (!copy.writableNeedDrain) copy.write(bytes);
  };
  const stop = (): void => {
    from.off('data', pass);
    copy.end();
  };
  from.on('data', pass);
  from.once('close', stop);
  signal.addEventListener('abort', stop, { once: true });
  return copy;
}

/** The container's input outlives who has written to it, unless it is meant to be given once. */
function lent({ launch }: Container, stdin: Writable): Writable {
  return new Writable({
    write(chunk: Buffer, _, done) {
      if (stdin.destroyed || stdin.write(chunk)) done();
      else stdin.once('drain', () => done());
    },
    final(done) {
      if (launch.stdinOnce) stdin.end();
      done();
    },
  });
}
