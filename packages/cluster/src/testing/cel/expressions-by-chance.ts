import fc from 'fast-check';

type Kind = 'int' | 'uint' | 'double' | 'bool' | 'string' | 'bytes' | 'list' | 'map' | 'duration' | 'timestamp' | 'any';

const whole = fc.oneof(
  fc.integer({ min: -9, max: 99 }).map(String),
  fc.constantFrom('9223372036854775807', '-9223372036854775808', '4611686018427387904', '2147483648', '0x1f'),
);
const literals: Readonly<Record<Exclude<Kind, 'list' | 'map' | 'any'>, fc.Arbitrary<string>>> = {
  int: whole.map((text) => (text.startsWith('-') ? `(${text})` : text)),
  uint: fc.oneof(
    fc.integer({ min: 0, max: 99 }).map((n) => `${n}u`),
    fc.constantFrom('18446744073709551615u'),
  ),
  double: fc.constantFrom('0.0', '1.5', '2.0', '(-3.25)', '1e100', '0.1', '(0.0 / 0.0)', '(1.0 / 0.0)'),
  bool: fc.constantFrom('true', 'false'),
  string: fc.constantFrom(
    "''",
    "'a'",
    "'ab'",
    "'b c'",
    "'é€😀'",
    "'12'",
    "'-3'",
    "'true'",
    "'1.5'",
    "'1h'",
    "r'a\\n'",
    "'a\\n'",
  ),
  bytes: fc.constantFrom("b''", "b'a'", "b'\\xff'", "b'é'"),
  duration: fc.constantFrom("duration('1h')", "duration('-15s')", "duration('0s')", "duration('90m')"),
  timestamp: fc.constantFrom(
    "timestamp('2020-02-29T23:59:59Z')",
    "timestamp('1969-12-31T23:59:59Z')",
    "timestamp('2024-01-01T00:00:00+02:00')",
  ),
};

const number = fc.constantFrom("('1' + '2')", "('-' + '3')", "('x' + '1')");
const scalars = ['int', 'uint', 'double', 'bool', 'string', 'bytes', 'duration', 'timestamp'] as const;
const keys = ['int', 'string', 'bool', 'uint'] as const;

/**
 * Any of the standard language, without variables: what has a value, and what fails when it runs. Left out is where the second
 * implementation is known to differ (`second-opinion.test.ts` says how).
 */
export const expression: fc.Arbitrary<string> = fc
  .constantFrom<Kind>('int', 'bool', 'string', 'double', 'list', 'map', 'uint', 'bytes', 'duration', 'timestamp')
  .chain((kind) => of(kind, 3));

function of(kind: Kind, depth: number): fc.Arbitrary<string> {
  if (kind === 'any')
    return fc.constantFrom(...scalars, 'list' as const, 'map' as const).chain((each) => of(each, depth));
  if (kind === 'list') return fc.constantFrom(...scalars).chain((element) => listOf(element, depth));
  if (kind === 'map') return fc.constantFrom(...keys).chain((key) => mapOf(key, depth));
  if (depth <= 0) return literals[kind];
  const inner = depth - 1;
  return fc.oneof({ weight: 1, arbitrary: literals[kind] }, ...common(kind, inner), ...specific[kind](inner));
}

function text(parts: TemplateStringsArray, ...holes: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc
    .tuple(...holes)
    .map((filled) => parts.reduce((sum, part, index) => `${sum}${part}${filled[index] ?? ''}`, ''));
}

function listOf(element: Kind, depth: number): fc.Arbitrary<string> {
  const plain = fc.array(of(element, depth - 1), { maxLength: 3 }).map((all) => `[${all.join(', ')}]`);
  if (depth <= 0) return plain;
  const inner = depth - 1;
  return fc.oneof(
    plain,
    text`(${listOf(element, inner)} + ${listOf(element, inner)})`,
    text`${listOf(element, inner)}.filter(x, ${of('bool', inner)})`,
    text`${listOf(element, inner)}.filter(x, x == ${of(element, inner)})`,
    text`${listOf('int', inner)}.map(y, ${of(element, inner)})`,
    text`(${of('bool', inner)} ? ${listOf(element, inner)} : ${listOf(element, inner)})`,
  );
}

function mapOf(key: Kind, depth: number): fc.Arbitrary<string> {
  const entry = fc.tuple(of(key, depth - 1), of('int', depth - 1)).map((pair) => pair.join(': '));
  return fc.array(entry, { maxLength: 3 }).map((entries) => `{${entries.join(', ')}}`);
}

function common(kind: Exclude<Kind, 'list' | 'map' | 'any'>, depth: number): readonly fc.Arbitrary<string>[] {
  const own = of(kind, depth);
  return [
    text`(${of('bool', depth)} ? ${own} : ${own})`,
    text`${listOf(kind, depth)}[${of('int', 0)}]`,
    text`{'a': ${own}, 'b': ${own}}[${of('string', 0)}]`,
    text`{'a': ${own}}.a`,
  ];
}

const arithmetic = fc.constantFrom('+', '-', '*', '/', '%');
const comparison = fc.constantFrom('==', '!=', '<', '<=', '>', '>=');
const ofDate = fc.constantFrom(
  'getFullYear',
  'getMonth',
  'getDate',
  'getDayOfWeek',
  'getDayOfYear',
  'getHours',
  'getMinutes',
  'getSeconds',
  'getMilliseconds',
);

type Making = (depth: number) => readonly fc.Arbitrary<string>[];

const specific: Readonly<Record<Exclude<Kind, 'list' | 'map' | 'any'>, Making>> = {
  int: (depth) => [
    text`(${of('int', depth)} ${arithmetic} ${of('int', depth)})`,
    text`(-${of('int', depth)})`,
    text`size(${of('string', depth)})`,
    text`size(${of('bytes', depth)})`,
    text`size(${of('list', depth)})`,
    text`size(${of('map', depth)})`,
    text`${of('list', depth)}.size()`,
    text`int(${fc.constantFrom<Kind>('int', 'uint', 'double', 'timestamp').chain((kind) => of(kind, depth))})`,
    text`int(${number})`,
    text`${of('timestamp', depth)}.${ofDate}()`,
    text`${of('timestamp', depth)}.${ofDate}('+05:30')`,
    text`${of('duration', depth)}.${fc.constantFrom('getHours', 'getMinutes', 'getSeconds')}()`,
  ],
  uint: (depth) => [
    text`(${of('uint', depth)} ${arithmetic} ${of('uint', depth)})`,
    text`uint(${fc.constantFrom<Kind>('int', 'uint', 'double').chain((kind) => of(kind, depth))})`,
    text`uint(${number})`,
  ],
  double: (depth) => [
    text`(${of('double', depth)} ${fc.constantFrom('+', '-', '*', '/')} ${of('double', depth)})`,
    text`(-${of('double', depth)})`,
    text`double(${fc.constantFrom<Kind>('int', 'uint', 'double').chain((kind) => of(kind, depth))})`,
    text`double(${fc.constantFrom("'1.5'", "('-' + '12')", "('1' + 'e3')")})`,
  ],
  bool: (depth) => [
    text`(${of('bool', depth)} ${fc.constantFrom('&&', '||', '==', '!=')} ${of('bool', depth)})`,
    text`(!${of('bool', depth)})`,
    fc
      .constantFrom<Kind>('int', 'uint', 'double', 'string', 'bytes', 'bool', 'duration', 'timestamp')
      .chain((kind) => text`(${of(kind, depth)} ${comparison} ${of(kind, depth)})`),
    fc
      .constantFrom(...scalars)
      .chain((kind) => text`(${listOf(kind, depth)} ${fc.constantFrom('==', '!=')} ${listOf(kind, depth)})`),
    text`(dyn(${of('any', depth)}) ${fc.constantFrom('==', '!=')} dyn(${of('any', depth)}))`,
    fc.constantFrom(...scalars).chain((kind) => text`(${of(kind, depth)} in ${listOf(kind, depth)})`),
    fc.constantFrom(...keys).chain((kind) => text`(${of(kind, depth)} in ${mapOf(kind, depth)})`),
    text`${of('string', depth)}.${fc.constantFrom('startsWith', 'endsWith', 'contains')}(${of('string', depth)})`,
    text`${of('string', depth)}.matches(${fc.constantFrom("'^a'", "'a+b?'", "'[0-9]+$'", "'.'")})`,
    text`has({'a': ${of('int', depth)}}.${fc.constantFrom('a', 'b')})`,
    text`${listOf('int', depth)}.${fc.constantFrom('all', 'exists', 'exists_one')}(x, x ${comparison} ${of('int', depth)})`,
    text`${listOf('string', depth)}.${fc.constantFrom('all', 'exists', 'exists_one')}(x, ${of('bool', depth)})`,
    text`bool(${fc.constantFrom<Kind>('bool', 'string').chain((kind) => of(kind, depth))})`,
    text`(type(${of('any', depth)}) == type(${of('any', depth)}))`,
  ],
  string: (depth) => [
    text`(${of('string', depth)} + ${of('string', depth)})`,
    text`string(${fc.constantFrom<Kind>('int', 'uint', 'bool', 'string', 'bytes', 'duration', 'timestamp').chain((kind) => of(kind, depth))})`,
  ],
  bytes: (depth) => [text`(${of('bytes', depth)} + ${of('bytes', depth)})`, text`bytes(${of('string', depth)})`],
  duration: (depth) => [
    text`(${of('duration', depth)} ${fc.constantFrom('+', '-')} ${of('duration', depth)})`,
    text`(${of('timestamp', depth)} - ${of('timestamp', depth)})`,
    text`duration(${fc.constantFrom("('1' + 'h')", "('2m' + '3s')", "('x' + 'y')")})`,
  ],
  timestamp: (depth) => [
    text`(${of('timestamp', depth)} ${fc.constantFrom('+', '-')} ${of('duration', depth)})`,
    text`timestamp(${of('string', depth)})`,
  ],
};
