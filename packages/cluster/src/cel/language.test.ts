import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { showValue } from '../testing/cel/show.ts';
import { compile } from './compile.ts';
import { kubernetesStored as kubernetes } from './environment.ts';

/*
 * What expressions give, what they cost at most by the estimate, and what they have cost: as the libraries of Kubernetes 1.34
 * answered when they were asked. A problem is told with its line and column.
 */
type Row = readonly [expression: string, answer: string, costMax?: number | 'much', cost?: number];

function answerOf(expression: string): Row {
  const program = compile(expression, kubernetes);
  if ('problem' in program) {
    if (program.isInstantiation === true) return [expression, `instantiation: ${program.problem}`];
    const lines = program.problem.split('\n').filter((line) => line.startsWith('ERROR'));
    return [expression, `problem: ${lines.map((line) => line.replace('ERROR: <input>:', '')).join(' & ')}`];
  }
  const outcome = program.run(() => undefined, { costMax: 1_000_000 });
  const costMax = program.costMax();
  const answer = 'error' in outcome ? `error: ${outcome.error}` : showValue(outcome.value);
  return [expression, answer, costMax > 1e15 ? 'much' : costMax, outcome.cost];
}

const rows: readonly Row[] = [
  ["b'\\xff' in [b'a']", 'false', 11, 1],
  ['1 + 2 == 3', 'true', 2, 2],
  ["'aaaa'.matches('^(a+)+$')", 'true', 2, 2],
  ["'a'.matches('[[:alpha:]]')", 'true', 3, 3],
  ['[1,2].all(i, v, v > 0)', 'true', 21, 11],
  ["{'a':1}.transformList(k, v, v)", '[1]', 54, 14],
  ["{'a':1}.transformMap(k, v, v + 1)", 'map of 1', 66, 6],
  ["{'a':1}.transformMapEntry(k, v, {v: k})", 'map of 1', 95, 35],
  ["'x-y'.replace('-', '_')", '"x_y"', 1, 1],
  ["'aaa'.replace('', '_')", '"_a_a_a_"', 1, 1],
  ["'aaa'.replace('', '_', 2)", '"_a_aa"', 1, 1],
  ["'aaa'.replace('a', '_', 2)", '"__a"', 1, 1],
  ["'abc'.substring(1)", '"bc"', 1, 1],
  ["'abc'.charAt(1)", '"b"', 1, 1],
  ["'abc'.charAt(3)", '""', 1, 1],
  ["'abc'.charAt(4)", 'error: index out of range: 4', 1, 1],
  ["'%s %d %.2f %x'.format(['a', 1, 1.5, 255])", '"a 1 1.50 ff"', 12, 2],
  [
    "'%s'.format([[1, 2.5, 'a', {'b': duration('1h'), 'a': 1}]])",
    '"[1, 2.500000, \\"a\\", {\\"a\\":1, \\"b\\":duration(\\"3600s\\")}]"',
    52,
    1,
  ],
  ["'%b %o %X %e'.format([5, 8, 'hi', 1234.5])", '"101 10 6869 1.234500×10⁰³"', 12, 2],
  ['[1,2,3].sum()', '6', 13, 3],
  ['[1.5,2.5].sum()', 'd4', 12, 2],
  ['[1,2].isSorted()', 'true', 12, 2],
  ["['a','b'].isSorted()", 'true', 'much', 0],
  ['[1,2].indexOf(2)', '1', 12, 2],
  ['[3,1].min()', '1', 12, 2],
  ['[3,1].max()', '3', 12, 2],
  ['[].max()', 'error: max called on empty list', 10, 0],
  ["'abc 123'.find('[0-9]+')", '"123"', 2, 2],
  ["'a1b2'.findAll('[0-9]')", '["1", "2"]', 2, 2],
  ["'a1b2'.findAll('[0-9]', 1)", '["1"]', 2, 2],
  ["url('https://a:8080/b?x=1').getHost()", '"a:8080"', 3, 3],
  ["url('https://a:8080/b?x=1').getPort()", '"8080"', 3, 3],
  ["url('https://a:8080/b?x=1').getHostname()", '"a"', 3, 3],
  ["url('https://a:8080/b c?x=1').getEscapedPath()", '"/b%20c"', 4, 4],
  ["url('https://a:8080/b?x=1&x=2').getQuery()['x']", '["1", "2"]', 5, 6],
  ["isURL('x')", 'false', 1, 1],
  ["isURL('/x')", 'true', 1, 1],
  ["ip('1.2.3.4').family()", '4', 2, 2],
  ["ip('::1').isLoopback()", 'true', 2, 2],
  [
    "ip('x')",
    'error: IP Address "x" parse error during conversion from string: ParseAddr("x"): unable to parse IP',
    1,
    1,
  ],
  ["ip.isCanonical('2001:DB8::1')", 'false', 3, 3],
  ["string(ip('2001:DB8:0:0:0:0:0:1'))", '"2001:db8::1"', 3, 3],
  ["cidr('10.0.0.0/8').containsIP('10.1.1.1')", 'true', 6, 3],
  ["cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", 'true', 10, 6],
  ["cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')", 'true', 4, 4],
  ["string(cidr('10.1.2.3/8'))", '"10.1.2.3/8"', 2, 2],
  ["cidr('10.1.2.3/8').ip() == ip('10.1.2.3')", 'true', 4, 4],
  ["cidr('10.1.2.3/8').prefixLength()", '8', 2, 2],
  ["isCIDR('10.0.0.0/33')", 'false', 2, 2],
  ["quantity('1Gi').isGreaterThan(quantity('1Mi'))", 'true', 3, 3],
  ["quantity('1.5').asInteger()", 'error: cannot convert value to integer', 2, 2],
  ["quantity('1500m').isInteger()", 'false', 2, 2],
  ["quantity('1').add(quantity('500m')).asApproximateFloat()", 'd1.5', 4, 4],
  [
    "quantity('x')",
    "error: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    1,
    1,
  ],
  ["sign(quantity('-1'))", '-1', 2, 2],
  ["isQuantity('1Gi')", 'true', 1, 1],
  ["semver('1.2.3').major()", '1', 2, 2],
  ["semver('1.2.3-rc1').isLessThan(semver('1.2.3'))", 'true', 3, 3],
  ["semver('v1.2', true).patch()", '0', 2, 2],
  ["isSemver('1.2')", 'false', 1, 1],
  ['sets.contains([1,2],[1])', 'true', 23, 3],
  ['sets.equivalent([1,2],[2,1])', 'true', 29, 9],
  ['sets.intersects([1],[2])', 'false', 22, 2],
  ["{'a':1}.?a.orValue(2)", '1', 32, 2],
  ["{'a':1}.?b.orValue(2)", '2', 32, 1],
  ['[1][?3].orValue(2)', '2', 12, 1],
  ['optional.none().hasValue()', 'false', 2, 2],
  ["{?'a': optional.of(1)}.size()", '1', 32, 32],
  ['[?optional.none(), 1].size()', '1', 12, 12],
  ['optional.of(1).optMap(x, x + 1).value()', '2', 18, 8],
  ['optional.none().optMap(x, x + 1).hasValue()', 'false', 18, 4],
  ['optional.of(1).optFlatMap(x, optional.of(x + 1)).value()', '2', 18, 8],
  ["optional.of({'a': {'b': 1}}).a.b.value()", '1', 62, 5],
  ['optional.of(1).or(optional.of(2)).value()', '1', 4, 2],
  ['optional.ofNonZeroValue(0).hasValue()', 'false', 2, 2],
  ["duration('1h') + timestamp('2020-01-01T00:00:00Z') ", 'timestamp 2020-01-01T01:00:00Z', 3, 1],
  ["timestamp('2020-01-01T00:00:00Z').getHours('America/New_York')", '19', 2, 1],
  ["timestamp('2020-01-01T00:00:00Z').getDayOfYear()", '0', 2, 1],
  ["timestamp('2020-03-01T00:00:00Z').getDayOfWeek()", '0', 2, 1],
  ["duration('90m').getHours()", '1', 2, 1],
  ["string(duration('90m'))", '"5400s"', 2, 0],
  ["string(timestamp('2020-01-01T00:00:00.5Z'))", '"2020-01-01T00:00:00.5Z"', 2, 0],
  ["b'abc' == bytes('abc')", 'true', 2, 1],
  ['uint(3) + 2u', '5u', 2, 1],
  ['2u - 3u', 'error: unsigned integer overflow', 1, 1],
  ['1 == 1.0', "problem: 1:3: found no matching overload for '_==_' applied to '(int, double)'"],
  ['1 < 2.5', 'true', 1, 1],
  ['1u < 2', 'true', 1, 1],
  ['dyn(1) == dyn(1u)', 'true', 3, 1],
  ["dyn('a') < 1", 'error: no such overload', 2, 1],
  ["int('0x') ", "instantiation: type conversion error from 'string' to 'int'"],
  ["int('-12')", '-12', 1, 0],
  ['int(1.9)', '1', 1, 0],
  ["double('1e3')", 'd1000', 1, 0],
  ['string(1.5)', '"1.5"', 1, 0],
  ['string(1e30)', '"1e+30"', 1, 0],
  ['string(0.00001)', '"1e-05"', 1, 0],
  ["bool('true')", 'true', 1, 0],
  ["bool('x')", "instantiation: type conversion error from 'string' to 'bool'"],
  ["format.dns1123Label().validate('X').hasValue()", 'true', 34, 10],
  ["format.named('dns1123Label').hasValue()", 'true', 2, 2],
  ["strings.quote('a\"b')", '"\\"a\\\\\\"b\\""', 1, 1],
  ["'aBc'.lowerAscii()", '"abc"', 1, 1],
  ["' a '.trim()", '"a"', 1, 1],
  ["'a,b'.split(',')", '["a", "b"]', 1, 1],
  ["'a,b,c'.split(',', 2)", '["a", "b,c"]', 1, 1],
  ["['a','b'].join('-')", '"a-b"', 'much', 1],
  ["['a','b'].join()", '"ab"', 'much', 1],
  ["'abcabc'.indexOf('c')", '2', 1, 0],
  ["'abcabc'.indexOf('c', 3)", '5', 1, 0],
  ["'abcabc'.lastIndexOf('a')", '3', 1, 0],
  ["'abcabc'.lastIndexOf('a', 2)", '0', 1, 0],
  ['type(1) == int', 'true', 'much', 1],
  ['type([1]) == list', 'true', 'much', 1],
  ["type('a') == string", 'true', 'much', 1],
  ['1 in [1u]', "problem: 1:3: found no matching overload for '@in' applied to '(int, list(uint))'"],
  ['1 in {1: 2}', 'true', 31, 1],
  ["'\\u00e9'.size()", '1', 1, 1],
  ["'😀é'.size()", '2', 1, 1],
  ['[1,2,3].map(x, x > 1, x*2)', '[4, 6]', 69, 35],
  ['[1,2,3].filter(x, x > 1)', '[2, 3]', 66, 33],
  ['[1,2,3].exists_one(x, x == 2)', 'true', 24, 10],
  ['[1,2,3].exists(x, x == 2)', 'true', 29, 16],
  ['[1,2,3].all(x, x < 2)', 'false', 26, 13],
  ['[0,1,2].exists(x, 1/x > 0)', 'true', 32, 18],
  ["has({'a':1}.a)", 'true', 30, 1],
  ["has({'a':1}.b)", 'false', 30, 1],
  ["{'a':1}.b", 'error: no such key: b', 31, 2],
  ['[1][1]', 'error: index out of bounds: 1', 11, 2],
  ['false && (1/0 > 1)', 'false', 2, 0],
  ['(1/0 > 1) && false', 'false', 2, 2],
  ['(1/0 > 1) || false', 'error: division by zero', 2, 2],
  ['1/0', 'error: division by zero', 1, 1],
  ['1%0', 'error: modulus by zero', 1, 1],
  ["r'\\d'", '"\\\\d"', 0, 0],
  ["'a' + 'b' == 'ab'", 'true', 2, 2],
  ['[1] + [2]', '[1, 2]', 21, 1],
  ['[1,2,3].reverse()', '[3, 2, 1]', 24, 14],
  ['[3,1,2].sort()', '[1, 2, 3]', 39, 29],
  ["['b','a'].sortBy(x, x)", '["a", "b"]', 79, 48],
  ['[1,1,2].distinct()', '[1, 2]', 39, 29],
  ['[[1],[2]].flatten()', '[1, 2]', 43, 13],
  ['[[1],[[2]]].flatten(2)', "problem: 1:6: expected type 'list(int)' but found 'list(list(int))'"],
  ['lists.range(3)', '[0, 1, 2]', 14, 14],
  ['[1,2,3].slice(0, 2)', '[1, 2]', 23, 13],
  ['[1,2].first().value()', '1', 12, 2],
  ['[1,2].last().value()', '2', 12, 2],
  ['[].first().hasValue()', 'false', 12, 2],
  ["'abc'.contains('b')", 'true', 1, 1],
  ["'abc'.startsWith('ab')", 'true', 1, 1],
  ["'abc'.endsWith('bc')", 'true', 1, 1],
  ['true ? 1 : 2', '1', 0, 0],
  ["1 > 2 ? 'a' : 'b'", '"b"', 1, 1],
  ['-1', '-1', 0, 0],
  ['--1', '1', 0, 0],
  ['- 1', '-1', 0, 0],
  ['!true', 'false', 1, 1],
  ['!!true', 'true', 0, 0],
  ['"\\x41\\101\\n"', '"AA\\n"', 0, 0],
  ["b'\\xff'", 'bff', 0, 0],
  ["1 + 'a'", "problem: 1:3: found no matching overload for '_+_' applied to '(int, string)'"],
  ['undeclared', "problem: 1:1: undeclared reference to 'undeclared' (in container '')"],
  ["'a'.foo()", "problem: 1:8: undeclared reference to 'foo' (in container '')"],
  ['foo(1)', "problem: 1:4: undeclared reference to 'foo' (in container '')"],
  ["[1, 'a']", "problem: 1:5: expected type 'int' but found 'string'"],
  ["{'a': 1, 'b': 'x'}", "problem: 1:15: expected type 'int' but found 'string'"],
  ["{1: 1, 'b': 1}", "problem: 1:8: expected type 'int' but found 'string'"],
  ["'a'.b", "problem: 1:4: type 'string' does not support field selection"],
  ['1 ? 2 : 3', "problem: 1:3: found no matching overload for '_?_:_' applied to '(int, int, int)'"],
  ["'a' && true", "problem: 1:1: expected type 'bool' but found 'string'"],
  ['self.foo', "problem: 1:1: undeclared reference to 'self' (in container '')"],
  ["timestamp('x')", 'problem: 1:11: invalid timestamp argument'],
  ["duration('x')", 'problem: 1:10: invalid duration argument'],
  ["'a'.matches('(')", 'problem: 1:13: invalid matches argument'],
  [
    '1 +',
    "problem: 1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  ['../a', "problem: 1:2: Syntax error: no viable alternative at input '..'"],
  ['(1', "problem: 1:3: Syntax error: missing ')' at '<EOF>'"],
  ['1 2', "problem: 1:3: Syntax error: extraneous input '2' expecting <EOF>"],
  ['x.all(y, y)', "problem: 1:1: undeclared reference to 'x' (in container '')"],
  ['[1].all(y.z, true)', 'problem: 1:10: argument must be a simple name'],
  ['has(1)', 'problem: 1:5: invalid argument to has() macro'],
  ["{'a':1}['a']", '1', 31, 2],
  ["{'a':1}.a == 1 && [1,2].size() == 2", 'true', 44, 5],
  ['[1,2,3,4,5].map(x, x).size()', '5', 87, 67],
  ['"a" in ["a","b"]', 'true', 12, 0],
  ["'a' != 'b'", 'true', 1, 1],
  ['null == null', 'true', 1, 1],
  ["duration('1s') < duration('2s')", 'true', 3, 1],
  [
    'math.greatest(1,2)',
    "problem: 1:1: undeclared reference to 'math' (in container '') & 1:14: undeclared reference to 'greatest' (in container '')",
  ],
  [
    'cel.bind(x, 1, x)',
    "problem: 1:1: undeclared reference to 'cel' (in container '') & 1:9: undeclared reference to 'bind' (in container '') & 1:10: undeclared reference to 'x' (in container '') & 1:16: undeclared reference to 'x' (in container '')",
  ],
  ['true || false', 'true', 0, 0],
  ['9223372036854775808', 'problem: 1:1: invalid int literal'],
  ['-9223372036854775808', '-9223372036854775808', 0, 0],
  ['18446744073709551615u', '18446744073709551615u', 0, 0],
  ['1.5e400', 'problem: 1:1: invalid double literal'],
  ['0x1F', '31', 0, 0],
  ["'a'.size() == 1 ? true : false", 'true', 2, 2],
  ['[[1,2],[3]].map(x, x.size())', '[2, 1]', 69, 29],
  ['[1,2].map(x, [1,2].map(y, x * y))', '[[1, 2], [2, 4]]', 147, 87],
  ['google.protobuf.Timestamp == type(timestamp(0))', 'true', 'much', 1],
  ["int(timestamp('2020-01-01T00:00:00Z'))", '1577836800', 2, 0],
  ['string(true)', '"true"', 1, 0],
  ["string(b'abc')", '"abc"', 1, 0],
  ["string(b'\\xff')", 'instantiation: invalid UTF-8 in bytes, cannot convert to string'],
  ['package', 'problem: 1:1: reserved identifier: package'],
  ['a.package', "problem: 1:1: undeclared reference to 'a' (in container '')"],
  ['[1,2].all(x, x > 0) && true', 'true', 21, 11],
  ["{'a':1,'b':2}.all(k, k != 'c')", 'true', 41, 11],
  ["'%s'.format([1]) == '1'", 'true', 12, 2],
  ['1.0 / 0.0', 'dInfinity', 1, 1],
  ['0.0 / 0.0 == 0.0 / 0.0', 'false', 3, 3],
  ['-0.0', 'd-0', 0, 0],
  ["duration('1.5s').getMilliseconds()", '1500', 2, 1],
  ["timestamp('0001-01-01T00:00:00Z') - duration('1s')", 'error: timestamp overflow', 3, 1],
  ["dyn({'a': 1}).a", '1', 31, 2],
  ['dyn([1]).all(x, x == 1)', 'true', 17, 6],
  ['dyn(1).a', 'error: no such key: a', 1, 2],
  ['dyn(1).size()', 'error: no such overload: size', 2, 1],
  ["1 == dyn('a')", 'false', 2, 1],
];

test.each(rows)('%s', (...row) => expect(answerOf(`${row[0]}`)).toEqual(row));

describe('whatever somebody writes', () => {
  const pieces = [
    '1',
    '2u',
    "'a'",
    '[',
    ']',
    '(',
    ')',
    '{',
    '}',
    '.',
    '?',
    ':',
    ',',
    '+',
    '&&',
    'x',
    'size',
    'all',
    'has',
    '!',
    '-',
    '\n',
    '"',
    '\\',
  ];

  test('is compiled or refused in words, never anything else', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
        const program = compile(parts.join(''), kubernetes);
        if ('problem' in program) expect(program.problem).not.toBe('');
        else program.run(() => undefined, { costMax: 1_000 });
      }),
    );
  });

  test('is refused when it is nested too deeply or too long', () => {
    expect(compile('('.repeat(300) + ')'.repeat(300), kubernetes)).toMatchObject({
      problem: expect.stringContaining('recursion limit exceeded') as string,
    });
    expect(compile(' '.repeat(100_001), kubernetes)).toMatchObject({
      problem: expect.stringContaining('size exceeds limit') as string,
    });
  });
});

test('what costs too much ends, and nothing passes over that', () => {
  const program = compile('[1,2,3].all(x, [1,2,3].all(y, x == y || x != y)) || true', kubernetes);
  if ('problem' in program) throw new Error(program.problem);
  expect(program.run(() => undefined, { costMax: 20 })).toMatchObject({
    error: 'operation cancelled: actual cost limit exceeded',
    isCostExceeded: true,
  });
  expect(program.run(() => undefined, { costMax: 1_000 })).toMatchObject({ value: true });
});

test('of two errors the first one is told', () => {
  expect(answerOf('1 / 0 > 0 || [1][3] == 1')[1]).toBe('error: division by zero');
  expect(answerOf('[1][3] == 1 && 1 / 0 > 0')[1]).toBe('error: index out of bounds: 3');
});
