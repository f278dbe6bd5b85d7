/**
 * npm and its like start a command through a shell and do not hand a SIGTERM on: `kill` of npx ends npx and the shell, and
 * the server goes on without anybody who knows of it. So a command that they have started watches them. Whoever means to
 * leave a server behind lets npm end at once (`signalbox up &` in a script), or uses `up --detach`: by the time that the
 * command looks around, no npm is left to be watched.
 */
import { basename } from 'node:path';
import { type Clock, sleep } from '@signalbox/cluster';

/** The processes of the computer. */
export interface ProcessTable {
  /** Who started this process, or took it over. */
  parentId(): number;
  /** Undefined when there is none of that id, or the system does not tell. */
  factsOf(pid: number): Promise<ProcessFacts | undefined>;
  /** The same as long as it is the same process. */
  nameOf(pid: number): Promise<string>;
}

export interface ProcessFacts {
  readonly parentId: number;
  /** The command line, as it is shown. */
  readonly command: string;
}

export interface Launcher {
  readonly pid: number;
  readonly name: string;
  /** Who started this process: the launcher, or the shell between. */
  readonly parentId: number;
}

const shells: ReadonlySet<string> = new Set(['sh', 'dash', 'ash', 'bash', 'zsh', 'ksh', 'busybox']);
const launchers = /(^|[/\\])(npm|npx|pnpm|pnpx|yarn|yarnpkg|bunx?)(-cli)?(\.c?js)?(\s|$)/;
/** npm's shell, a shim's shell, and one more. */
const shellsMax = 3;

/** Who started this process by `npx`, `npm run` or the like; undefined when nobody did. */
export async function findLauncher(
  table: ProcessTable,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Launcher | undefined> {
  if ((env['npm_config_user_agent'] ?? env['npm_execpath']) === undefined) return undefined;
  const parentId = table.parentId();
  let pid = parentId;
  for (let depth = 0; depth <= shellsMax && pid > 1; depth++) {
    const facts = await table.factsOf(pid);
    if (facts === undefined) return undefined;
    const [program = ''] = facts.command.split(' ');
    if (launchers.test(facts.command)) {
      if (!shells.has(basename(program))) return { pid, name: await table.nameOf(pid), parentId };
    } else if (!shells.has(basename(program))) return undefined;
    pid = facts.parentId;
  }
  return undefined;
}

const lookEveryMs = 1_000;

/** Resolves when the launcher, or the shell between, has ended; rejects when the signal aborts. */
export async function untilLeft(
  { pid, name, parentId }: Launcher,
  table: ProcessTable,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  while (table.parentId() === parentId && (await table.nameOf(pid)) === name)
    await sleep(clock, lookEveryMs, { signal });
}
