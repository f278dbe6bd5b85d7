import { expect, test } from 'vitest';
import { jmespathProblem } from './jmespath.ts';

// What github.com/jmespath/go-jmespath v0.4 says.
test.each([
  'a',
  'a.b.c',
  '"request-id"',
  'a[0]',
  'a[-1].b',
  'a[1:2:3]',
  'a[::-1]',
  'a[*].b',
  'a[]',
  '*.b',
  'a[?b == `1` && c != `"x"`].d',
  "a || b | [c, 'raw \\' text']",
  '{a: b, "c": d.e}',
  'a.{b: c}',
  'a.[b, c]',
  'nobody_knows(a, &b)',
  '!a',
  '@',
  '(a)',
  'a[?!b]',
  ' a ',
])('%s is an expression', (text) => {
  expect(jmespathProblem(text)).toBeUndefined();
});

test.each([
  '',
  'request-id',
  'a-b',
  'a[',
  'a[b]',
  'a[0',
  'a.',
  '.a',
  'a.0',
  'a..b',
  'a b',
  '`1',
  "'a",
  '"a',
  '"\\q"',
  '`{a}`',
  'a = b',
  'a == ',
  'f(',
  'f(a',
  '"f"(a)',
  '{a}',
  '{}',
  '[]]',
  'a[?b',
  '$.a',
  'é',
  'a[0:1:2:3]',
  '&',
  '!',
  `${'('.repeat(10_000)}a`,
])('%s is none', (text) => {
  expect(jmespathProblem(text)).toEqual(expect.any(String));
});
