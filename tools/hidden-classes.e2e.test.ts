import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makersOf } from './hidden-classes.ts';

const root = resolve(import.meta.dirname, '..');
let folder = '';
let program = '';

beforeAll(async () => {
  // Below node_modules, where it finds what is not bundled.
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
  folder = mkdtempSync(join(root, 'node_modules/.cache/classes-'));
  program = join(folder, 'scheduling.mjs');
  await build({
    entryPoints: [join(root, 'bench/cases/scheduling.ts')],
    outfile: program,
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    conditions: ['signalbox-source'],
    external: ['lmdb', '@peculiar/x509', 'reflect-metadata', 'undici'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** How many each line of the program made while so many pods were made, and took the places of four others each. */
function made(pods: number): ReadonlyMap<string, number> {
  const log = join(folder, 'maps.log');
  const flags = ['--log-maps', '--no-logfile-per-isolate', `--logfile=${log}`];
  const { status, stderr } = spawnSync(process.execPath, [...flags, program, 'preemption', `${pods}`, `${pods}`]);
  expect([status, String(stderr)]).toEqual([0, '']);
  const lines = (file: string): readonly string[] => readFileSync(file, 'utf8').split('\n');
  const makers = makersOf(lines(log), { program: lines(program), least: 1 });
  return new Map(makers.map(({ at, times }) => [at, times]));
}

const few = 40;
const many = 160;

test('pods are made, preempted, bound and run without hidden classes of their own', () => {
  const before = made(few);
  // What a start makes is the same for few and for many.
  const grown = [...made(many)].filter(([at, times]) => times - (before.get(at) ?? 0) > 0.5 * (many - few));
  // Mends: docs/decisions/0465.
  expect(grown).toEqual([]);
});
