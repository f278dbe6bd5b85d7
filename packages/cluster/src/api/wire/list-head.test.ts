import { expect, test } from 'vitest';
import { continueToken } from './list-head.ts';

test.each([
  ['a page of many', '{"kind":"PodList","metadata":{"resourceVersion":"7","continue":"eyJ2"},"items":[{"met', 'eyJ2'],
  ['another order, with spaces', '{"metadata": {"continue": "a\\"b", "resourceVersion": "7"}, "items": [', 'a"b'],
  ['a beginning that has not come whole', '{"metadata":{"continue":"eyJ', undefined],
  ['the last page', '{"metadata":{"resourceVersion":"7","continue":""},"items":[]}', undefined],
  ['a list without one', '{"metadata":{"resourceVersion":"7"},"items":[{"a":{"continue":"no"}}]}', undefined],
  [
    'objects before it',
    '{"items":[{"data":{"x":"\\"continue\\":\\"no\\""}}],"metadata":{"continue":"late"}}',
    undefined,
  ],
  ['no list at all', '<html>', undefined],
])('where a list goes on: %s', (_, head, token) => {
  expect(continueToken(head)).toBe(token);
});
