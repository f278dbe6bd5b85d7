/** Starts the process inside its namespaces, or finds the one that an earlier agent left running. */
import { chownSync, closeSync, constants, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnAlone } from '@signalbox/cluster';
import { connectInside, type InsideClient } from '../protocol/client.ts';
import { InsideFailure } from '../protocol/failure.ts';
import type { InsideState } from '../protocol/inside.ts';
import { nodePlaces } from '../protocol/places.ts';
import { defaultLogLimits, type LogLimits } from './logs/container-log.ts';
import { defaultNetwork, type NetworkPlan } from './network/network.ts';
import { hostEnv } from './run.ts';
import type { InsideSettings } from './settings.ts';

export interface StartInside {
  readonly folder: string;
  /** The program that is `main.ts`, and its arguments. */
  readonly command: readonly [string, ...string[]];
  /** Whether it runs as the machine's root. */
  readonly isRoot: boolean;
  /** As whom it runs, where root wants it to have an ordinary user's rights only; undefined: as who starts it. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Five minutes. */
  readonly idleMs?: number;
  readonly network?: NetworkPlan;
  readonly logLimits?: LogLimits;
  /** A minute. */
  readonly logsKeptMs?: number;
  /** Paths of the machine that pods may mount; none. */
  readonly hostPaths?: readonly string[];
}

export interface StartedInside {
  readonly inside: InsideClient;
  readonly state: InsideState;
  /** It ran already, and what ran in it still does. */
  readonly isAdopted: boolean;
}

const idleMsUsual = 300_000;
const logsKeptMsUsual = 60_000;

/** Rejects with what the process said when it cannot start. One folder belongs to one agent at a time. */
export async function startInside(start: StartInside): Promise<StartedInside> {
  const { doors } = nodePlaces(start.folder);
  mkdirSync(doors, { recursive: true, mode: 0o700 });
  if (start.user !== undefined) chownSync(doors, start.user.uid, start.user.gid);
  const found = await knock(doors);
  if (found !== undefined) return { ...found, isAdopted: true };
  await launch(start);
  const inside = connectInside(doors);
  return { inside, state: await inside.state(), isAdopted: false };
}

/** A socket without a listener is left over; one that hangs up has been ending. */
const nobodyThere = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

/** Undefined when nobody is there. */
async function knock(doors: string): Promise<Pick<StartedInside, 'inside' | 'state'> | undefined> {
  const inside = connectInside(doors);
  try {
    return { inside, state: await inside.state() };
  } catch (error) {
    inside.close();
    if (error instanceof InsideFailure && nobodyThere.includes(error.code)) return undefined;
    throw error;
  }
}

/** As root the machine's users are taken as they are; else a namespace of users comes first, in which the user is root. */
export function namespaceArgv({ isRoot }: Pick<StartInside, 'isRoot'>): readonly string[] {
  return [
    'unshare',
    ...(isRoot ? [] : ['--user', '--map-root-user']),
    ...['--net', '--mount', '--propagation', 'private'],
    // The first process of a namespace of its own: when it ends, so does everything in it, whatever it was.
    ...['--pid', '--fork', '--kill-child=KILL', '--mount-proc'],
    '--',
  ];
}

async function launch(start: StartInside): Promise<void> {
  const settings: InsideSettings = {
    folder: start.folder,
    isRoot: start.isRoot,
    idleMs: start.idleMs ?? idleMsUsual,
    network: start.network ?? defaultNetwork,
    logLimits: start.logLimits ?? defaultLogLimits,
    logsKeptMs: start.logsKeptMs ?? logsKeptMsUsual,
    hostPaths: start.hostPaths ?? [],
  };
  const logPath = join(start.folder, 'inside.log');
  // Behind what is there: of a process before, somebody may still be about to say a last word.
  const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND } = constants;
  const log = openSync(logPath, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600);
  const argv = [...namespaceArgv(start), ...start.command, JSON.stringify(settings)];
  const child = spawnAlone(argv[0] ?? '', argv.slice(1), {
    detached: true,
    cwd: '/',
    env: hostEnv,
    stdio: ['ignore', 'pipe', log],
    ...start.user,
  });
  closeSync(log);
  try {
    await new Promise<void>((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code) => reject(new Error(`the process inside cannot start (${code}): ${lastLine(logPath)}`)));
      child.stdout?.once('data', () => resolve());
    });
  } finally {
    child.removeAllListeners();
    child.stdout?.destroy();
    child.unref();
  }
}

function lastLine(path: string): string {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.find((line) => /error|failed|refused|not permitted|cannot/i.test(line)) ?? lines.at(-1) ?? '';
}
