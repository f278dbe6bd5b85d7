import fc from 'fast-check';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { parseYaml, toYaml, toYamlText } from './yaml.ts';

test('text that YAML 1.1 or 1.2 takes for something else is quoted', () => {
  const ambiguous = [
    'yes',
    'no',
    'on',
    'y',
    '0777',
    '0o17',
    '12:30:45',
    '1e3',
    '.5',
    '~',
    'null',
    '=',
    '<<',
    '2001-01-01',
    '',
    // What go-yaml alone takes for a number.
    '1E_07',
    '0e9_',
    '+_8',
    '0_9',
    '0o1__',
    '0b-1',
  ];
  expect(
    toYaml(ambiguous)
      .split('\n')
      .filter(Boolean)
      .every((line) => /^- (?:!!str )?(['"]).*\1$/.test(line)),
  ).toBe(true);
});

// https://github.com/go-yaml/yaml/blob/v2.4.0/decode.go: a scalar "null" or "~" without a tag never reaches an unmarshaler.
test('the texts null and ~ say that they are texts, and nothing that only looks like them does', () => {
  expect(toYaml({ a: 'null', b: ['~', [['null']], { 'c-d': '~' }] })).toBe(
    "a: !!str 'null'\nb:\n- !!str '~'\n- - - !!str 'null'\n- c-d: !!str '~'\n",
  );
  expect(toYaml({ a: "b - 'null'", b: "c: 'null'", c: "\n- '~'\n", d: ["x '~'"] })).not.toContain('!!str');
});

test('lines are never folded, lists stand at the level of their key, line breaks are escaped', () => {
  expect(toYaml({ a: ['x '.repeat(100).trim()], b: 'one\ntwo\n', c: {}, d: [], e: undefined })).toBe(
    `a:\n- ${'x '.repeat(100).trim()}\nb: "one\\ntwo\\n"\nc: {}\nd: []\n`,
  );
});

// Everything that could break out of its place: quotes, line ends, indicators, placeholders, control characters.
const nasty = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom(
      '\n',
      '\r',
      '\u2028',
      '\u0085',
      ' ',
      '-',
      ':',
      '#',
      '"',
      "'",
      '\\',
      '|',
      '>',
      '$',
      '{',
      '&',
      '*',
      '!',
      '\t',
      '\u0000',
    ),
  }),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what the agent expands from its environment.
  fc.constantFrom('- job_name: forged', '\n  basic_auth:\n    username: x', '${HOME}', '$(SHARD)', '--- ', '...'),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof({ depthSize: 'small' }, nasty, fc.integer(), fc.boolean(), tie('list'), tie('map')),
  list: fc.array(tie('any'), { maxLength: 3 }),
  map: fc.dictionary(
    nasty.filter((key) => key !== '__proto__'),
    tie('any'),
    { maxKeys: 3, noNullPrototype: true },
  ),
})).any;

test('whatever stands in a field comes back as that field’s value', () => {
  fc.assert(
    fc.property(value, (written) => {
      expect(parseYaml(toYaml({ at: written }))).toEqual({ at: written });
    }),
  );
});

test('a part that was rendered ahead reads like one that was not', () => {
  const shape = fc.record({
    name: nasty,
    jobs: fc.array(fc.record({ job_name: nasty, rules: fc.array(value, { maxLength: 2 }) }), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(shape, { maxLength: 3 }), (configs) => {
      const plain = { metrics: { configs } };
      const ahead = { metrics: { configs: configs.map(({ name, jobs }) => ({ name, jobs: jobs.map(toYamlText) })) } };
      expect(toYaml(ahead)).toBe(toYaml(plain));
      expect(load(toYaml(ahead))).toEqual(plain);
    }),
  );
});

test('documents are read as Go reads them', () => {
  expect(parseYaml('a: yes\nb: off\nc: 12:30\nd: ~\nbase: &x { e: 1 }\nf: { <<: *x, g: 2 }')).toEqual({
    a: true,
    b: false,
    c: '12:30',
    d: null,
    base: { e: 1 },
    f: { e: 1, g: 2 },
  });
  expect(parseYaml(' \n')).toBeUndefined();
});

test('a document that blows up by aliases is refused', () => {
  const levels = Array.from(
    { length: 9 },
    (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level}, `.repeat(9)}*l${level}]`,
  );
  expect(() => parseYaml(['l0: &l0 [x]', ...levels].join('\n'))).toThrow('values');
});
