/**
 * npm and its like start a command through a shell and do not hand a SIGTERM on: `kill` of npx ends npx and the shell, and
 * the server goes on without anybody who knows of it. So a command that they have started watches them. Whoever means to
 * leave a server behind uses `up --detach`, or lets npm end at once (`signalbox up &` in a script): no npm is left then to
 * be watched. An npm that is killed at the start must not be taken for that: so bin/signalbox notes its parent, and this
 * looks before anything else is loaded (nothing but Node.js is imported here).
 */
import { basename } from 'node:path';

/** The processes of the computer. */
export interface ProcessTable {
  /** Who started this process, or took it over. */
  parentId(): number;
  /** Undefined when there is none of that id, or the system does not tell. */
  factsOf(pid: number): Promise<ProcessFacts | undefined>;
}

export interface ProcessFacts {
  readonly parentId: number;
  /** The command line, as it is shown. */
  readonly command: string;
}

export interface Launcher {
  readonly pid: number;
  /** Who started this process: the launcher, or the shell between. */
  readonly parentId: number;
}

const shells: ReadonlySet<string> = new Set(['sh', 'dash', 'ash', 'bash', 'zsh', 'ksh', 'busybox']);
const launchers = /(^|[/\\])(npm|npx|pnpm|pnpx|yarn|yarnpkg|bunx?)(-cli)?(\.c?js)?(\s|$)/;
/** npm's shell, a shim's shell, and one more. */
const shellsMax = 3;

/** The variable in which bin/signalbox says who its parent was when it began. */
export const parentVariable = 'SIGNALBOX_PARENT';

/**
 * Who started this process by `npx`, `npm run` or the like; undefined when nobody did, and 'gone' when the parent has ended
 * since the command was called.
 */
export async function findLauncher(
  table: ProcessTable,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Launcher | 'gone' | undefined> {
  if ((env['npm_config_user_agent'] ?? env['npm_execpath']) === undefined) return undefined;
  const parentId = table.parentId();
  const first = Number(env[parentVariable] ?? parentId);
  if (first !== parentId) return first > 1 ? 'gone' : undefined;
  let pid = parentId;
  for (let depth = 0; depth <= shellsMax && pid > 1; depth++) {
    const facts = await table.factsOf(pid);
    if (facts === undefined) return undefined;
    const [program = ''] = facts.command.split(' ');
    if (launchers.test(facts.command)) {
      if (!shells.has(basename(program))) return { pid, parentId };
    } else if (!shells.has(basename(program))) return undefined;
    pid = facts.parentId;
  }
  return undefined;
}
