import { expect, test } from 'vitest';
import { root } from './issue.ts';

test('a path goes deeper without changing', () => {
  const spec = root('spec');
  expect(spec('ports', 0, 'name').toString()).toBe('spec.ports[0].name');
  expect(String(spec)).toBe('spec');
  expect(String(spec('a.b/c'))).toBe('spec[a.b/c]');
  expect(spec('limits').key('cpu').toString()).toBe('spec.limits[cpu]');
  expect(spec().toString()).toBe('spec');
});

test('issues carry the place, the reason and a whole sentence', () => {
  const at = root('spec', 'x');
  expect([
    at.required(),
    at.required('give one'),
    at.invalid('v', 'must be w'),
    at.invalid(undefined, 'must be w'),
    at.notSupported('v', ['a', 'b']),
    at.forbidden('not here'),
    at.duplicate(1),
    at.tooLong('v', 3),
    at.tooMany(4, 3),
    at.typeInvalid('string', 'must be a number'),
  ]).toEqual([
    { reason: 'FieldValueRequired', field: 'spec.x', message: 'Required value' },
    { reason: 'FieldValueRequired', field: 'spec.x', message: 'Required value: give one' },
    { reason: 'FieldValueInvalid', field: 'spec.x', message: 'Invalid value: "v": must be w' },
    { reason: 'FieldValueInvalid', field: 'spec.x', message: 'Invalid value: null: must be w' },
    {
      reason: 'FieldValueNotSupported',
      field: 'spec.x',
      message: 'Unsupported value: "v": supported values: "a", "b"',
    },
    { reason: 'FieldValueForbidden', field: 'spec.x', message: 'Forbidden: not here' },
    { reason: 'FieldValueDuplicate', field: 'spec.x', message: 'Duplicate value: 1' },
    { reason: 'FieldValueTooLong', field: 'spec.x', message: 'Too long: may not be more than 3 bytes' },
    { reason: 'FieldValueTooMany', field: 'spec.x', message: 'Too many: 4: must have at most 3 items' },
    { reason: 'FieldValueTypeInvalid', field: 'spec.x', message: 'Invalid value: "string": must be a number' },
  ]);
  expect(root.required().field).toBe('<nil>');
});
