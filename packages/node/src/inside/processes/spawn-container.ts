/**
 * Starts one sandboxed process: nsenter joins the pod's namespaces, bubblewrap makes the rest and waits with the program until it
 * is in its control group. What is returned is the process inside, not bubblewrap.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readlinkSync } from 'node:fs';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { SandboxCommand } from '../../sandbox/bubblewrap.ts';
import type { PodNamespaces } from '../network/network.ts';
import { type PodShell, quoted, sandboxDescriptors } from '../network/pod-shell.ts';
import { hostEnv } from '../run.ts';
import { closePipe, type Pipe } from './pipes.ts';
import { type InTerminal, inTerminal } from './terminal.ts';

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
  /** What waits in these namespaces to become it, with the same pipes; undefined: it is made and joins them. */
  readonly shell: PodShell | undefined;
  /** Of the pod's processes where they are shared. */
  readonly processes: number | undefined;
  readonly stdin: boolean;
  /** Undefined: it has no terminal. */
  readonly terminal: Pick<InTerminal, 'owner'> | undefined;
  readonly stdout: Pipe;
  readonly stderr: Pipe;
  /** The process exists and waits: puts it where its limits are. */
  admit(pid: number): Promise<void>;
}

const descriptors = { ...sandboxDescriptors, processes: 6 } as const;

export async function spawnContainer(spawning: Spawning): Promise<Spawned> {
  const { stdout, stderr, shell } = spawning;
  const child = shell === undefined ? spawned(spawning) : become(shell, spawning);
  const ended = endOf(child);
  const stdio = child.stdio as readonly unknown[];
  const options = stdio[descriptors.options] as Duplex;
  options.on('error', () => undefined);
  options.end(spawning.command.options.map((each) => `${each}\0`).join(''));
  const pid = await childPid(stdio[descriptors.status] as Duplex);
  const gate = stdio[descriptors.gate] as Duplex;
  gate.on('error', () => undefined);
  if (pid !== undefined) await admitted(spawning, { pid, child });
  // Who holds a terminal holds our descriptors, too: there is nothing to be seen of them.
  if (spawning.terminal !== undefined) gate.end('.');
  else await opened(gate);
  return {
    ...{ pid: pid ?? 0, isRunning: pid !== undefined && isAlive(pid) },
    ...{
      stdin: spawning.stdin ? (child.stdin ?? undefined) : undefined,
      stdout: stdout.readable,
      stderr: stderr.readable,
      ended,
    },
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

function become(shell: PodShell, { command }: Spawning): ChildProcess {
  shell.become([...bubblewrap(false), ...command.argv].map(quoted).join(' '));
  return shell.child;
}

function spawned(spawning: Spawning): ChildProcess {
  const { command, namespaces, processes, terminal, stdout, stderr } = spawning;
  // bubblewrap itself stays outside: whoever sees its processes would see the machine with them.
  const shared = processes === undefined ? undefined : openSync(`/proc/${processes}/ns/pid`, 'r');
  const argv = [...joinNamespaces(namespaces), ...bubblewrap(shared !== undefined), ...command.argv];
  const [program = '', ...args] = terminal === undefined ? argv : inTerminal(argv, { of: undefined, ...terminal });
  try {
    return spawn(program, args, {
      env: { ...hostEnv, SHELL: '/bin/sh' },
      stdio: [
        // A terminal has an input, whether somebody types or not.
        spawning.stdin || terminal !== undefined ? 'pipe' : 'ignore',
        ...[stdout.writeEnd, stderr.writeEnd],
        ...(['pipe', 'pipe', 'pipe'] as const),
        shared ?? 'ignore',
      ],
    });
  } finally {
    closePipe(stdout);
    closePipe(stderr);
    if (shared !== undefined) closeSync(shared);
  }
}

function bubblewrap(sharesProcesses: boolean): readonly string[] {
  return [
    'bwrap',
    ...['--args', String(descriptors.options)],
    ...['--json-status-fd', String(descriptors.status)],
    ...['--block-fd', String(descriptors.gate)],
    ...(sharesProcesses ? ['--pidns', String(descriptors.processes)] : []),
    '--',
  ];
}

export function joinNamespaces({ network, ipc, uts }: PodNamespaces): readonly string[] {
  const net = network === undefined ? [] : [`--net=${network}`];
  return ['nsenter', ...net, `--ipc=${ipc}`, `--uts=${uts}`, '--'];
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
