import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root. */
export const repository: string = fileURLToPath(new URL('../../../../', import.meta.url));

/** The command line as a process of its own. */
export interface CommandProcess {
  readonly child: ChildProcess;
  out(): string;
  err(): string;
  /** The exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Settles when standard output holds the text; rejects when the process ends before. */
  printed(text: string): Promise<void>;
}

/** What starts the command line. */
export function commandLine(argv: readonly string[]): readonly string[] {
  return [process.execPath, join(programsFolder(), 'main.js'), ...argv];
}

/** Bundled from the sources by tools/bundle-programs.ts: by vitest, or whoever else starts it. */
export function programsFolder(): string {
  const folder = process.env['SIGNALBOX_PROGRAMS'];
  if (folder === undefined)
    throw new Error('SIGNALBOX_PROGRAMS names no folder of bundled programs: run bundlePrograms()');
  return folder;
}

export interface CommandPlace {
  readonly cwd: string;
  /** Besides what every command needs. */
  readonly env?: Readonly<Record<string, string>>;
  /** Who runs it; undefined: who runs the test. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

/** Whoever judges what parts of a plane do, does so in programs, too. */
function judging(): Readonly<Record<string, string>> {
  const folder = process.env['SIGNALBOX_JUDGED'];
  return folder === undefined ? {} : { SIGNALBOX_JUDGED: folder };
}

export function startCommand(argv: readonly string[], { cwd, env = {}, user }: CommandPlace): CommandProcess {
  const [program = '', ...rest] = commandLine(argv);
  const child = spawn(program, rest, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
    // What is compiled serves all of them, and is removed with the programs.
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: cwd,
      XDG_CACHE_HOME: join(programsFolder(), 'cache'),
      ...judging(),
      ...env,
    },
  });
  const written = { out: '', err: '' };
  const checks = new Set<() => void>();
  child.stdout.on('data', (chunk: Buffer) => {
    written.out += chunk.toString('utf8');
    for (const check of checks) check();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    written.err += chunk.toString('utf8');
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  return {
    child,
    out: () => written.out,
    err: () => written.err,
    ended,
    printed: (text) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (!written.out.includes(text)) return;
          checks.delete(check);
          resolve();
        };
        checks.add(check);
        check();
        void ended.then(() => reject(new Error(`it ended before it printed ${text}: ${written.err}`)));
      }),
  };
}
