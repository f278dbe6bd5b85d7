import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { findLauncher, type ProcessFacts, type ProcessTable } from './launcher.ts';

const byNpm = { npm_config_user_agent: 'npm/11.0.0 node/v20.19.0' };

/** Each process with its parent, the last is the parent of this one. */
function tableOf(...commands: readonly string[]): ProcessTable {
  const facts = new Map<number, ProcessFacts>(
    commands.map((command, index) => [index + 2, { parentId: index + 1, command }]),
  );
  return { parentId: () => commands.length + 1, factsOf: (pid) => Promise.resolve(facts.get(pid)) };
}

test.each<[string, readonly string[], number | undefined]>([
  ['npx, through a shell', ['-bash', 'npm exec signalbox up', "sh -c 'signalbox' up"], 3],
  ['npm, whose shell has given way to the command', ['-bash', 'npm run dev'], 3],
  ['npm, by its file', ['/usr/bin/node /usr/lib/node_modules/npm/bin/npm-cli.js exec signalbox', 'sh -c signalbox'], 2],
  ['yarn', ['node /usr/bin/yarn up', '/bin/sh -c signalbox up'], 2],
  ['pnpm', ['node /opt/pnpm/bin/pnpm.cjs exec signalbox'], 2],
  ['a script within a script', ['npm run all', 'sh -c ./all.sh', '/bin/bash ./all.sh'], 2],
  ['a program that npm runs, which is its own master', ['npm test', 'sh -c vitest', 'node vitest'], undefined],
  ['a shell alone', ['sshd', '-bash'], undefined],
  ['a shell whose words speak of npm', ['sshd', 'bash -c /usr/bin/npm'], undefined],
  ['nobody any more: a script has put it into the background', [], undefined],
])('started by %s', async (_, commands, expected) => {
  const found = await findLauncher(tableOf(...commands), byNpm);
  expect(found === 'gone' ? found : found?.pid).toBe(expected);
});

test('without npm’s variables nobody is looked for', async () => {
  expect(await findLauncher(tableOf('npm exec signalbox up'), {})).toBeUndefined();
});

test.each([
  ['one whose parent is in another container', 0],
  ['a container’s first process', 1],
])('%s has no launcher', async (_, parentId) => {
  const table = { ...tableOf(), parentId: () => parentId };
  expect(await findLauncher(table, byNpm)).toBeUndefined();
});

test.each<[string, number, number, string | undefined]>([
  ['npm that was killed while Node.js began', 7, 1, 'gone'],
  ['npm that was killed, below a process that takes orphans', 7, 5, 'gone'],
  ['npm that had put the command into the background', 1, 1, undefined],
  ['a container’s npm', 1, 1, undefined],
])('%s, by the parent that the shim has noted', async (_, noted, parentId, expected) => {
  const table = { ...tableOf(), parentId: () => parentId };
  expect(await findLauncher(table, { ...byNpm, SIGNALBOX_PARENT: String(noted) })).toBe(expected);
  expect(await findLauncher(table, { SIGNALBOX_PARENT: String(noted) })).toBeUndefined();
});

test('it is looked for before anything is loaded', async () => {
  const seen = new Set(['main.ts']);
  for (const file of seen) {
    const source = await readFile(new URL(file, import.meta.url), 'utf8');
    for (const [, name = ''] of source.matchAll(/^import (?!type ).* from '(?!node:)(?:\.\/)?([^']+)';$/gm))
      seen.add(name);
  }
  expect([...seen]).toEqual(['main.ts', 'launcher.ts', 'process-table.ts']);
});
