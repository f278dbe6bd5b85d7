import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SourceError } from './source.ts';
import { expandLists, formatYaml, parseYamlDocuments } from './yaml.ts';

const from = { source: 'app.yaml' };

function read(text: string): unknown {
  return parseYamlDocuments(text, from)[0]?.value;
}

function errorOf(text: string): string {
  try {
    parseYamlDocuments(text, from);
    return 'read';
  } catch (error) {
    return error instanceof SourceError ? error.message : `not a SourceError: ${String(error)}`;
  }
}

describe('scalars are read as kubectl 1.32 reads them', () => {
  test.each<[string, unknown]>([
    ['y', true],
    ['no', false],
    ['On', true],
    ['oN', 'oN'],
    ['~', null],
    ['NULL', null],
    ['010', 8],
    ['0o17', 15],
    ['0b11', 3],
    ['-0b1', -1],
    ['0x1F', 31],
    ['08', 8],
    ['0777', 511],
    ['+1', 1],
    ['-0', 0],
    ['1_000', 1000],
    ['1__0', 10],
    ['1:30', '1:30'],
    ['2001-01-01', '2001-01-01'],
    ['2001-01-01T00:00:00Z', '2001-01-01T00:00:00Z'],
    ['1e3', 1000],
    ['1.', 1],
    ['.5', 0.5],
    ['-.5', -0.5],
    ['0.1e', '0.1e'],
    ['1e400', '1e400'],
    ['=', '='],
    ['!!str 1', '1'],
    ['!!int "3"', 3],
    ['!!binary aGk=', 'hi'],
    ['"no"', 'no'],
    ['1.2.3', '1.2.3'],
    ['v1', 'v1'],
  ])('%s', (text, expected) => {
    expect(read(`x: ${text}`)).toEqual({ x: expected });
  });

  test('keys become texts', () => {
    expect(read('1: a\n1.5: b\ny: c\n')).toEqual({ '1': 'a', '1.5': 'b', true: 'c' });
  });

  test('aliases and merge keys work', () => {
    expect(read('b: &b {q: 1}\nx: {<<: *b, r: 2}\nz: *b')).toEqual({ b: { q: 1 }, x: { q: 1, r: 2 }, z: { q: 1 } });
  });
});

describe('documents', () => {
  test('are separated by three dashes and know their lines', () => {
    expect(parseYamlDocuments('# first\na: 1\n---\n\n# second\nb: 2\n--- \n---\nc: 3\n', from)).toEqual([
      { value: { a: 1 }, line: 2 },
      { value: { b: 2 }, line: 6 },
      { value: { c: 3 }, line: 9 },
    ]);
  });

  test('that are empty are left out', () => {
    for (const text of ['', '---', '---\n---\n', '# only a comment\n', '\n\n', '---\n# x\n---\n~\n']) {
      expect(parseYamlDocuments(text, from)).toEqual([]);
    }
    expect(parseYamlDocuments('{}', from)).toHaveLength(1);
  });

  test('may come with directives, Windows line ends, a byte order mark, and on the line of the dashes', () => {
    expect(read('%YAML 1.1\n---\na: 1\n')).toEqual({ a: 1 });
    expect(parseYamlDocuments('a: 1\r\n---\r\nb: 2\r\n', from).map(({ value }) => value)).toEqual([{ a: 1 }, { b: 2 }]);
    expect(read('\ufeffa: 1')).toEqual({ a: 1 });
    expect(read('--- {a: 1}')).toEqual({ a: 1 });
    expect(parseYamlDocuments('a: 1\n...\n---\nb: 2\n...\n', from).map(({ value }) => value)).toEqual([
      { a: 1 },
      { b: 2 },
    ]);
  });

  test('may be JSON', () => {
    expect(read('{\n\t"a": [1, "x\\u00e9"]\n}')).toEqual({ a: [1, 'xé'] });
  });

  test('keep three dashes inside a text block that is indented', () => {
    expect(read('a: |\n  x\n  ---\n  y\n')).toEqual({ a: 'x\n---\ny\n' });
  });
});

test('integers of 64 bits keep their digits, both ways', () => {
  expect(read('a: [9223372036854775807, -0x7fffffffffffffff, 18446744073709551616]\n')).toEqual({
    a: [9223372036854775807n, -9223372036854775807n, 2 ** 64],
  });
  expect(formatYaml({ a: 9223372036854775807n, b: '9223372036854775807' })).toBe(
    "a: 9223372036854775807\nb: '9223372036854775807'\n",
  );
});

describe('a broken text names file, line and column', () => {
  test.each<[string, RegExp]>([
    ['a: 1\nb: [1, 2\nc: 3\n', /^app\.yaml:3:\d+: /],
    ['a: 1\n---\nb: 1\n  c: 2\n', /^app\.yaml:4:\d+: /],
    ['a:\n\tb: 1\n', /^app\.yaml:2:\d+: .*spaces, not tabs/],
    ['a: 1\na: 2\n', /^app\.yaml:2:1: .*duplicate/],
    ['a: !!js/function "x"\n', /^app\.yaml:1:\d+: .*unknown/],
    ['a: *nowhere\n', /^app\.yaml:1:\d+: /],
    ['a: "x\n', /^app\.yaml:\d:\d+: /],
    ['a: x\0y\n', /^app\.yaml:1:5: .*NUL/],
    [`${'['.repeat(200_000)}`, /^app\.yaml:1:\d+: /],
    ['a: &a [*a]\n', /^app\.yaml:1:\d+: /],
  ])('%.30j', (text, expected) => {
    expect(errorOf(text)).toMatch(expected);
  });

  test.each(['a: *hunter2', 'a: !hunter2 b'])('what may be a password is not repeated: %s', (text) => {
    expect(() => parseYamlDocuments(text, { source: 'f.yaml' })).toThrow(/^f\.yaml:1:\d+: un\w+ (?:alias|\w+ tag)$/);
  });

  test('and keeps line and column for programs', () => {
    try {
      parseYamlDocuments('x: 1\n---\n{', from);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(SourceError);
      expect(error).toMatchObject({ source: 'app.yaml', line: 3 });
    }
  });
});

test('a few lines of aliases cannot mean gigabytes', () => {
  const lines = ['l0: &l0 [x, x, x, x, x, x, x, x, x]'];
  for (let index = 1; index < 9; index++)
    lines.push(
      `l${index}: &l${index} [${Array(9)
        .fill(`*l${index - 1}`)
        .join(', ')}]`,
    );
  expect(errorOf(lines.join('\n'))).toMatch(/aliases expand to more than/);
});

test('keys of the prototype are plain data', () => {
  const value = read('__proto__: {admin: true}\na: {<<: {__proto__: {admin: true}}}') as Record<
    string,
    Record<string, unknown>
  >;
  expect(value['admin']).toBeUndefined();
  expect(value['a']?.['admin']).toBeUndefined();
});

describe('lists', () => {
  test('stand for their items', () => {
    const documents = parseYamlDocuments(
      'kind: List\napiVersion: v1\nitems: [{kind: Pod, apiVersion: v1}, {kind: List, items: [{kind: Service}]}]\n---\nkind: PodList\napiVersion: v1\nitems: [{metadata: {name: a}}]\n---\nkind: AllowList\nspec: {}\n',
      from,
    );
    expect(expandLists(documents)).toEqual([
      { value: { kind: 'Pod', apiVersion: 'v1' }, line: 1 },
      { value: { kind: 'Service' }, line: 1 },
      { value: { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } }, line: 5 },
      { value: { kind: 'AllowList', spec: {} }, line: 9 },
    ]);
  });
});

test('what is written is read back as it was', () =>
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string(),
        fc.oneof(fc.string(), fc.constantFrom('y', 'no', '010', '1:30', '2001-01-01', '~', '1_0', '0o7', '<<', '=')),
        { noNullPrototype: true },
      ),
      (value) => {
        expect(read(formatYaml({ value }))).toEqual({ value });
      },
    ),
  ));

test('what is written is the same text every time, and wraps nothing', () => {
  const value = { b: 1, a: ['x '.repeat(200).trim(), { c: 'yes' }] };
  expect(formatYaml(value)).toBe(`b: 1\na:\n  - ${'x '.repeat(200).trim()}\n  - c: 'yes'\n`);
});
