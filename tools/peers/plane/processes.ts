/** Programs that a test starts beside itself, and that end with it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

export interface Running {
  readonly pid: number;
  /** Why it ended; undefined while it runs. */
  readonly over: () => string | undefined;
  /** The end of what it wrote. */
  readonly tail: () => string;
  /** Asks it to end, and after a while ends it. Resolves when it is gone. */
  end(): Promise<void>;
}

export interface Starting {
  readonly program: string;
  readonly flags: readonly string[];
  /** Where what it writes is kept. */
  readonly log: string;
  /** How long it may take to end when it is asked to. */
  readonly endMsMax?: number;
}

const tailLength = 4_000;

/** All that run: they end with this process, however it ends by itself. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export async function start({ program, flags, log, endMsMax = 5_000 }: Starting): Promise<Running> {
  const output = openSync(log, 'a', 0o600);
  const child = spawn(program, flags, { stdio: ['ignore', output, output], env: { PATH: process.env['PATH'] ?? '' } });
  closeSync(output);
  running.add(child);
  let over: string | undefined;
  const gone = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      running.delete(child);
      over = `${basename(program)} ended (${signal ?? `code ${code}`})`;
      resolve();
    });
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => {
      running.delete(child);
      reject(new Error(`cannot start ${program}`, { cause: error }));
    });
  });
  return {
    pid: child.pid ?? 0,
    over: () => over,
    tail: () => readFileSync(log, 'utf8').slice(-tailLength),
    async end() {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), endMsMax);
      await gone;
      clearTimeout(late);
    },
  };
}
