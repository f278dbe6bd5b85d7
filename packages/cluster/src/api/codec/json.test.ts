import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../../../../tools/any-text.ts';
import { isStatusError } from '../status.ts';
import { parseJson } from './json.ts';

function refusal(source: string | Buffer): { readonly code: number; readonly message: string } | undefined {
  try {
    parseJson(source);
    return undefined;
  } catch (error) {
    return isStatusError(error) ? { code: error.code, message: error.message } : { code: -1, message: String(error) };
  }
}

test('JSON comes through as it is', () =>
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: anyCharacter }), (value) => {
      const text = JSON.stringify(value);
      fc.pre(!/\\u[dD][89a-fA-F]|e\+?[2-9]\d|\d{16}/.test(text));
      expect(parseJson(text).value).toEqual(JSON.parse(text));
      expect(parseJson(Buffer.from(text)).value).toEqual(JSON.parse(text));
    }),
  ));

describe('is refused with 400', () => {
  test.each<[string, string | Buffer, string]>([
    ['nothing', '', 'unexpected end of JSON input'],
    ['a text that ends early', '{"a":', 'end of JSON'],
    ['trailing garbage', '{} x', 'invalid JSON at position 3'],
    ['a comma too many', '{"a":1,}', 'invalid JSON at position 7'],
    ['a byte order mark', '\ufeff{}', 'byte order mark'],
    ['a byte order mark in bytes', Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]), 'byte order mark'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'not valid UTF-8'],
    ['a lone surrogate', '"\\ud800"', 'lone surrogate'],
    ['a lone surrogate in a key', '{"\\udc00":1}', 'lone surrogate'],
    ['a number out of range', '[1e400]', 'out of range'],
    ['depth', '['.repeat(513) + ']'.repeat(513), 'exceeded max depth of 512'],
    ['endless depth', '['.repeat(3_000_000), 'exceeded max depth of 512'],
    ['a single quote', "{'a':1}", 'invalid JSON'],
    ['NaN', 'NaN', 'invalid JSON'],
  ])('%s', (_, source, words) => {
    expect(refusal(source)?.code).toBe(400);
    expect(refusal(source)?.message).toContain(words);
  });
});

test('what is refused is not repeated, because it may be secret', () => {
  expect(refusal('{"password": hunter2}')?.message).not.toContain('hunter');
});

test('a text above the limit is refused with 413', () => {
  expect(refusal(`"${'x'.repeat(3 * 1024 * 1024)}"`)).toEqual({
    code: 413,
    message: 'Request entity too large: limit is 3145728',
  });
});

test.each([
  '-0',
  '1e3',
  '9007199254740991',
  '-9007199254740991',
  '"9007199254740993"',
  '0.12345678901234567890',
  '[]',
  '{"a":"]]]["}',
  '"\\\\"',
  '["\\"[[[["]',
  '"\\ud83d\\ude00"',
])('%s is fine', (text) => {
  expect(parseJson(text).value).toEqual(JSON.parse(text));
});

test('an integer that a double cannot hold keeps its digits', () => {
  expect(parseJson('{"a":9007199254740993}').value).toEqual({ a: 9007199254740993n });
});

test('depth up to the limit is fine', () => {
  expect(refusal('['.repeat(512) + ']'.repeat(512))).toBeUndefined();
});

test('keys of the prototype are plain data', () => {
  const { value } = parseJson('{"__proto__":{"admin":true}}');
  expect(Object.keys(value as object)).toEqual(['__proto__']);
  expect((value as Record<string, unknown>)['admin']).toBeUndefined();
});

describe('duplicate fields', () => {
  test.each<[string, string[]]>([
    ['{"a":1,"b":2}', []],
    ['{"a":1,"a":2}', ['a']],
    ['{"a":{"b":1},"c":{"b":1}}', []],
    ['{"spec":{"x":[{"y":1},{"y":1,"z":{},"y":2}]}}', ['spec.x[1].y']],
    ['{"a":"b","b":"a"}', []],
    ['{"a" : 1, "\\u0061":2}', ['a']],
    ['[{"a":"x\\"a"},{"a":1}]', []],
    ['{"a":1,"a":2,"a":3}', ['a', 'a']],
  ])('%s', (text, duplicates) => {
    expect(parseJson(text, { findDuplicates: true }).duplicates).toEqual(duplicates);
  });

  test('are not looked for unless asked', () => {
    expect(parseJson('{"a":1,"a":2}')).toEqual({ value: { a: 2 }, duplicates: [] });
  });
});
