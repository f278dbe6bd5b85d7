import fc from 'fast-check';
import { RE2JS } from 're2js';
import { expect, inject, test } from 'vitest';
import { compiled, onlyMatch } from './expression.ts';
import { compileGoRegex } from './go-regex.ts';

const pieces = fc.constantFrom(
  ...['a', 'b', ';', '-', '\\.', '.', '.*', '.+', '|', '(', ')', '(?:', '(.*)', '(.+)', '(a|b)', '[0-9]+', '0', ' '],
);
const expression = fc.array(pieces, { maxLength: 7 }).map((parts) => parts.join(''));
const text = fc.string({ unit: fc.constantFrom('a', 'b', ';', '-', '.', '0', ' ', '\n', 'é', '😀'), maxLength: 7 });
const either = fc.oneof(
  text,
  text.map((short) => short.repeat(200)),
);

/** By the engine alone. */
function judged(pattern: string, about: string): readonly (string | undefined)[] | undefined | 'refused' {
  try {
    const matcher = compileGoRegex(pattern, RE2JS.DOTALL).regex.matcher(about);
    if (!matcher.matches()) return undefined;
    return Array.from({ length: matcher.groupCount() + 1 }, (_, index) => matcher.group(index) ?? '');
  } catch {
    return 'refused';
  }
}

test('every short way says what the engine says', () => {
  fc.assert(
    fc.property(expression, fc.array(either, { minLength: 1, maxLength: 5 }), (pattern, texts) => {
      for (const about of texts) {
        const expected = judged(pattern, about);
        if (expected === 'refused') {
          expect(() => compiled(pattern)).toThrow();
          continue;
        }
        const { matches, groups, whatIsOpen } = compiled(pattern);
        expect(matches(about)).toBe(expected !== undefined);
        const found = groups(about);
        expect(expected?.map((_, index) => found?.get(String(index)))).toEqual(expected);
        expect(found?.get(String(expected?.length ?? 9))).toBeUndefined();
        if (whatIsOpen !== undefined) expect(whatIsOpen(about)).toBe(found?.get('1'));
      }
    }),
    { numRuns: 300 * inject('thoroughness') },
  );
});

test.each([
  ['(web);true', 'web;true'],
  ['a\\.b', 'a.b'],
  ['', ''],
  ['a.b', undefined],
  ['(a|b)', undefined],
  ['(a', undefined],
])('%s matches nothing but %s', (pattern, only) => {
  expect(onlyMatch(pattern)).toBe(only);
  if (only !== undefined) expect(compiled(pattern).matches(only)).toBe(true);
});

test.each([
  [`${'(a|a)'.repeat(30)}b`, 'a'.repeat(60)],
  ['.*.*.*.*.*.*.*.*b', 'a'.repeat(500)],
  ['.+a.+a', 'a'.repeat(511)],
  ['.+a.+b', 'a'.repeat(200_000)],
])('%s is answered at once, whatever the text', (pattern, about) => {
  const startMs = performance.now();
  compiled(pattern).matches(about);
  expect(performance.now() - startMs).toBeLessThan(2_000);
});
