import { expect, test } from 'vitest';
import { matchSelectorProblem } from './match-selector.ts';

// What Promtail's match stage says.
test.each([
  '{a="b"}',
  '{ a = "b" , c != "d", e=~"f.*", g!~"h" }',
  '{a="b"} |= "x" != "y" |~ "z+" !~ "w"',
  '{a="b"} // a comment of Go',
  '{a="\\n"}',
])('%s is a selector', (text) => {
  expect(matchSelectorProblem(text)).toBeUndefined();
});

test.each([
  '',
  '{}',
  'a="b"',
  '{a="b"',
  '{a="b"}}',
  '{a="b",}',
  '{a=`b`}',
  '{a="b"} | json',
  '{a="b"} # a comment of Loki',
  '{a="b"} |= `x`',
  "{a='b'}",
  '{a=b}',
  '{a="\\q"}',
  '{a=~"("}',
  '{a="b"} |~ "("',
  '{a="b"} |=',
])('%s is none', (text) => {
  expect(matchSelectorProblem(text)).toEqual(expect.any(String));
});
