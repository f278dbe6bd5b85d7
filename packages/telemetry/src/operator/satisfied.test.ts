import { expect, test } from 'vitest';
import { isSatisfied } from './satisfied.ts';

test.each<[string, unknown, unknown]>([
  ['equal values', { a: [1, 'x', true] }, { a: [1, 'x', true] }],
  ['fields that the server filled in', { a: { b: 1 } }, { a: { b: 1, c: 2 }, d: 3 }],
  ['an empty object where nothing is', { emptyDir: {} }, {}],
  ['an empty list where nothing is', { env: [] }, {}],
  ['a quantity spelled otherwise', { cpu: '0.5', memory: '1024Mi' }, { cpu: '500m', memory: '1Gi' }],
  ['a number for a quantity', { cpu: 1 }, { cpu: '1' }],
])('%s satisfy', (_, wanted, live) => expect(isSatisfied(wanted, live)).toBe(true));

test.each<[string, unknown, unknown]>([
  ['another value', { a: 1 }, { a: 2 }],
  ['a missing field', { a: 1 }, {}],
  ['a longer list', { a: [1] }, { a: [1, 2] }],
  ['another order', { a: ['x', 'y'] }, { a: ['y', 'x'] }],
  ['another type', { a: { b: 1 } }, { a: 'b' }],
  ['text that is no quantity', { a: 'x' }, { a: 'y' }],
])('%s does not', (_, wanted, live) => expect(isSatisfied(wanted, live)).toBe(false));
