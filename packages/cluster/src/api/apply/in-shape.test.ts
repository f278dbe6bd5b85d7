import { expect, test } from 'vitest';
import { fromOpenApiV3 } from '../schema/node.ts';
import type { FieldSet } from './field-set.ts';
import { ownersInShape } from './in-shape.ts';
import { type Owner, owner } from './managers.ts';
import { customShapeOf } from './shape.ts';

const text = { type: 'string' };
const struct = { type: 'object', properties: { a: text, deep: { type: 'object', properties: { c: text } } } };
const list = { type: 'array', items: { type: 'object', properties: { k: text, v: text } } };
const atomic = { 'x-kubernetes-map-type': 'atomic' };
const byKey = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const inElement = { 'k:{"k":"a"}': { '.': {}, 'f:k': {}, 'f:v': {} } };

const rows: readonly (readonly [what: string, schema: object, before: FieldSet, after: FieldSet])[] = [
  ['a struct as it was', struct, { 'f:a': {} }, { 'f:a': {} }],
  ['a struct that became atomic', { ...struct, ...atomic }, { 'f:a': {}, 'f:deep': { 'f:c': {} } }, {}],
  ['a struct that was atomic', struct, {}, {}],
  ['labels that became atomic', { type: 'object', additionalProperties: text, ...atomic }, { 'f:x': {} }, {}],
  ['a list by keys as it was', { ...list, ...byKey }, inElement, inElement],
  ['a list by keys that became atomic', list, inElement, {}],
  ['a list that was atomic', { ...list, ...byKey }, {}, {}],
  ['a set that became atomic', { type: 'array', items: text }, { 'v:"a"': {} }, {}],
  [
    'a struct in an element that became atomic',
    { ...list, ...byKey, items: { type: 'object', properties: { k: text, s: { ...struct, ...atomic } } } },
    { 'k:{"k":"a"}': { '.': {}, 'f:k': {}, 'f:s': { '.': {}, 'f:a': {} } } },
    { 'k:{"k":"a"}': { '.': {}, 'f:k': {}, 'f:s': {} } },
  ],
  ['what may hold anything', anything, { 'f:x': { 'f:y': {} } }, { 'f:x': { 'f:y': {} } }],
  ['what may hold anything and is atomic', { ...anything, ...atomic }, { 'f:x': {} }, { 'f:x': {} }],
  ['a map that became a text', text, { 'f:x': {} }, { 'f:x': {} }],
  ['a list that became a map', struct, inElement, inElement],
];

const apiVersion = 'example.com/v1';
const ownerOf = (field: FieldSet): Owner =>
  owner(
    { manager: 'me', operation: 'Apply', apiVersion },
    { 'f:spec': { 'f:it': field, 'f:gone': { 'f:x': {} } } },
    undefined,
  );

test.each(rows)('%s', (_, it, before, after) => {
  const spec = { type: 'object', properties: { it } };
  const shape = customShapeOf(fromOpenApiV3({ type: 'object', properties: { spec } }));
  const versions = {
    apiVersion,
    shapeOf: (version: string) => (version === apiVersion ? shape : undefined),
    convert: <T>(object: T) => object,
  };
  const old = { ...ownerOf({ 'f:a': {} }), manager: 'old', apiVersion: 'example.com/v0' };
  const owners = [old, ownerOf(before)];
  const next = ownersInShape(owners, versions);
  expect(next).toEqual([old, ownerOf(after)]);
  expect(next === owners).toBe(JSON.stringify(before) === JSON.stringify(after));
  expect(ownersInShape(next, versions)).toBe(next);
});
