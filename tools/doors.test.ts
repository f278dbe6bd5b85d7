import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { bundle } from './bundle.ts';
import { ledPast, readDoor } from './doors.ts';

const files: Readonly<Record<string, string>> = {
  './a.ts': '',
  './kinds.ts': 'export const pods = 1;\nconst hidden = 2;\nexport const nodes = 3;\nexport type Pod = string;\n',
};
const index = `
export type { Gone } from './a.ts';
export {
  type AlsoGone,
  inner as outer,
  same,
} from './a.ts';
export * from './kinds.ts';
export type * from './kinds.ts';
`;
const door = readDoor(index, (path) => ({ file: `/src/${path.slice(2)}`, text: () => files[path] ?? '' }));
const led = (source: string): string =>
  ledPast(source, (specifier) => (specifier === '@signalbox/cluster' ? door : undefined));

test('a door says where what it exports stands, without types', () => {
  expect([...door]).toEqual([
    ['outer', { file: '/src/a.ts', name: 'inner' }],
    ['same', { file: '/src/a.ts', name: 'same' }],
    ['pods', { file: '/src/kinds.ts', name: 'pods' }],
    ['nodes', { file: '/src/kinds.ts', name: 'nodes' }],
  ]);
});

test('imports lead to the files, on the lines where they were', () => {
  expect(led("import { outer, type Gone } from '@signalbox/cluster';\nouter();\n")).toBe(
    'import { inner as outer } from "/src/a.ts";\nouter();\n',
  );
  expect(led("import {\n  same as ours,\n  pods,\n} from '@signalbox/cluster';\n").split('\n')).toEqual([
    'import { same as ours } from "/src/a.ts"; import { pods as pods } from "/src/kinds.ts";',
    '',
    '',
    '',
    '',
  ]);
});

test('what is no door, and types alone, stay or go as ever', () => {
  const other = "import { a } from '@signalbox/cluster/testing';\nimport type { Pod } from '@signalbox/cluster';\n";
  expect(led(other)).toBe(other);
  expect(led("import { type Pod } from '@signalbox/cluster';\n")).toBe('\n');
});

test('a name that a door does not have is an error, not something undefined', () => {
  expect(() => led("import { missing } from '@signalbox/cluster';\n")).toThrow('@signalbox/cluster exports no missing');
});

/** What is loaded before anything is asked for: files, packages and bytes behind these sources. */
async function loadedAtOnce(
  sources: readonly string[],
): Promise<{ readonly inputs: readonly string[]; readonly externals: readonly string[]; readonly bytes: number }> {
  const { outputs } = await bundled();
  const chunk = (source: string): string =>
    Object.keys(outputs).find(
      (name) => outputs[name]?.entryPoint?.endsWith(source) === true && !name.endsWith('.cjs'),
    ) ?? '';
  const loaded = new Set<string>();
  const load = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    for (const { path, kind, external } of outputs[name]?.imports ?? [])
      if (kind !== 'dynamic-import' && external !== true) load(path);
  };
  for (const source of sources) load(chunk(source));
  return {
    inputs: [...loaded].flatMap((name) => Object.keys(outputs[name]?.inputs ?? {})),
    externals: [...loaded].flatMap((name) =>
      (outputs[name]?.imports ?? []).flatMap(({ path, external }) => (external === true ? [path] : [])),
    ),
    bytes: [...loaded].reduce((sum, name) => sum + (outputs[name]?.bytes ?? 0), 0),
  };
}

let made: ReturnType<typeof bundle> | undefined;

function bundled(): ReturnType<typeof bundle> {
  made ??= bundle({
    programs: { main: 'packages/cli/src/main.ts' },
    folder: resolve(import.meta.dirname, '../node_modules/.cache/never-written'),
    commit: '',
    isWritten: false,
  });
  return made;
}

const front = ['cli/src/main.ts', 'cli/src/process.ts'];

test('an operator alone loads neither the store nor the server, nor any definition', async () => {
  const { inputs, externals, bytes } = await loadedAtOnce([...front, 'cli/src/commands/operator.ts']);
  expect(inputs).toContain('packages/telemetry/src/operator/operator.ts');
  expect(
    inputs.filter((path) =>
      /cluster\/src\/(server\/http|store\/store|store\/backends\/lmdb|explain|scheduler|node|cel)/.test(path),
    ),
  ).toEqual([]);
  expect(inputs.filter((path) => /generated\/crds\.ts|prom-client|\/pino\/|packages\/node\//.test(path))).toEqual([]);
  expect(externals).not.toContain('lmdb');
  expect(bytes).toBeLessThan(1_750_000);
});

test('a cluster loads the language of expressions when there is one to read', async () => {
  const { inputs } = await loadedAtOnce([...front, 'cli/src/commands/up.ts']);
  expect(inputs).toContain('packages/cluster/src/server/expressions.ts');
  expect(inputs.filter((path) => path.startsWith('packages/cluster/src/cel/'))).toEqual([]);
});
