import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Compiled, keptFile, requireCompiled } from './compiled.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-compiled-'));
  file = join(folder, 'program.cjs');
  writeFileSync(file, program);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const program = `
function lazy(x) { return x + 1; }
exports.answer = lazy(41);
exports.where = [__dirname, __url, typeof require('node:os').hostname];
exports.withUsualFlags = (work) => work();
exports.later = () => import('node:path');
`;

interface Program extends Compiled {
  readonly answer: number;
  readonly where: readonly string[];
  later(): Promise<typeof import('node:path')>;
}

interface Loaded {
  readonly program: Program;
  /** Whether code was to be kept, because there was none that could be used. */
  readonly keeps: boolean;
}

function load(env: NodeJS.ProcessEnv = { XDG_CACHE_HOME: folder }): Loaded {
  let keeps = false;
  const after = (_delayMs: number, work: () => void): void => {
    keeps = true;
    work();
  };
  return { program: requireCompiled<Program>(file, { env, execArgv: [], after }), keeps };
}

const kept = (): string => keptFile(file, { env: { XDG_CACHE_HOME: folder }, execArgv: [] }) ?? '';

test('a file is loaded as CommonJS is, whether its code was kept or not', async () => {
  for (const expected of [true, false]) {
    const { program: loaded, keeps } = load();
    expect(keeps).toBe(expected);
    expect(loaded.answer).toBe(42);
    expect(loaded.where).toEqual([folder, `file://${file}`, 'function']);
    // Node.js would do it the first time only, so that what is wrong would show with the second start.
    await expect(loaded.later()).rejects.toThrow('dynamic import');
  }
  expect(statSync(kept()).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(kept())).mode & 0o777).toBe(0o700);
});

describe('kept code is not used, and made anew,', () => {
  test.each<[string, () => void]>([
    ['when it was cut off', () => writeFileSync(kept(), readFileSync(kept()).subarray(0, 100))],
    ['when a part of it was lost', () => writeFileSync(kept(), readFileSync(kept()).fill(0, 600, 700))],
    ['when it is empty', () => writeFileSync(kept(), '')],
    ['when it is something else', () => writeFileSync(kept(), 'x'.repeat(5_000))],
    ['when others may write it', () => chmodSync(kept(), 0o622)],
    ['when it is of a program of another length', () => writeFileSync(file, `${program}\n// longer`)],
  ])('%s', (_when, spoil) => {
    load();
    spoil();
    const { program: loaded, keeps } = load();
    expect([loaded.answer, keeps]).toEqual([42, true]);
    expect(load().keeps).toBe(false);
  });
});

test('where there is no place for it, or the user wants none, nothing is kept', () => {
  const before = readdirSync(folder);
  for (const env of [{}, { HOME: 'relative' }, { XDG_CACHE_HOME: folder, NODE_DISABLE_COMPILE_CACHE: '1' }])
    expect(load(env)).toMatchObject({ keeps: false, program: { answer: 42 } });
  expect(readdirSync(folder)).toEqual(before);
  const blocked = join(folder, 'file');
  writeFileSync(blocked, '');
  expect(load({ XDG_CACHE_HOME: blocked })).toMatchObject({ keeps: true, program: { answer: 42 } });
});

test.skipIf(!process.versions.v8.startsWith('11.'))('code that an engine would not take is not kept', () => {
  // Flags are not as usual while it is made, and are afterwards.
  const odd = `
const { setFlagsFromString } = require('node:v8');
let calls = 0;
exports.withUsualFlags = (work) => {
  const isFirst = ++calls === 1;
  if (isFirst) setFlagsFromString('--interrupt-budget=70000');
  try {
    return work();
  } finally {
    if (isFirst) setFlagsFromString('--interrupt-budget=67584');
  }
};
`;
  writeFileSync(file, odd);
  expect(load().keeps).toBe(true);
  expect(existsSync(kept())).toBe(false);
});

test('other flags, other code', () => {
  const of = (execArgv: readonly string[], env: NodeJS.ProcessEnv = {}): string | undefined =>
    keptFile(file, { env: { HOME: '/home/x', ...env }, execArgv });
  expect(of([])).toMatch(/^\/home\/x\/\.cache\/signalbox\/compiled\/[0-9a-f]{24}\.bin$/);
  const all = [of([]), of(['--max-old-space-size=100']), of([], { NODE_OPTIONS: '--stack-size=900' })];
  expect(new Set(all).size).toBe(3);
});

test('what has long not been made is removed, so that versions do not pile up', () => {
  mkdirSync(dirname(kept()), { recursive: true });
  for (let index = 0; index < 10; index++) {
    const old = join(dirname(kept()), `old-${index}.bin`);
    writeFileSync(old, '');
    utimesSync(old, 1_000 + index, 1_000 + index);
  }
  load();
  const left = readdirSync(dirname(kept()));
  expect(left).toHaveLength(6);
  expect(left).toContain(kept().split('/').at(-1));
  expect(left).toContain('old-9.bin');
});
