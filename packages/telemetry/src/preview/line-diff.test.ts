import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Hunk, lineDiff } from './line-diff.ts';

const shown = (before: string, after: string): readonly string[] =>
  lineDiff(before.replaceAll(' ', '\n'), after.replaceAll(' ', '\n')).flatMap(({ beforeLine, afterLine, lines }) => [
    `@@ ${beforeLine} ${afterLine}`,
    ...lines,
  ]);

test.each<readonly [string, string, string, readonly string[]]>([
  ['the same', 'a b c', 'a b c', []],
  ['a line more', 'a c', 'a b c', ['@@ 1 1', ' a', '+b', ' c']],
  ['a line less', 'a b c', 'a c', ['@@ 1 1', ' a', '-b', ' c']],
  ['another line', 'a b c', 'a x c', ['@@ 1 1', ' a', '-b', '+x', ' c']],
  ['no more than three lines around', 'a b c d e f', 'a b c d e x', ['@@ 3 3', ' c', ' d', ' e', '-f', '+x']],
  [
    'two stretches far apart',
    'x 1 2 3 4 5 6 7 8 y',
    'X 1 2 3 4 5 6 7 8 Y',
    ['@@ 1 1', '-x', '+X', ' 1', ' 2', ' 3', '@@ 7 7', ' 6', ' 7', ' 8', '-y', '+Y'],
  ],
  ['lines that stand often', '- - a - -', '- - - b - -', ['@@ 1 1', ' -', ' -', '-a', '+-', '+b', ' -', ' -']],
])('%s', (_, before, after, expected) => {
  expect(shown(before, after)).toEqual(expected);
});

/** What `patch` makes of it. */
function patched(before: readonly string[], hunks: readonly Hunk[]): readonly string[] {
  const result: string[] = [];
  let at = 0;
  for (const { beforeLine, lines } of hunks) {
    result.push(...before.slice(at, beforeLine - 1));
    at = beforeLine - 1;
    for (const line of lines) {
      if (line[0] !== '+') expect(before[at++]).toBe(line.slice(1));
      if (line[0] !== '-') result.push(line.slice(1));
    }
  }
  return [...result, ...before.slice(at)];
}

test('whoever applies a diff to the first text gets the second', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { maxLength: 40 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(patched(before, lineDiff(before.join('\n'), after.join('\n')))).toEqual(after);
    }),
  );
});

test('ten thousand changes among half a million lines are found', () => {
  const lines = (modulus: number): string =>
    Array.from({ length: 10_000 }, (_, job) => [
      `- job_name: ${job}`,
      ...Array.from({ length: 48 }, (__, line) => `  line: ${line}`),
      `  modulus: ${modulus}`,
    ])
      .flat()
      .join('\n');
  expect(lineDiff(lines(2), lines(3))).toHaveLength(10_000);
});
