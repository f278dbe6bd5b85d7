import { describe, expect, test } from 'vitest';
import type { Taint, Toleration } from './generated/core-v1.ts';
import { tolerates, untolerated } from './tolerations.ts';

const dedicated: Taint = { key: 'dedicated', value: 'db', effect: 'NoSchedule' };

describe('a toleration', () => {
  test.each<[string, Toleration, boolean]>([
    [
      'with the same key, value and effect covers the taint',
      { key: 'dedicated', operator: 'Equal', value: 'db', effect: 'NoSchedule' },
      true,
    ],
    ['compares the value unless told otherwise', { key: 'dedicated', value: 'db' }, true],
    ['with another value does not', { key: 'dedicated', value: 'web' }, false],
    ['without a value covers the empty value only', { key: 'dedicated' }, false],
    ['with Exists ignores the value', { key: 'dedicated', operator: 'Exists' }, true],
    ['with another key does not', { key: 'other', operator: 'Exists' }, false],
    ['with another effect does not', { key: 'dedicated', operator: 'Exists', effect: 'NoExecute' }, false],
    ['with Exists and no key covers everything', { operator: 'Exists' }, true],
    ['without key and operator covers nothing', {}, false],
    ['with an unknown operator covers nothing', { key: 'dedicated', operator: 'Like', value: 'db' }, false],
  ])('%s', (_, toleration, expected) => {
    expect(tolerates(toleration, dedicated)).toBe(expected);
  });

  test('covers a taint without a value', () => {
    expect(tolerates({ key: 'a' }, { key: 'a', effect: 'NoSchedule' })).toBe(true);
  });
});

test('untolerated taints come in their order, and only with the effects asked for', () => {
  const taints: readonly Taint[] = [
    { key: 'soft', effect: 'PreferNoSchedule' },
    { key: 'b', effect: 'NoSchedule' },
    { key: 'a', effect: 'NoExecute' },
  ];
  expect(untolerated(taints, undefined, ['NoSchedule', 'NoExecute']).map(({ key }) => key)).toEqual(['b', 'a']);
  expect(
    untolerated(taints, [{ key: 'b', operator: 'Exists' }], ['NoSchedule', 'NoExecute']).map(({ key }) => key),
  ).toEqual(['a']);
  expect(untolerated(taints, [{ operator: 'Exists' }], ['NoSchedule'])).toEqual([]);
  expect(untolerated(undefined, undefined, ['NoSchedule'])).toEqual([]);
});
