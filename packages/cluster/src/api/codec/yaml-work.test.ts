import { describe, expect, test } from 'vitest';
import { formatYaml } from './yaml.ts';
import { yamlWork } from './yaml-work.ts';

const max = 250_000;

/** Repeats the unit until the text has 3 MB. */
function filled(unit: string, before = '', after = ''): string {
  return before + unit.repeat(Math.floor((3_000_000 - before.length - after.length) / unit.length)) + after;
}

describe('what keeps a reader busy is seen beforehand', () => {
  test.each<[string, string]>([
    ['lines', filled('- a\n')],
    ['empty lines', filled('\n')],
    ['comments', filled('#\n')],
    ['a flow list', filled('a,', '[', 'a]')],
    ['flow maps', filled('{},', '[', '{}]')],
    ['documents', filled('---\na\n').slice(0, 30_000)],
    ['anchors', filled('- &a x\n')],
    ['compact lists', filled('- - - - a\n')],
    ['escapes', filled('\\n', 'x: "', '"')],
    ['carriage returns', filled('\r')],
    ['what stands behind a text in quotes', filled('[],', 'x: ["a", ', ']')],
    ['quotes that do not end', filled('[],', 'x: "a')],
    ['lines of a block', filled('\n', 'x: |\n', '  a')],
    ['what only looks like a block', filled('[],', 'x: [ "a\n  b: |\n   z", ', ']')],
  ])('%s', (_, text) => {
    expect(yamlWork(text, max)).toBeGreaterThan(max);
  });
});

describe('what people send passes', () => {
  const dashboard = JSON.stringify(
    Array.from({ length: 2_000 }, (_, id) => ({ id, title: `Panel ${id}`, targets: [{ expr: 'sum(rate(x[5m]))' }] })),
    undefined,
    2,
  );
  const definition = {
    spec: Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [
        `field${index}`,
        { type: 'string', description: 'What it is: a thing, and why; see "that".\nAnd more of it - in lines.' },
      ]),
    ),
  };
  test.each<[string, string]>([
    ['a definition', formatYaml(definition)],
    ['a dashboard in a block', formatYaml({ data: { dashboard } })],
    ['a dashboard in a block with a comment', `data:\n  a: |- # the panels\n${dashboard.replace(/^/gm, '    ')}\n`],
    ['a dashboard in quotes', `data:\n  a: ${JSON.stringify(dashboard).slice(0, 400_000)}"\n`],
    ['a large dashboard in double quotes', `data:\n  d.json: ${JSON.stringify(dashboard.repeat(4))}\n`],
    [
      'a large dashboard in single quotes',
      `data:\n  'd.json': '${dashboard.repeat(4).replaceAll('\n', '')}' # all of it\n`,
    ],
    ['a long file in a block', `data:\n  a: |\n${'    line\n'.repeat(150_000)}`],
    ['a long text', `data:\n  a: ${'word '.repeat(600_000)}\n`],
  ])('%s', (_, text) => {
    expect(text.length).toBeGreaterThan(100_000);
    expect(yamlWork(text, max)).toBeLessThan(max);
  });
});

test('a block ends where the indentation does', () => {
  const block = 'a: |\n  [[[[\n';
  expect(yamlWork(`${block}b: 1\n`, max)).toBe(yamlWork(block, max) + 5);
  expect(yamlWork(`${block}\n  [\n`, max)).toBe(yamlWork(block, max) + 1 + 2);
});
