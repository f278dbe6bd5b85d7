import { describe, expect, test } from 'vitest';
import { noteGood } from '../../base/known-good.ts';
import { root } from '../issue.ts';
import type { JsonObject } from '../record.ts';
import { validateStructural } from './structural.ts';

const at = root('spec', 'schema');

function problems(schema: unknown): readonly string[] {
  return validateStructural(schema, at).map(({ field, message }) => `${field}: ${message}`);
}

function withSpec(spec: JsonObject): JsonObject {
  return { type: 'object', properties: { spec } };
}

const place = 'spec.schema.properties[spec]';

test('a structural schema passes', () => {
  expect(
    problems(
      withSpec({
        type: 'object',
        required: ['a'],
        properties: {
          a: { type: 'string', pattern: '^[a-z]+$', default: 'x', enum: ['x', 'y'] },
          port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
          free: { 'x-kubernetes-preserve-unknown-fields': true },
          items: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
            items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
          },
          set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        },
        anyOf: [{ required: ['a'] }, { properties: { a: { minLength: 1 } } }],
      }),
    ),
  ).toEqual([]);
});

describe('is refused with the place and the reason', () => {
  test.each<[unknown, string]>([
    [undefined, 'spec.schema: Required value: schemas are required'],
    [{}, 'spec.schema.type: Required value: must not be empty at the root'],
    [
      { type: 'array', items: { type: 'string' } },
      'spec.schema.type: Invalid value: "array": must be object at the root',
    ],
    [{ type: 'object', nullable: true }, 'spec.schema.nullable: Forbidden: nullable cannot be true at the root'],
    [
      { type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } },
      'spec.schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
    [
      { type: 'object', properties: { metadata: { type: 'object', description: 'Name and labels.' } } },
      'spec.schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
    [withSpec({ properties: {} }), `${place}.type: Required value: must not be empty for specified object fields`],
    [
      withSpec({ type: 'array', items: {} }),
      `${place}.items.type: Required value: must not be empty for specified array items`,
    ],
    [withSpec({ type: 'array' }), `${place}.items: Required value: must be specified`],
    [
      withSpec({ type: 'array', items: [{}] }),
      `${place}.items: Forbidden: items must be a schema object and not an array`,
    ],
    [
      withSpec({ type: 'null' }),
      `${place}.type: Forbidden: type cannot be set to null, use nullable as an alternative`,
    ],
    [
      withSpec({ type: 'text' }),
      `${place}.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"`,
    ],
    [withSpec({ $ref: '#/x', type: 'object' }), `${place}.$ref: Forbidden: $ref is not supported`],
    [
      withSpec({ type: 'object', patternProperties: {} }),
      `${place}.patternProperties: Forbidden: patternProperties is not supported`,
    ],
    [
      withSpec({ type: 'array', items: { type: 'string' }, uniqueItems: true }),
      `${place}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
    ],
    [
      withSpec({ type: 'object', additionalProperties: false }),
      `${place}.additionalProperties: Forbidden: additionalProperties cannot be set to false`,
    ],
    [
      withSpec({ type: 'object', additionalProperties: { type: 'string' }, properties: { a: { type: 'string' } } }),
      `${place}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
    ],
    [
      withSpec({ type: 'string', pattern: '(?=x)' }),
      `${place}.pattern: Invalid value: "(?=x)": must be a valid regular expression, but isn't: error parsing regexp: invalid or unsupported Perl syntax: \`(?=\``,
    ],
    [
      withSpec({ type: 'string', 'x-kubernetes-int-or-string': true }),
      `${place}.type: Invalid value: "string": must be empty if x-kubernetes-int-or-string is true`,
    ],
    [
      withSpec({ 'x-kubernetes-preserve-unknown-fields': false, type: 'object' }),
      `${place}.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined`,
    ],
    [
      withSpec({ type: 'object', anyOf: [{ type: 'object' }] }),
      `${place}.anyOf[0].type: Forbidden: must be empty to be structural`,
    ],
    [
      withSpec({ type: 'object', not: { default: {} } }),
      `${place}.not.default: Forbidden: must be undefined to be structural`,
    ],
    [
      withSpec({ type: 'object', allOf: [{ properties: { a: { minLength: 1 } } }] }),
      `${place}.properties[a]: Required value: because it is defined in ${place}.allOf[0].properties[a]`,
    ],
    [
      withSpec({ type: 'string', 'x-kubernetes-list-type': 'set' }),
      `${place}.type: Invalid value: "string": must be array if x-kubernetes-list-type is specified`,
    ],
    [
      withSpec({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' }),
      `${place}.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`,
    ],
    [
      withSpec({
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a'],
        items: { type: 'object', properties: { a: { type: 'string' } } },
      }),
      `${place}.items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
    ],
    [
      withSpec({
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['b'],
        items: { type: 'object' },
      }),
      `${place}.x-kubernetes-list-map-keys: Invalid value: ["b"]: entries must all be names of item properties`,
    ],
    [
      withSpec({ type: 'array', 'x-kubernetes-list-type': 'bag', items: { type: 'string' } }),
      `${place}.x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"`,
    ],
    [
      withSpec({ type: 'object', allOf: [{ not: { uniqueItems: true } }] }),
      `${place}.allOf[0].not.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
    ],
    [
      withSpec({ type: 'object', anyOf: [{ properties: { metadata: {} } }] }),
      `${place}.anyOf[0].properties[metadata]: Forbidden: must not be specified in a nested context`,
    ],
    [withSpec({ properties: { a: {} }, id: 'x' }), `${place}.id: Forbidden: id is not supported`],
    [
      withSpec({ type: 'string', default: 1 }),
      `${place}.default: Invalid value: "integer":  in body must be of type string: "integer"`,
    ],
    [
      withSpec({ type: 'string', 'x-kubernetes-validations': [{ message: 'x' }] }),
      `${place}.x-kubernetes-validations[0].rule: Required value: rule is not specified`,
    ],
  ])('%j', (schema, problem) => {
    expect(problems(schema)).toContain(problem);
  });
});

test('of a schema in a dialect of its own the structure is not asked', () => {
  const root = 'must be object at the root';
  expect(problems({ type: 'string' }).join()).toContain(root);
  expect(problems({ type: 'string', $schema: 'x' }).join()).not.toContain(root);
});

test('a schema without measure is refused before anyone walks through it', () => {
  let deep: JsonObject = { type: 'string' };
  for (let level = 0; level < 20_000; level++) deep = { type: 'object', properties: { a: deep } };
  expect(problems(deep)[0]).toContain('nested deeper than 100 levels');
  const wide = withSpec({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`p${index}`, { type: 'string' }])),
  });
  expect(problems(wide)[0]).toContain('more than 50000 nodes');
});

test('what somebody has judged before is not judged again', () => {
  const judged = { type: 'string' };
  expect(problems(judged)).toHaveLength(1);
  noteGood(judged);
  expect(problems(judged)).toEqual([]);
});
