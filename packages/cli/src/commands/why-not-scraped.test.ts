import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runIn } from '../testing/run-in.ts';

/* Every command of the page, run: a cause that is not named as the page says fails here. */

const folder = new URL('../../../../examples/why-not-scraped/', import.meta.url);
const page = await readFile(new URL('../../../../docs/why-not-scraped.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^\$ signalbox (explain .*)\n([^`]*)```$/gm)].map(
  ([, command = '', answer = '']): [command: string, answer: string] => [command, answer],
);

test('the page has twenty mistakes, and each file brings one', async () => {
  expect(blocks).toHaveLength(20);
  const files = (await readdir(folder)).filter((name) => /^\d/.test(name)).sort();
  expect(blocks.map(([command]) => command.split(' ').at(-1))).toEqual(files);
});

test.each(blocks)('%s', async (command, answer) => {
  const { code, out, err } = await runIn(folder, command);
  expect(err).toBe('');
  expect(`${out.trimEnd().split('\n\n')[0]}\n`).toBe(answer);
  expect(answer).toMatch(/^✗ .*\n {2}cause: /);
  expect(code).toBe(3);
});

test.each(['servicemonitor', 'podmonitor'])('without a mistake the %s is scraped', async (kind) => {
  const { code, out } = await runIn(folder, `explain ${kind} web -n shop -f base.yaml`);
  expect(out).toContain('✓');
  expect(code).toBe(0);
});
