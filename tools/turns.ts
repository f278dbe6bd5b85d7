import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rankOf } from './longest-first.ts';

export interface Turn {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the month: another day plays the others. */
  readonly day: number;
}

/** On so many days each file is played once. */
export const days = 5;

/**
 * Of tests that take minutes of both cores a run of CI plays every fifth file: those beside upstream's programs, and those that are
 * played again with another kubectl. Returns the files that it leaves out. With an `FC_SEED` that number decides instead of the
 * day; elsewhere all are played.
 */
export function leftOut(files: readonly string[], { env, day }: Turn): readonly string[] {
  if (env['CI'] === undefined || env['SIGNALBOX_STORIES'] !== undefined) return [];
  const turn = Number(env['FC_SEED'] ?? day) % days;
  // The longest first, so that no day has them all.
  const dealt = files.toSorted().toSorted((a, b) => rankOf(a) - rankOf(b));
  return dealt.filter((_, index) => index % days !== turn);
}

/** End to end tests below a folder whose paths begin so, from the root of the project. */
export function testsIn(root: string, start: string): readonly string[] {
  const folder = dirname(`${start}x`);
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((path) => path.startsWith(start) && path.endsWith('.e2e.test.ts'));
}
