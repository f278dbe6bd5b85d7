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

test('an operator alone loads neither the store nor the server, nor any definition', async () => {
  const { outputs } = await bundle({
    programs: { main: 'packages/cli/src/main.ts' },
    folder: resolve(import.meta.dirname, '../node_modules/.cache/never-written'),
    commit: '',
    isWritten: false,
  });
  const chunk = (source: string): string =>
    Object.keys(outputs).find((name) => outputs[name]?.entryPoint?.endsWith(source) === true) ?? '';
  const loaded = new Set<string>();
  const load = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    for (const { path, kind, external } of outputs[name]?.imports ?? [])
      if (kind !== 'dynamic-import' && external !== true) load(path);
  };
  for (const source of ['cli/src/main.ts', 'cli/src/process.ts', 'cli/src/commands/operator.ts']) load(chunk(source));
  const inputs = [...loaded].flatMap((name) => Object.keys(outputs[name]?.inputs ?? {}));
  const externals = [...loaded]
    .flatMap((name) => outputs[name]?.imports ?? [])
    .filter((each) => each.external === true);
  expect(inputs).toContain('packages/telemetry/src/operator/operator.ts');
  expect(
    inputs.filter((path) =>
      /cluster\/src\/(server\/http|store\/store|store\/backends\/lmdb|scheduler|node)/.test(path),
    ),
  ).toEqual([]);
  expect(inputs.filter((path) => /generated\/crds\.ts|prom-client|\/pino\/|packages\/node\//.test(path))).toEqual([]);
  expect(externals.map(({ path }) => path)).not.toContain('lmdb');
  const bytes = [...loaded].reduce((sum, name) => sum + (outputs[name]?.bytes ?? 0), 0);
  expect(bytes).toBeLessThan(1_600_000);
});
