import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = 'tools/peers';

export interface Turn {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the month: another day plays the others. */
  readonly day: number;
}

/**
 * Upstream's programs take minutes of both cores to start: a run of CI plays every second file of tests beside them. Returns those
 * that it leaves out. With an `FC_SEED` that number decides instead of the day; elsewhere all are played.
 */
export function leftOut(files: readonly string[], { env, day }: Turn): readonly string[] {
  if (env['CI'] === undefined || env['SIGNALBOX_STORIES'] !== undefined) return [];
  const turn = Number(env['FC_SEED'] ?? day) % 2;
  return files.toSorted().filter((_, index) => index % 2 !== turn);
}

/** Paths of the tests beside upstream, from the root of the project. */
export function testsBeside(root: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.e2e.test.ts'))
    .map((file) => `${folder}/${file}`);
}
