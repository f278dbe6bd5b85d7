import { expect, test } from 'vitest';
import { StatusError } from '../../../api/status.ts';
import { objectFormat, parseBody, patchFormat } from './body.ts';

const builtin = { isCustom: () => false };

test.each([
  [undefined, 'json'],
  ['application/json', 'json'],
  ['application/json; charset=utf-8', 'json'],
  ['Application/JSON', 'json'],
  ['application/yaml', 'yaml'],
  ['application/vnd.kubernetes.protobuf', 'protobuf'],
])('an object of type %s is read as %s', (type, expected) => expect(objectFormat(type)).toBe(expected));

test.each([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
])('a patch of type %s is a %s patch', (type, expected) => expect(patchFormat(type, builtin).patchType).toBe(expected));

test.each([
  [() => objectFormat('text/plain')],
  [() => objectFormat('application/x-www-form-urlencoded')],
  [() => objectFormat('application/cbor')],
  [() => objectFormat('constructor')],
  [() => patchFormat('application/json', builtin)],
  [() => patchFormat(undefined, builtin)],
  [() => patchFormat('__proto__', builtin)],
])('other types get a 415', (read) => expect(refusal(read).code).toBe(415));

test('custom resources are offered no strategic patch', () => {
  const { message } = refusal(() => patchFormat('text/plain', { isCustom: () => true }));
  expect(message).toMatch(/include: application\/json-patch\+json, application\/merge-patch\+json, application\/apply/);
});

const parse = (text: string | Buffer, format: 'json' | 'yaml' = 'json') =>
  parseBody(Buffer.from(text as string), format);

test('reads JSON and names fields that stand twice', () => {
  expect(parse('{"a":1,"b":{"c":1,"c":2}}')).toEqual({
    value: { a: 1, b: { c: 2 } },
    flaws: ['duplicate field "b.c"'],
  });
});

test('reads YAML, and JSON where YAML is announced', () => {
  expect(parse('a: no\nb: [1, "2"]\n', 'yaml').value).toEqual({ a: false, b: [1, '2'] });
  expect(parse('{"a":1,"a":2}', 'yaml').flaws).toEqual([
    'yaml: unmarshal errors:\n  line 1: key "a" already set in map',
  ]);
  expect(parse('a: 1\nb:\n  "c": 1\n  c: 2\na: [2]\n', 'yaml')).toEqual({
    value: { a: [2], b: { c: 2 } },
    flaws: ['yaml: unmarshal errors:\n  line 4: key "c" already set in map\n  line 5: key "a" already set in map'],
  });
  expect(parse('{a: 1}', 'yaml').value).toEqual({ a: 1 });
});

test.each<[string, string | Buffer, 'json' | 'yaml']>([
  ['nothing', '', 'json'],
  ['nothing', '', 'yaml'],
  ['white space', ' \n ', 'json'],
  ['a comment', '# nothing\n', 'yaml'],
  ['a broken object', '{"a":', 'json'],
  ['trailing garbage', '{} x', 'json'],
  ['a byte order mark', '\ufeff{}', 'json'],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'json'],
  ['bytes that are no UTF-8', Buffer.from([0x61, 0x3a, 0xff]), 'yaml'],
  ['a number out of range', '{"a":1e400}', 'json'],
  ['half a surrogate pair', '{"a":"\\ud800"}', 'json'],
  ['a tower of brackets', '['.repeat(20_000), 'json'],
  ['a tower of brackets', '['.repeat(19_000), 'yaml'],
  ['two documents', 'a: 1\n---\nb: 1\n', 'yaml'],
  ['a tab', 'a:\n\tb: 1\n', 'yaml'],
  ['a foreign tag', 'a: !!js/function "x"\n', 'yaml'],
])('%s gets a 400', (_, text, format) => expect(refusal(() => parse(text, format)).code).toBe(400));

test('billion laughs do not explode', () => {
  const lines = ['a0: &a0 [x, x]'];
  for (let level = 1; level < 40; level++) lines.push(`a${level}: &a${level} [*a${level - 1}, *a${level - 1}]`);
  expect(refusal(() => parse(`${lines.join('\n')}\n`, 'yaml')).code).toBe(400);
});

test('keys that name the prototype stay plain data', () => {
  const { value } = parse('{"__proto__":{"polluted":true}}');
  expect(Object.hasOwn(value as object, '__proto__')).toBe(true);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

function refusal(work: () => unknown): StatusError {
  try {
    work();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('was not refused');
}
