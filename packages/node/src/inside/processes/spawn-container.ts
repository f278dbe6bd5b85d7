/**
 * Starts one sandboxed process: nsenter joins the pod's namespaces, bubblewrap makes the rest and waits with the program until it
 * is in its control group. What is returned is the process inside, not bubblewrap.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { SandboxCommand } from '../../sandbox/bubblewrap.ts';
import type { PodNamespaces } from '../network/network.ts';
import { hostEnv } from '../run.ts';
import { closePipe, type Pipe } from './pipes.ts';

export interface Spawned {
  /** Of the first process of the container. */
  readonly pid: number;
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** It may have ended already: a quick program, or a sandbox that could not be made. */
  readonly isRunning: boolean;
  /** 128 + N when signal N ended it. */
  readonly ended: Promise<number>;
}

export interface Spawning {
  readonly command: SandboxCommand;
  readonly namespaces: PodNamespaces;
  /** Of the pod's processes where they are shared. */
  readonly processes: number | undefined;
  readonly stdin: boolean;
  readonly stdout: Pipe;
  readonly stderr: Pipe;
  /** The process exists and waits: puts it where its limits are. */
  admit(pid: number): Promise<void>;
}

/** Descriptors of bubblewrap's: its options, what it tells, what it waits for. */
const descriptors = { options: 3, status: 4, gate: 5 } as const;

export async function spawnContainer(spawning: Spawning): Promise<Spawned> {
  const { command, stdout, stderr } = spawning;
  const argv = [...joinNamespaces(spawning), ...bubblewrap, ...command.argv];
  const child = spawn(argv[0] ?? '', argv.slice(1), {
    env: hostEnv,
    stdio: [spawning.stdin ? 'pipe' : 'ignore', stdout.writeEnd, stderr.writeEnd, 'pipe', 'pipe', 'pipe'],
  });
  closePipe(stdout);
  closePipe(stderr);
  const ended = endOf(child);
  const stdio = child.stdio as readonly unknown[];
  const options = stdio[descriptors.options] as Duplex;
  options.on('error', () => undefined);
  options.end(command.options.map((each) => `${each}\0`).join(''));
  const pid = await childPid(stdio[descriptors.status] as Duplex);
  const gate = stdio[descriptors.gate] as Duplex;
  gate.on('error', () => undefined);
  if (pid !== undefined) await admitted(spawning, { pid, child });
  await opened(gate);
  return {
    ...{ pid: pid ?? 0, isRunning: pid !== undefined && isAlive(pid) },
    ...{ stdin: child.stdin ?? undefined, stdout: stdout.readable, stderr: stderr.readable, ended },
  };
}

interface Admission {
  readonly pid: number;
  readonly child: ChildProcess;
}

/** What cannot be held within its limits does not run. */
async function admitted({ admit }: Spawning, { pid, child }: Admission): Promise<void> {
  try {
    await admit(pid);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

const bubblewrap: readonly string[] = [
  'bwrap',
  ...['--args', String(descriptors.options)],
  ...['--json-status-fd', String(descriptors.status)],
  ...['--block-fd', String(descriptors.gate)],
  '--',
];

export function joinNamespaces({
  namespaces,
  processes,
}: Pick<Spawning, 'namespaces' | 'processes'>): readonly string[] {
  const { network, ipc, uts } = namespaces;
  return [
    'nsenter',
    ...(network === undefined ? [] : [`--net=${network}`]),
    ...[`--ipc=${ipc}`, `--uts=${uts}`],
    ...(processes === undefined ? [] : [`--pid=/proc/${processes}/ns/pid`]),
    '--',
  ];
}

function endOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    // 127 as a shell has it when there is no such program: here it is nsenter that is missing.
    child.on('error', () => resolve(127));
    child.on('exit', (code, signal) => resolve(code ?? 128 + signalNumber(signal)));
  });
}

/** Only what may end bubblewrap itself. */
function signalNumber(signal: NodeJS.Signals | null): number {
  return signal === 'SIGTERM' ? 15 : 9;
}

/** `{ "child-pid": 4711 }`, the first that it tells; undefined when it ends before. */
function childPid(status: Duplex): Promise<number | undefined> {
  return new Promise((resolve) => {
    let text = '';
    status.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      const pid = /"child-pid": (\d+)/.exec(text)?.[1];
      if (pid !== undefined) resolve(Number(pid));
    });
    status.on('error', () => undefined);
    status.on('close', () => resolve(undefined));
    if (status.closed) resolve(undefined);
  });
}

/** Lets it go. It closes its side when all is prepared, just before it becomes the program. */
function opened(gate: Duplex): Promise<void> {
  return new Promise((resolve) => {
    // It may have died meanwhile.
    if (gate.closed) resolve();
    gate.on('close', resolve);
    gate.resume();
    gate.end('.');
  });
}

/** Who is ending has no program any more, even before it counts as ended. */
function isAlive(pid: number): boolean {
  try {
    readlinkSync(`/proc/${pid}/exe`);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
