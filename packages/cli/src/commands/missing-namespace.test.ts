import { expect, test } from 'vitest';
import { missingNamespace } from './missing-namespace.ts';

test.each<[string, readonly string[], string | undefined]>([
  ['one that is there', ['default', 'shop'], undefined],
  ['one of whom nobody may list', [], undefined],
  ['one that is not', ['default'], 'there is no namespace shop, and so no Pod shop/p; there are default'],
  [
    'one of many that is not',
    ['1', '2', '3', '4', '5', '6', '7'],
    'there is no namespace shop, and so no Pod shop/p; there are 1, 2, 3, 4, 5 and 2 more',
  ],
])('%s', (_, known, text) => {
  expect(missingNamespace('Pod shop/p', { namespace: 'shop', known })).toBe(text);
});
