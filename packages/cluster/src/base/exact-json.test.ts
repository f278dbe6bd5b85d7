import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exactInteger, formatExactJson, parseExactJson, successor } from './exact-json.ts';

describe('an integer beyond 2^53 keeps its digits', () => {
  test.each([
    '9007199254740993',
    '-9007199254740993',
    '3546343826724305833',
    '9223372036854775807',
    '-9223372036854775808',
    '[1,9007199254740993,"9007199254740993"]',
    '{"9007199254740993":9007199254740993,"a\\"9007199254740993":{"b":[-9007199254740993]}}',
    '{"a":"\\\\","b":9007199254740993}',
    '{"hash":"sha256:12345678901234567890ab","at":":9007199254740993,","b":9007199254740993}',
  ])('%s', (text) => {
    expect(formatExactJson(parseExactJson(text))).toBe(text);
  });

  test('as a bigint, and only it', () => {
    expect(parseExactJson('[9007199254740991,9007199254740992,1e18,9007199254740993.0]')).toEqual([
      9007199254740991,
      9007199254740992n,
      1e18,
      9007199254740992,
    ]);
  });

  test.each([' 9007199254740993 ', '[\n  9007199254740993\n]', '{ "a" :\t9007199254740993\t}'])(
    'wherever it stands: %j',
    (text) => {
      expect(formatExactJson(parseExactJson(text))).toBe(text.replace(/\s/g, ''));
    },
  );

  test('also in pretty text', () => {
    expect(formatExactJson({ a: 9007199254740993n }, 2)).toBe('{\n  "a": 9007199254740993\n}');
  });
});

test('beyond 64 bits the closest double counts, as upstream reads custom resources', () => {
  expect(parseExactJson('[9223372036854775808,-9223372036854775809]')).toEqual([2 ** 63, -(2 ** 63)]);
});

test('whatever JSON.parse refuses is refused with its words', () => {
  for (const text of ['{9007199254740993:1}', '[09007199254740993]', '9007199254740993 9007199254740993', ''])
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
});

test('what cannot be JSON fails as it does with JSON.stringify', () => {
  const loop: Record<string, unknown> = { big: 9007199254740993n };
  loop['self'] = loop;
  expect(() => formatExactJson(loop)).toThrow('circular');
});

test('a string that looks like our own mark is left to whoever refuses such strings', () => {
  const text = '["\\udc009007199254740993",9007199254740993]';
  expect(parseExactJson(text)).toEqual(JSON.parse(text));
});

test('__proto__ stays a field', () => {
  const value = parseExactJson('{"__proto__":{"a":9007199254740993}}') as object;
  expect(Object.keys(value)).toEqual(['__proto__']);
});

test('any tree of JSON and 64-bit integers comes back', () => {
  const leaf = fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => exactInteger(String(value))),
    fc.string(),
    fc.boolean(),
    fc.constant(null),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(leaf, fc.array(tie('tree')), fc.dictionary(fc.string(), tie('tree'))),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      expect(parseExactJson(formatExactJson(value))).toEqual(value);
    }),
  );
});

test('the successor is exact on both sides of 2^53', () => {
  expect(successor(1)).toBe(2);
  expect(successor(Number.MAX_SAFE_INTEGER)).toBe(9007199254740992n);
  expect(successor(3546343826724305832n as unknown as number)).toBe(3546343826724305833n);
});
