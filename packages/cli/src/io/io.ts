import { resolve } from 'node:path';
import type { Clock, Random } from '@signalbox/cluster';
import picocolors from 'picocolors';
import type { Background, Launch } from './background.ts';
import type { RealNodes } from './real-nodes.ts';
import type { Heap } from './rest.ts';

/** Everything that a command takes from and gives to the world around it, so that tests run commands in their process. */
export interface Io {
  readonly stdin: AsyncIterable<string | Uint8Array>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: Random;
  /** What the machine is called. */
  readonly host: string;
  /** Addresses under which other machines may reach this one. */
  addresses(): readonly string[];
  /** Who runs this process; undefined where the system knows no such numbers. */
  readonly userId: number | undefined;
  /** `v20.20.2` */
  readonly nodeVersion: string;
  /** Processes of this computer. */
  readonly processes: Processes;
  /** Starts this program once more, as a process in the background. */
  readonly launch: Launch;
  /** What this command line runs with, and where the programs are that it brings along. */
  readonly install: Install;
  readonly realNodes: RealNodes;
  /** Set when this process is the one in the background. */
  readonly background: Background | undefined;
  /** Aborts when the user wants the command to end. */
  readonly signal: AbortSignal;
  /** What is still to be said when the user does not want to wait for the end: the process ends right after it. */
  onHurry(speak: () => void): void;
  /** What this process could have of the machine's memory. */
  readonly memoryBytes: number;
  /** What this process uses now. */
  vitals(): Promise<Vitals>;
  readonly heap: Heap;
  readonly engine: Engine;
}

/** What makes code of this process faster while it runs. */
export interface Engine {
  /** Much is about to be done once. */
  starts(): void;
  /** That is done; what comes now may come often. */
  serves(): void;
  /** A little is done all the time, and never nothing: there is a large fleet. Returns how to take that back. */
  neverRests(): () => void;
}

export interface Install {
  /** The path of Node.js. */
  readonly node: string;
  /** A folder. */
  readonly programs: string;
}

export interface Vitals {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly heapUsedBytes: number;
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
  /** Undefined: the system does not tell. */
  readonly openFiles: number | undefined;
}

export interface Processes {
  /** The id of this one. */
  readonly id: number;
  /** Throws the system's error, e.g. with the code EPERM. */
  kill(pid: number, signal: 'SIGTERM' | 'SIGHUP' | 'SIGKILL'): void;
}

export interface Output {
  /** `timed`: its lines say when themselves; a log file adds nothing to them. */
  write(text: string, form?: 'timed'): void;
  readonly isTerminal: boolean;
  /** Width in characters, where it is known. */
  readonly columns?: number | undefined;
}

export type Colors = ReturnType<typeof picocolors.createColors>;

/** Colours only where a person looks, and not when they asked for none (no-color.org). */
export function colorsFor(output: Output, { env }: Pick<Io, 'env'>): Colors {
  const isWanted = (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  return picocolors.createColors(output.isTerminal && isWanted);
}

export function writeLine(output: Output, line: string): void {
  output.write(`${line}\n`);
}

export function absolute(path: string, { cwd }: Pick<Io, 'cwd'>): string {
  return resolve(cwd, path);
}
