/**
 * The shell that makes the namespaces of a pod. It goes on waiting in them, and becomes the first of the pod's sandboxes: that one
 * needs no program of its own that joins them.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { closePipe, type Pipe, type Pipes } from '../processes/pipes.ts';
import { hostEnv } from '../run.ts';

/** Descriptors of a sandbox's, besides its output: its options, what it tells, what it waits for. */
export const sandboxDescriptors = { options: 3, status: 4, gate: 5 } as const;
const reportDescriptor = 6;

export interface PodShell {
  /** With the descriptors of a sandbox. */
  readonly child: ChildProcess;
  readonly stdout: Pipe;
  readonly stderr: Pipe;
  /** Undefined: all is made; else why it is not. */
  readonly made: Promise<string | undefined>;
  /** A line of a shell: it ends as what that becomes. Its input is nothing. */
  become(line: string): void;
  /** Nothing is left of it. */
  end(): void;
}

export interface PodShellOptions {
  /** What it is to be in, as options of `unshare`. */
  readonly namespaces: readonly string[];
  /** What it does there first, and its arguments. */
  readonly script: string;
  readonly args: readonly string[];
  /** A path for a file of its own. */
  readonly orders: string;
}

/** The orders are read at once, as a file: what comes by standard input a shell reads byte by byte. */
const waiting = `
printf + >&6
exec 6>&-
read -r _ || exit 0
. "$0"
`;

export async function startPodShell(
  { namespaces, script, args, orders }: PodShellOptions,
  pipes: Pipes,
): Promise<PodShell> {
  const [stdout, stderr] = await Promise.all([pipes.take(), pipes.take()]);
  const argv = [...namespaces, '--', 'sh', '-c', `set -e\n{\n${script}} >&6 2>&6${waiting}`, orders, ...args];
  const child = spawn('unshare', argv, {
    env: { ...hostEnv, SHELL: '/bin/sh' },
    stdio: ['pipe', stdout.writeEnd, stderr.writeEnd, 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  closePipe(stdout);
  closePipe(stderr);
  const stdio = child.stdio as readonly (Duplex | null)[];
  child.stdin?.on('error', () => undefined);
  return {
    ...{ child, stdout, stderr, made: madeBy(child, stdio[reportDescriptor] as Duplex) },
    become(line) {
      writeFileSync(orders, `exec ${line} < /dev/null\n`, { mode: 0o600 });
      child.once('exit', () => rmSync(orders, { force: true }));
      child.stdin?.end('\n');
    },
    end() {
      child.kill('SIGKILL');
      for (const each of [...stdio, stdout.readable, stderr.readable]) each?.destroy();
    },
  };
}

function madeBy(child: ChildProcess, report: Duplex): Promise<string | undefined> {
  let said = '';
  return new Promise((resolve) => {
    report.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
    report.on('error', () => undefined);
    report.on('close', () => resolve(said.endsWith('+') ? undefined : said.trim() || 'its shell has been ended'));
    child.on('error', (error) => resolve(error.message));
  });
}

/** As one word of a shell. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
