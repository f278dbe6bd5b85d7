import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toYaml, writtenByLibrary } from './yaml.ts';

// Words that some YAML takes for something else, what begins like a mark of its own, and what jobs are made of.
const word = fc.oneof(
  fc.constantFrom('null', '~', 'yes', 'No', 'on', 'y', 'true', 'False', 'NULL', '<<', '=', '---', '...', '- a', '? a'),
  fc.constantFrom(
    'a: b',
    'a #b',
    '# a',
    "it's",
    '"q"',
    '',
    ' ',
    'a ',
    'one\ntwo',
    '\ufffe\ufffe$(SHARD)',
    '\uffff\ufffe\uffff',
  ),
  fc.constantFrom(
    '30s',
    '1_0',
    '0x1f',
    '0o7',
    '010',
    '1e3',
    '.inf',
    '.nan',
    '2030-01-01',
    '12:30:45',
    '$(SHARD);|.+;.+',
  ),
  fc.string({ unit: fc.constantFrom(...'aZ0_-./;|()+*?$:# ,[]{}&!%@`\'"<>=~\\'.split('')), maxLength: 8 }),
  fc.string({ unit: fc.constantFrom(...'nulNULtrueyYsoffONA_/('.split('')), maxLength: 6 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const scalar = fc.oneof(word, fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constantFrom(null, undefined));
const key = fc.oneof(word, fc.constantFrom('job_name', 'relabel_configs', 'x'.repeat(1_100)));
const { document } = fc.letrec((tie) => ({
  document: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('document'), { maxLength: 4 }),
    fc.dictionary(key, tie('document'), { maxKeys: 4 }),
  ),
}));

test('every document is written as the library writes it', () => {
  fc.assert(
    fc.property(document, (value) => {
      expect(toYaml(value)).toBe(writtenByLibrary(value));
    }),
    { numRuns: 3_000 },
  );
});

test('what is remembered of one place holds in every other', () => {
  fc.assert(
    fc.property(word, (text) => {
      const value = { a: text, b: [text, [text, { c: text }], { d: { e: text } }] };
      expect(toYaml(value)).toBe(writtenByLibrary(value));
    }),
    { numRuns: 2_000 },
  );
});
