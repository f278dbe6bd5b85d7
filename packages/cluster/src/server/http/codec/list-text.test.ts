import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatYaml } from '../../../api/codec/yaml.ts';
import { formatExactJson } from '../../../base/exact-json.ts';
import { pieceBytes, type Sequence, textPieces } from './list-text.ts';

const texts = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '',
    ' ',
    '\n',
    'a\nb',
    '\n\n a\n\n',
    '  b\n c\n',
    'x: y',
    '- z',
    '\t\n',
    'a\r\nb',
    '# c',
    '"',
    "'",
    '|',
    '~',
  ),
);
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    texts,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(texts, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

const head = { kind: 'ThingList', apiVersion: 'v1', metadata: { resourceVersion: '7', continue: 'a\nb' } };

function textOf(sequence: Sequence, style: Parameters<typeof textPieces>[1]): string {
  return Buffer.concat([...textPieces(sequence, style)]).toString();
}

test('in pieces a list is letter by letter what it is as a whole', () => {
  fc.assert(
    fc.property(fc.array(values, { maxLength: 6 }), fc.constantFrom('items', 'rows'), (elements, field) => {
      const sequence = { head, field, elements } as const;
      const list = { ...head, [field]: elements };
      expect(textOf(sequence, 'yaml')).toBe(formatYaml(list));
      expect(textOf(sequence, 'pretty')).toBe(`${formatExactJson(list, 2)}\n`);
      expect(textOf(sequence, 'json')).toBe(formatExactJson(list));
    }),
  );
});

test('elements are made as they are taken, and no piece is much longer than it should be', () => {
  let made = 0;
  const elements = {
    *[Symbol.iterator]() {
      for (; made < 1_000; made++) yield { name: 'x'.repeat(1_000) };
    },
  };
  const pieces = textPieces({ head, field: 'items', elements }, 'yaml');
  expect(pieces.next().value?.length).toBeLessThan(pieceBytes + 2_000);
  expect(made).toBeLessThan(80);
});
