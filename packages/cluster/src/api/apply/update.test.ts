import { expect, test } from 'vitest';
import { noFields } from './field-set.ts';
import type { Owners } from './managers.ts';
import { ownersAfterUpdate } from './update.ts';

const kubelet = { manager: 'kubelet', operation: 'Update', apiVersion: 'v1', subresource: 'status' } as const;
const other = { manager: 'other', operation: 'Update', apiVersion: 'v1' } as const;
const ready = { 'f:status': { 'f:ready': noFields } };

function written(owners: Owners, { touched = {}, removed = {} }: { touched?: object; removed?: object }): Owners {
  const found = { touched, removed } as never;
  return ownersAfterUpdate(owners, () => found, { actor: kubelet, time: 'now' });
}

test('who writes again what was theirs has the very same set of fields', () => {
  const first = written([], { touched: { 'f:status': { 'f:ready': noFields, 'f:phase': noFields } } });
  const second = written(first, { touched: ready });
  expect(second[0]?.fieldsV1).toBe(first[0]?.fieldsV1);
});

test('who takes a field takes it from all others, and what is gone is nobody’s', () => {
  const owners: Owners = [
    { ...other, fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': noFields, 'f:status': { 'f:ready': noFields } } },
    ...written([], { touched: { 'f:status': { 'f:phase': noFields } } }),
  ];
  const after = written(owners, { touched: ready, removed: { 'f:status': { 'f:phase': noFields } } });
  expect(after.map(({ manager, fieldsV1 }) => [manager, fieldsV1])).toEqual([
    ['other', { 'f:spec': {} }],
    ['kubelet', ready],
  ]);
});
