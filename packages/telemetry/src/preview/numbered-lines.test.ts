import { expect, test } from 'vitest';
import { countLines, createNumberedLines } from './numbered-lines.ts';

test.each([
  ['', []],
  ['a', ['a']],
  ['a\n', ['a']],
  ['a\nb', ['a', 'b']],
  ['\n\n', ['', '']],
  ['a\n\nb\n', ['a', '', 'b']],
])('%j has the lines %j', (text, lines) => {
  const { numbersOf, lineOf } = createNumberedLines();
  expect(countLines(text)).toBe(lines.length);
  expect(Array.from(numbersOf(text), lineOf)).toEqual(lines);
});

test('equal lines have one number, in every text', () => {
  const { numbersOf } = createNumberedLines();
  const [first, second] = [numbersOf('a\nb\na'), numbersOf('b\nc\na\n')];
  expect([...first]).toEqual([0, 1, 0]);
  expect([...second]).toEqual([1, 2, 0]);
});
