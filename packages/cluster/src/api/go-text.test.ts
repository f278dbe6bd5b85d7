import { expect, test } from 'vitest';
import { goSyntax, goText } from './go-text.ts';

const rows: readonly (readonly [value: unknown, text: string, syntax: string])[] = [
  [null, '<nil>', 'interface {}(nil)'],
  ['a"b', 'a"b', '"a\\"b"'],
  [true, 'true', 'true'],
  [12345678901234, '12345678901234', '12345678901234'],
  [9007199254740993n, '9007199254740993', '9007199254740993'],
  [1.5, '1.5', '1.5'],
  [0.0001, '0.0001', '0.0001'],
  [0.00001, '1e-05', '1e-05'],
  [0.000001, '1e-06', '1e-06'],
  [1.5e-12, '1.5e-12', '1.5e-12'],
  [1e21, '1e+21', '1e+21'],
  [[], '[]', '[]interface {}{}'],
  [{}, 'map[]', 'map[string]interface {}{}'],
  [
    { b: [1, 'x', null], a: {} },
    'map[a:map[] b:[1 x <nil>]]',
    'map[string]interface {}{"a":map[string]interface {}{}, "b":[]interface {}{1, "x", interface {}(nil)}}',
  ],
];

test.each(rows)('%o', (value, text, syntax) => {
  expect([goText(value), goSyntax(value)]).toEqual([text, syntax]);
});
