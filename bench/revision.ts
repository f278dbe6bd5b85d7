/**
 * A revision of the past, checked out and built beside this one. Its own cases measure it, with its own runner: how packages
 * find their sources and what a case imports has changed before and will again.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseFigures } from './figures.ts';
import type { Measured, Side } from './turns.ts';

/** Runs `work` with the built checkout of a revision, which is gone afterwards. */
export function withRevision<T>(root: string, revision: string, work: (folder: string) => T): T {
  const commit = run('git', ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`], root).stdout.trim();
  if (commit === '') throw new Error(`there is no revision "${revision}" here: name a commit, a branch or a tag`);
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const checkout = join(folder, 'checkout');
  try {
    must('git', ['worktree', 'add', '--quiet', '--detach', checkout, commit], root);
    // Its `prepare` builds it.
    must('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], checkout);
    return work(checkout);
  } finally {
    run('git', ['worktree', 'remove', '--force', checkout], root);
    rmSync(folder, { recursive: true, force: true });
    run('git', ['worktree', 'prune'], root);
  }
}

/** A built checkout: each measurement is one run of its `bench/run.ts`. */
export function checkoutSide(name: string, folder: string): Side {
  return { name, measure: (measurement) => measure(measurement, folder) };
}

function measure(name: string, folder: string): Measured {
  const args = ['--import', 'tsx', 'bench/run.ts', '--runs', '1', name];
  const { stdout, stderr, status } = run(process.execPath, args, folder);
  if (status === null) throw new Error('interrupted');
  const figures = parseFigures(stdout, name);
  if (Object.keys(figures).length > 0) return { is: 'measured', figures };
  if (status === 0 || stderr.includes(absent)) return { is: 'absent' };
  return { is: 'failed', reason: errorLine(stderr) };
}

/** The names of the cases of a checkout, as its `--help` lists them; empty for one from before that. */
export function casesOf(folder: string): readonly string[] {
  const { stdout } = run(process.execPath, ['--import', 'tsx', 'bench/run.ts', '--help'], folder);
  return /^names: (.*)$/m.exec(stdout)?.[1]?.split(' ') ?? [];
}

/** How a runner begins its refusal of a name that it does not know. */
export const absent = 'there is no case ';

function errorLine(stderr: string): string {
  const lines = stderr.split('\n');
  return (
    lines.find((line) => /^\w*Error: /.test(line)) ??
    lines.find((line) => line.trim() !== '') ??
    'no reason'
  ).trim();
}

const errorLinesMax = 3;

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
}

function must(command: string, args: readonly string[], folder: string): void {
  const { status, stderr, stdout } = run(command, args, folder);
  if (status === 0) return;
  // npm says pages after what is wrong.
  const reason = (stderr || stdout).trim().split('\n').slice(0, errorLinesMax).join('\n');
  throw new Error(`${command} ${args.join(' ')} failed in ${folder}: ${reason}`);
}

function run(command: string, args: readonly string[], folder: string): Ended {
  // Under `npm run` the environment says which folder npm works on; here it is another.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|GIT_|INIT_CWD$)/i.test(name)));
  return spawnSync(command, args, { cwd: folder, env, encoding: 'utf8', maxBuffer: 2 ** 26 });
}
