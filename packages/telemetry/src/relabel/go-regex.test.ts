import { expect, test } from 'vitest';
import { executeRelabelling } from './execute.ts';
import { regexProblem } from './regex.ts';

// What Go's regexp says, and what the engine of the released agents and Prometheus says of `(?<name>…)`.
test.each([
  '(?P<a>x)(?P<a>y)',
  '\\p{Greek}\\P{Lu}\\p{^L}\\pN[\\p{Lu}\\d]',
  '\\Q(?<a>\\p{Emoji}\\E',
  '[(?<a>]',
  '\\(?<a>',
  '(?i:a)(?s)b',
])('%s is an expression', (text) => {
  expect(regexProblem(text)).toBeUndefined();
});

test.each([
  '(?<a>x)',
  '\\p{Alphabetic}',
  '[\\p{Emoji}]',
  '\\p{greek}',
  '\\p{Letter}',
  '(?P<a-b>x)',
  '(?P<a>?i)',
  '(?=a)',
  '(?P<a',
])('%s is none', (text) => {
  expect(regexProblem(text)).toEqual(expect.any(String));
});

test('of two groups with one name the one that took part counts', () => {
  const rule = { source_labels: ['a'], regex: '(?P<x>\\d+)|(?P<x>\\w+)', target_label: 'b', replacement: `$\{x}` };
  expect(executeRelabelling({ a: 'web' }, [rule])).toEqual({ a: 'web', b: 'web' });
  expect(executeRelabelling({ a: '7' }, [rule])).toEqual({ a: '7', b: '7' });
});
