import type { SchemaNode } from '@signalbox/cluster/testing';
import { plausible } from './sites.ts';

/** `undefined` takes the field out. */
export interface Mutation {
  readonly name: string;
  readonly value: unknown;
}

const longText = 'x'.repeat(70_000);
const nested = { a: { b: [{ c: { d: [[], {}, null] } }] } };

/** What may stand where anything else should: of another type, or of no sense. */
const strangers: readonly Mutation[] = [
  { name: 'removed', value: undefined },
  { name: 'null', value: null },
  { name: 'true', value: true },
  { name: '0', value: 0 },
  { name: '-1', value: -1 },
  { name: '1.5', value: 1.5 },
  { name: '1e300', value: 1e300 },
  { name: 'text', value: 'text' },
  { name: 'empty text', value: '' },
  { name: 'empty object', value: {} },
  { name: 'empty list', value: [] },
  { name: 'list of null', value: [null] },
  { name: 'nested', value: nested },
];

const texts: readonly Mutation[] = [
  { name: 'long text', value: longText },
  { name: 'strange text', value: ' \u0000\ud800/../%$(A){{.x}}\n"\'' },
  { name: 'expression', value: '(((((.*)*)*)*)[' },
  { name: 'path', value: '/../..' },
  { name: 'number as text', value: '-5' },
  { name: 'host', value: '[::1]:99999' },
];

const numbers: readonly Mutation[] = [
  { name: '2^31', value: 2 ** 31 },
  { name: '2^53-1', value: Number.MAX_SAFE_INTEGER },
  { name: '-2^53', value: -Number.MAX_SAFE_INTEGER },
];

const quantities: readonly Mutation[] = ['-1', '1e400', '9999999999999999999999Ei', '0.0000000001', '1Zi', '.'].map(
  (value) => ({ name: `quantity ${value}`, value }),
);

const intsOrTexts: readonly Mutation[] = ['200%', '-5%', '1e9%', 'x%', 'a-name', '99999999999'].map((value) => ({
  name: `int or string ${value}`,
  value,
}));

/** Values that the type lets through, then those that it should not. */
export function mutationsOf(node: SchemaNode): readonly Mutation[] {
  const own: Mutation[] = [];
  if (node.quantity === true) own.push(...quantities);
  else if (node.intOrString === true) own.push(...intsOrTexts, ...numbers);
  else if (node.type === 'string') own.push(...texts, ...(node.format === 'date-time' ? times : []));
  else if (node.type === 'integer' || node.type === 'number') own.push(...numbers);
  else if (node.type === 'array') own.push(...lists(node));
  else if (typeof node.additionalProperties === 'object') own.push(...maps(node.additionalProperties));
  else own.push({ name: 'plausible', value: plausible(node) });
  return [...own, ...strangers];
}

const times: readonly Mutation[] = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '2026-02-31T25:61:61Z'].map(
  (value) => ({ name: `time ${value}`, value }),
);

function lists({ items }: SchemaNode): readonly Mutation[] {
  const item = plausible(items);
  return [
    { name: 'plausible list', value: [item] },
    { name: 'the same twice', value: [item, item] },
    { name: 'bare item', value: [{}] },
    { name: 'list of lists', value: [[item]] },
    { name: 'long list', value: Array.from({ length: 300 }, () => item) },
  ];
}

function maps(values: SchemaNode): readonly Mutation[] {
  const value = plausible(values);
  return [
    {
      name: 'map of strange keys',
      value: { '': value, 'a/b/c': value, __proto__x: value, [longText.slice(0, 400)]: value },
    },
    { name: 'constructor', value: { constructor: value, toString: value } },
    { name: 'map of null', value: { key: null } },
  ];
}
