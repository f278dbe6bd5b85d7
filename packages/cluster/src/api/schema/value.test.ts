import { describe, expect, test } from 'vitest';
import { freeze } from '../../base/freeze.ts';
import { root } from '../issue.ts';
import type { JsonObject } from '../record.ts';
import { duplicates } from './duplicates.ts';
import { customResourceSchema, fromOpenApiV3 } from './node.ts';
import { defaultValue, pruneValue, validateValue } from './structural.ts';

function problems(value: unknown, schema: JsonObject): readonly string[] {
  const [node, at] = [fromOpenApiV3(schema), root('spec', 'x')];
  return [...validateValue(value, node, at), ...duplicates(value, node, at)].map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

const intOrString = { 'x-kubernetes-int-or-string': true };
const set = { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' };
const map = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['port', 'protocol'],
  items: { type: 'object', properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' } } },
};

describe('a value that follows its schema', () => {
  test.each<[unknown, JsonObject]>([
    ['a', { type: 'string', enum: ['a', 'b'], minLength: 1, maxLength: 1, pattern: '^a' }],
    ['abc', { type: 'string', pattern: 'b' }],
    ['😀', { type: 'string', maxLength: 1 }],
    [1, { type: 'integer', minimum: 1, maximum: 1, multipleOf: 1 }],
    [1, { type: 'number' }],
    [0.3, { type: 'number', multipleOf: 0.1 }],
    [null, { type: 'string', nullable: true }],
    [null, {}],
    [1, intOrString],
    ['1', intOrString],
    [['a', 'b'], set],
    [[{ port: 1 }, { port: 1, protocol: 'UDP' }], map],
    [{ a: 1 }, { type: 'object', additionalProperties: { type: 'integer' } }],
    [{ a: 1 }, { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] }],
    [{ a: 1 }, { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] }],
    [{ a: 1 }, { type: 'object', not: { required: ['b'] } }],
    ['x', { type: 'string', format: 'no-such-format' }],
    [
      { kind: 'Pod', apiVersion: 'v1' },
      { type: 'object', 'x-kubernetes-embedded-resource': true },
    ],
  ])('%j', (value, schema) => {
    expect(problems(value, schema)).toEqual([]);
  });
});

describe('a value that does not', () => {
  test.each<[unknown, JsonObject, string]>([
    ['1', { type: 'integer' }, 'spec.x: Invalid value: "string": spec.x in body must be of type integer: "string"'],
    [1.5, { type: 'integer' }, 'spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"'],
    [null, { type: 'object' }, 'spec.x: Invalid value: "null": spec.x in body must be of type object: "null"'],
    [[], { type: 'object' }, 'spec.x: Invalid value: "array": spec.x in body must be of type object: "array"'],
    [true, intOrString, 'spec.x: Invalid value: "boolean": spec.x in body must be of type integer,string: "boolean"'],
    ['c', { type: 'string', enum: ['a', 'b'] }, 'spec.x: Unsupported value: "c": supported values: "a", "b"'],
    ['b', { type: 'string', pattern: '^a' }, `spec.x: Invalid value: "b": spec.x in body should match '^a'`],
    ['', { type: 'string', minLength: 1 }, 'spec.x: Invalid value: "": spec.x in body should be at least 1 chars long'],
    ['abc', { type: 'string', maxLength: 2 }, 'spec.x: Too long: may not be more than 2 bytes'],
    [
      0,
      { type: 'integer', minimum: 1 },
      'spec.x: Invalid value: 0: spec.x in body should be greater than or equal to 1',
    ],
    [
      1,
      { type: 'integer', minimum: 1, exclusiveMinimum: true },
      'spec.x: Invalid value: 1: spec.x in body should be greater than 1',
    ],
    [6, { type: 'integer', maximum: 5 }, 'spec.x: Invalid value: 6: spec.x in body should be less than or equal to 5'],
    [
      5,
      { type: 'integer', maximum: 5, exclusiveMaximum: true },
      'spec.x: Invalid value: 5: spec.x in body should be less than 5',
    ],
    [5, { type: 'integer', multipleOf: 2 }, 'spec.x: Invalid value: 5: spec.x in body should be a multiple of 2'],
    [
      2 ** 31,
      { type: 'integer', format: 'int32' },
      'spec.x: Invalid value: 2147483648: spec.x in body must be of type int32: "2147483648"',
    ],
    [[], { ...set, minItems: 1 }, 'spec.x: Invalid value: 0: spec.x in body should have at least 1 items'],
    [['a', 'b'], { ...set, maxItems: 1 }, 'spec.x: Too many: 2: must have at most 1 item'],
    [['a', 1], set, 'spec.x[1]: Invalid value: "integer": spec.x[1] in body must be of type string: "integer"'],
    [[{ port: 1 }, 'a', 'a'], map, 'spec.x[1]: Invalid value: "a": must be an object for an array of list-type map'],
    [['a', 'a'], set, 'spec.x[1]: Duplicate value: "a"'],
    [[{ port: 1 }, { protocol: 'TCP', port: 1 }], map, 'spec.x[1]: Duplicate value: {"port":1,"protocol":"TCP"}'],
    [{}, { type: 'object', required: ['a'] }, 'spec.x.a: Required value'],
    [
      {},
      { type: 'object', minProperties: 1 },
      'spec.x: Invalid value: 0: spec.x in body should have at least 1 properties',
    ],
    [{ a: 1, b: 1 }, { type: 'object', maxProperties: 1 }, 'spec.x: Too many: 2: must have at most 1 item'],
    [
      { a: 'x' },
      { type: 'object', additionalProperties: { type: 'integer' } },
      'spec.x.a: Invalid value: "string": spec.x.a in body must be of type integer: "string"',
    ],
    [
      {},
      { type: 'object', anyOf: [{ required: ['a'] }] },
      '<nil>: Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
    ],
    [{}, { type: 'object', anyOf: [{ required: ['a'] }] }, 'spec.x.a: Required value'],
    [
      {},
      { type: 'object', oneOf: [{ required: ['a'] }] },
      '<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found none valid',
    ],
    [
      { a: 1 },
      { type: 'object', oneOf: [{}, { required: ['a'] }] },
      '<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
    [
      {},
      { type: 'object', allOf: [{ required: ['a'] }] },
      '<nil>: Invalid value: "": "spec.x" must validate all the schemas (allOf). None validated',
    ],
    [{}, { type: 'object', not: {} }, '<nil>: Invalid value: "": "spec.x" must not validate the schema (not)'],
    [
      {},
      { type: 'object', 'x-kubernetes-embedded-resource': true },
      'spec.x.apiVersion: Required value: must not be empty',
    ],
    [
      'soon',
      { type: 'string', format: 'date-time' },
      'spec.x: Invalid value: "soon": spec.x in body must be of type date-time: "soon"',
    ],
  ])('%j', (value, schema, problem) => {
    expect(problems(value, schema)).toContain(problem);
  });

  test('named like something of the prototype is still missing', () => {
    expect(problems({}, { type: 'object', required: ['toString'] })).toEqual(['spec.x.toString: Required value']);
  });
});

test.each<[string, readonly string[], readonly string[]]>([
  [
    'date-time',
    ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05.1+02:00'],
    ['2024-01-02', '2024-13-02T03:04:05Z', '2024-02-30T03:04:05Z'],
  ],
  ['date', ['2024-01-02'], ['2024-1-2', '2024-13-01', '2023-02-29']],
  ['byte', ['aGk='], ['hi there']],
  ['uuid', ['123e4567-e89b-12d3-a456-426614174000'], ['123']],
  ['ipv4', ['10.0.0.1'], ['10.0.0.256', '::1']],
  ['ipv6', ['::1'], ['10.0.0.1']],
  ['cidr', ['10.0.0.0/8', '::/0'], ['10.0.0.0/33', '10.0.0.0', 'x/8']],
  ['hostname', ['a.example.com'], ['a b', '-a']],
  ['email', ['a@example.com'], ['a b@example.com', 'nobody']],
  ['uri', ['https://example.com/x', '/x'], ['not a uri']],
  ['mac', ['01:23:45:67:89:ab'], ['01:23:45-67:89:ab']],
  ['duration', ['1h30m', '1.5s', '0'], ['1 hour', '5']],
])('the format %s', (format, good, bad) => {
  for (const text of good) expect(problems(text, { type: 'string', format })).toEqual([]);
  for (const text of bad) expect(problems(text, { type: 'string', format })).toHaveLength(1);
});

test('patterns run in linear time and in the dialect of Go', () => {
  expect(problems(`${'a'.repeat(50_000)}!`, { type: 'string', pattern: '^(a+)+$' })).toHaveLength(1);
  expect(problems('K', { type: 'string', pattern: '^(?i)k\\z' })).toEqual([]);
});

test('alternatives within alternatives are judged once each', () => {
  let schema: JsonObject = { required: ['missing'] };
  for (let level = 0; level < 60; level++) schema = { anyOf: [schema], allOf: [] };
  expect(problems({}, { type: 'object', ...schema }).length).toBeGreaterThan(0);
});

test('metadata is left to the check of built-in types', () => {
  const schema = customResourceSchema({ type: 'object' });
  expect([...validateValue({ metadata: { labels: { a: 1 } } }, schema, root)]).toEqual([]);
});

describe('defaults', () => {
  const schema = fromOpenApiV3({
    type: 'object',
    properties: {
      a: { type: 'string', default: 'x' },
      nested: { type: 'object', default: {}, properties: { b: { type: 'integer', default: 1 } } },
      absent: { type: 'object', properties: { c: { type: 'integer', default: 2 } } },
      list: { type: 'array', items: { type: 'object', properties: { d: { type: 'boolean', default: false } } } },
      map: {
        type: 'object',
        additionalProperties: { type: 'object', properties: { e: { type: 'string', default: 'e' } } },
      },
      maybe: { type: 'string', nullable: true, default: 'm' },
      gone: { type: 'string' },
      amounts: { type: 'object', additionalProperties: { 'x-kubernetes-int-or-string': true } },
    },
  });

  test('are filled in, also inside of defaults, lists and maps', () => {
    expect(defaultValue(freeze({ list: [{}, { d: true }], map: { k: {} } }), schema)).toEqual({
      a: 'x',
      nested: { b: 1 },
      list: [{ d: false }, { d: true }],
      map: { k: { e: 'e' } },
      maybe: 'm',
    });
  });

  test('do not bring absent objects into being', () => {
    expect(defaultValue({}, schema)).not.toHaveProperty('absent');
    expect(defaultValue({ absent: {} }, schema)).toMatchObject({ absent: { c: 2 } });
  });

  test('take the place of a null that may not be, and leave one that may', () => {
    expect(
      defaultValue({ a: null, gone: null, maybe: null, nested: null, amounts: { cpu: null, memory: 1 } }, schema),
    ).toEqual({
      a: 'x',
      amounts: { memory: 1 },
      maybe: null,
      nested: { b: 1 },
    });
  });

  test('that are there already change nothing', () => {
    const full = freeze(defaultValue({ list: [{}] }, schema));
    expect(defaultValue(full, schema)).toBe(full);
  });

  test('leave values of the wrong type to validation', () => {
    expect(defaultValue({ nested: 'x', list: 3, map: [] }, schema)).toMatchObject({ nested: 'x', list: 3, map: [] });
  });
});

test('pruning takes out what the schema does not know', () => {
  const schema = fromOpenApiV3({
    type: 'object',
    properties: { a: { type: 'object', properties: { b: { type: 'string' } } } },
  });
  expect(pruneValue({ a: { b: 'x', c: 1 }, d: 1 }, schema)).toEqual({ a: { b: 'x' } });
});
