import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runIn } from '../testing/run-in.ts';

/* Every command of docs/plan.md, run: what the page shows is what comes out. A line of … stands for lines that it leaves out. */

const folder = new URL('../../../../examples/plan/', import.meta.url);
const page = await readFile(new URL('../../../../docs/plan.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```\n\$ signalbox (plan .*)\n([^`]*)```$/gm)].map(
  ([, command = '', answer = '']): [command: string, answer: string] => [command, answer],
);

test('the page shows nine plans', () => expect(blocks).toHaveLength(9));

test.each(blocks)('%s', async (command, answer) => {
  const { code, out, err } = await runIn(folder, command);
  let rest = `${out}${err}`;
  for (const [index, part] of answer.split('…\n').entries()) {
    const at = rest.indexOf(part);
    expect(index === 0 ? at === 0 : at >= 0, part).toBe(true);
    rest = rest.slice(at + part.length);
  }
  expect(rest).toBe('');
  expect(code).toBe(answer.startsWith('error') ? 1 : answer.startsWith('Nothing') ? 0 : 3);
  for (const secret of ['correct-horse', 'battery-staple', 'reader']) expect(out).not.toContain(secret);
});

test('the table of the page has every member of the JSON', async () => {
  const { out } = await runIn(folder, 'plan -f running.yaml -f jobs.yaml --against running.yaml -o json');
  const members = Object.keys(JSON.parse(out) as object);
  const listed = [...page.slice(page.indexOf('## As JSON')).matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(listed).toEqual(members);
});
