import { createVirtualClock } from '@signalbox/cluster/testing';
import { expect, test } from 'vitest';
import { findLauncher, type ProcessFacts, type ProcessTable, untilLeft } from './orphan.ts';

const byNpm = { npm_config_user_agent: 'npm/11.0.0 node/v20.19.0' };

/** Each process with its parent, the last is the parent of this one. */
function tableOf(
  ...commands: readonly string[]
): ProcessTable & { end(pid: number): void; adoptedBy(pid: number): void } {
  const facts = new Map<number, ProcessFacts>(
    commands.map((command, index) => [index + 2, { parentId: index + 1, command }]),
  );
  let parentId = commands.length + 1;
  return {
    parentId: () => parentId,
    factsOf: (pid) => Promise.resolve(facts.get(pid)),
    nameOf: (pid) => Promise.resolve(facts.has(pid) ? `${pid}.started` : 'none'),
    end: (pid) => facts.delete(pid),
    adoptedBy(pid) {
      parentId = pid;
    },
  };
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
  expect((await findLauncher(tableOf(...commands), byNpm))?.pid).toBe(expected);
});

test('without npm’s variables nobody is looked for', async () => {
  expect(await findLauncher(tableOf('npm exec signalbox up'), {})).toBeUndefined();
});

test.each(['a container’s first process', 'one whose parent is in another container'])(
  '%s has no launcher',
  async (_) => {
    for (const parentId of [0, 1]) {
      const table = { ...tableOf(), parentId: () => parentId };
      expect(await findLauncher(table, byNpm)).toBeUndefined();
    }
  },
);

test.each<[string, (table: ReturnType<typeof tableOf>) => void]>([
  ['npm ends and its shell stays', (table) => table.end(2)],
  ['the shell ends', (table) => table.adoptedBy(1)],
])('%s: it is noticed within a second', async (_, happen) => {
  const table = tableOf('npm exec signalbox up', 'sh -c signalbox');
  const launcher = await findLauncher(table, byNpm);
  if (launcher === undefined) throw new Error('there is a launcher');
  const clock = createVirtualClock();
  let isLeft = false;
  const { signal } = new AbortController();
  const waiting = untilLeft(launcher, table, { clock, signal }).then(() => {
    isLeft = true;
  });
  await clock.advance(60_000);
  expect(isLeft).toBe(false);
  happen(table);
  await clock.advance(1_000);
  expect(isLeft).toBe(true);
  await waiting;
});
