import { expect, test } from 'vitest';
import { fromOpenApiV3 } from '../api/schema/node.ts';
import { showValue } from '../testing/cel/show.ts';
import { compile } from './compile.ts';
import { extend, kubernetesStored } from './environment.ts';
import { declare } from './types/declared.ts';
import type { Value } from './values/value.ts';

/*
 * Expressions about an object with a schema: what they give, what they cost at most by the sizes that the schema allows, and
 * what they have cost. As the libraries of Kubernetes 1.34 answered when they were asked.
 */
const schema = {
  type: 'object',
  properties: {
    s: { type: 'string', maxLength: 20 },
    t: { type: 'string' },
    i: { type: 'integer' },
    n: { type: 'number' },
    b: { type: 'boolean' },
    d: { type: 'string', format: 'duration' },
    ts: { type: 'string', format: 'date-time' },
    by: { type: 'string', format: 'byte' },
    date: { type: 'string', format: 'date' },
    l: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 5 } },
    ul: { type: 'array', items: { type: 'integer' } },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    ml: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: { type: 'integer' } } },
    },
    m: { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 5 },
    mi: { type: 'object', additionalProperties: { type: 'integer' } },
    o: {
      type: 'object',
      properties: {
        'a-b': { type: 'string' },
        namespace: { type: 'string' },
        x: { type: 'integer' },
        'c.d': { type: 'boolean' },
        __u: { type: 'string' },
      },
    },
    ios: { 'x-kubernetes-int-or-string': true },
    e: { type: 'string', enum: ['aa', 'bbbb'] },
    nul: { type: 'string', nullable: true },
    emb: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    pu: { 'x-kubernetes-preserve-unknown-fields': true },
  },
};

const self = {
  s: 'hello',
  t: 'world',
  i: 5,
  n: 1.5,
  b: true,
  d: '1h',
  ts: '2020-01-01T00:00:00Z',
  by: 'aGk=',
  date: '2020-02-03',
  l: ['a', 'b', 'c'],
  ul: [1, 2, 3, 4],
  set: ['x', 'y'],
  ml: [
    { k: 'a', v: 1 },
    { k: 'b', v: 2 },
  ],
  m: { p: 'q', r: 's' },
  mi: { one: 1 },
  o: { 'a-b': 'z', namespace: 'ns', x: 7, 'c.d': true, __u: 'u' },
  ios: 5,
  e: 'aa',
  nul: null,
  emb: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'n' }, spec: { a: 1 } },
  pu: { q: 1 },
};
const old = {
  ...self,
  s: 'old',
  set: ['y', 'x'],
  ml: [
    { k: 'b', v: 2 },
    { k: 'a', v: 1 },
  ],
};

const declared = declare(fromOpenApiV3(schema), { isResource: false, name: 'selfType1' });
if (declared === undefined) throw new Error('the schema declares a type');
const variable = { type: declared.type, declared };
const environment = extend(kubernetesStored, {
  variables: new Map([
    ['self', variable],
    ['oldSelf', variable],
  ]),
});

type Row = readonly [expression: string, answer: string, costMax?: number | 'much', cost?: number];

function answerOf(expression: string): Row {
  const program = compile(expression, environment);
  if ('problem' in program) {
    const lines = program.problem.split('\n').filter((line) => line.startsWith('ERROR'));
    return [expression, `problem: ${lines.map((line) => line.replace('ERROR: <input>:', '')).join(' & ')}`];
  }
  const given = (name: string): Value | undefined => declared?.read(name === 'self' ? self : old);
  const outcome = program.run(given, { costMax: 1_000_000 });
  const costMax = program.costMax(declared);
  const answer = 'error' in outcome ? `error: ${outcome.error}` : showValue(outcome.value);
  return [expression, answer, costMax > 1e15 ? 'much' : costMax, outcome.cost];
}

const rows: readonly Row[] = [
  ["self.s == 'hello'", 'true', 3, 3],
  ['self.s.size() <= 20', 'true', 4, 4],
  ['self.t.contains(self.s)', 'false', 2516588, 5],
  ['self.l.all(x, x.size() < 3)', 'true', 63, 21],
  ['self.l.all(x, self.l.exists(y, y == x))', 'true', 863, 69],
  ['self.ul.all(x, x > 0)', 'true', 7864318, 23],
  ['self.ul.map(x, x * 2).sum() > 3', 'true', 23592959, 64],
  ["self.ml.all(x, x.k.startsWith('a') || x.v == 2)", 'true', 2516579, 18],
  ['self.m.all(k, self.m[k].size() > 0)', 'true', 48, 19],
  ['self.mi.all(k, self.mi[k] == 1)', 'true', 3145726, 10],
  ["self.o.a__dash__b == 'z'", 'true', 4, 4],
  ["self.o.__namespace__ == 'ns'", 'true', 4, 4],
  ['self.o.c__dot__d', 'true', 3, 3],
  ["self.o.__underscores__u == 'u'", 'true', 4, 4],
  ['self.ios == 5', 'true', 3, 3],
  ["self.ios == '5'", 'false', 3, 3],
  ["type(self.ios) == int ? self.ios > 3 : self.ios.contains('%')", 'true', 314579, 7],
  ["self.ios.contains('x')", 'error: no such overload', 314575, 3],
  ["self.e == 'aa'", 'true', 3, 3],
  ['has(self.nul)', 'false', 1, 1],
  ['has(self.s)', 'true', 1, 1],
  ['has(self.o.x) && self.o.x == 7', 'true', 5, 6],
  ["self.emb.kind == 'Pod'", 'true', 4, 4],
  ["self.emb.metadata.name == 'n'", 'true', 5, 5],
  ['self.emb.spec.a == 1', "problem: 1:9: undefined field 'spec'"],
  ['self.pu.q == 1', "problem: 1:5: undefined field 'pu'"],
  ['self.set == oldSelf.set', 'true', 104862, 5],
  ['self.ml == oldSelf.ml', 'true', 31462, 5],
  ["self.set + ['x','z']", '["x", "y", "z"]', 13, 3],
  ['self.ul + [9]', '[1, 2, 3, 4, 9]', 13, 3],
  ["self.d > duration('30m')", 'true', 4, 3],
  ["self.ts > timestamp('2019-01-01T00:00:00Z')", 'true', 4, 3],
  ['self.date.getMonth()', '1', 3, 3],
  ["self.by == b'hi'", 'true', 3, 3],
  ['self.n > 1', 'true', 3, 3],
  ['self.n == 1.5', 'true', 2, 3],
  ['self.i + 1', '6', 3, 3],
  ['self.i + self.n', "problem: 1:8: found no matching overload for '_+_' applied to '(int, double)'"],
  ['self.i / 0', 'error: division by zero', 3, 3],
  ['self.i % 2 == 1', 'true', 4, 4],
  ['self.l[0]', '"a"', 3, 3],
  ['self.l[5]', 'error: index out of bounds: 5', 3, 3],
  ["self.m['p']", '"q"', 3, 3],
  ['self.m.p', '"q"', 3, 3],
  ["self.m['zz']", 'error: no such key: zz', 3, 3],
  ["'p' in self.m", 'true', 3, 3],
  ["self.l.exists(x, x in ['a','z'])", 'true', 173, 11],
  ['self.s in self.l', 'false', 14, 7],
  ["self.s.matches('^h[a-z]+$')", 'true', 29, 5],
  ['self.t.matches(self.s)', 'false', 6291464, 6],
  ["self.s.replace('l','L')", '"heLLo"', 18, 3],
  ["self.s.split('l').size()", '3', 19, 4],
  ["self.l.join(',')", '"a,b,c"', 23, 3],
  ['self.s + self.t', '"helloworld"', 314585, 5],
  ["self.t.lowerAscii() == 'world'", 'true', 314576, 4],
  ["self.l.filter(x, x != 'a').size() == 2", 'true', 165, 37],
  ["self.l.map(x, x + 'z')", '["az", "bz", "cz"]', 173, 45],
  ['self.ul.filter(x, x > 1).map(y, y * y).all(z, z > 3)', 'true', 55050230, 112],
  ["self.l.exists_one(x, x == 'a')", 'true', 44, 12],
  ["self.l == ['a','b','c']", 'true', 13, 3],
  ["self.m == {'p':'q','r':'s'}", 'true', 33, 3],
  ['self == oldSelf', 'false', 2, 5],
  ['self.o == oldSelf.o', 'true', 4, 5],
  ['!has(self.o.zz)', "problem: 1:5: undefined field 'zz'"],
  ['self.zz', "problem: 1:5: undefined field 'zz'"],
  ['self.b && self.i > 3', 'true', 5, 5],
  ['self.b ? self.s : self.t', '"hello"', 4, 3],
  ['(self.b ? self.l : self.set).size()', '3', 5, 4],
  ['(self.b ? self.o : self.o).x', '7', 5, 4],
  ["self.?s.orValue('x')", '"hello"', 3, 2],
  ['self.?nul.hasValue()', 'false', 3, 2],
  ['self.?o.?x.orValue(0)', '7', 4, 3],
  ['self.o.?x.orValue(0) + 1', '8', 5, 4],
  ["self.l[?0].orValue('q')", '"a"', 4, 3],
  ["self.l[?9].orValue('q')", '"q"', 4, 2],
  ["self.m[?'p'].orValue('n')", '"q"', 4, 3],
  ['self.l.transformList(i, v, i > 0, v)', '["b", "c"]', 163, 35],
  ['self.m.transformMap(k, v, v + k).size()', '2', 1572924, 16],
  ['self.l.size() == self.ul.size() - 1', 'true', 8, 8],
  ['self.ul.isSorted()', 'true', 1572865, 6],
  ['self.ul.max() - self.ul.min()', '3', 3145731, 13],
  ['self.ul.indexOf(3)', '2', 1572865, 6],
  ['self.l.sort()', '["a", "b", "c"]', 223, 31],
  ['self.ml.map(x, x.v).sum()', '3', 4718593, 33],
  ["self.ml.filter(x, x.k == 'a')[0].v", '1', 5033167, 25],
  [
    'quantity(self.t).isInteger()',
    "error: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    314576,
    4,
  ],
  ['isQuantity(self.s)', 'false', 10, 3],
  [
    'url(self.t).getHost()',
    'error: URL parse error during conversion from string: parse "world": invalid URI for request',
    314576,
    4,
  ],
  ['isURL(self.t)', 'false', 3, 3],
  [
    'ip(self.s).family()',
    'error: IP Address "hello" parse error during conversion from string: ParseAddr("hello"): unable to parse IP',
    11,
    4,
  ],
  [
    'cidr(self.s).containsIP(self.t)',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("hello"): no \'/\'',
    314589,
    7,
  ],
  ["self.l.all(x, self.t.find(x) == '')", 'true', 15728713, 24],
  ["'%s-%d'.format([self.s, self.i])", '"hello-5"', 15, 15],
  ['format.dns1123Label().validate(self.s).hasValue()', 'false', 260, 12],
  ['semver(self.s).major()', 'error: No Major.Minor.Patch elements found', 11, 4],
  ['sets.contains(self.l, self.set)', 'false', 10485755, 11],
  ['self.l.distinct().size()', '3', 214, 32],
  ['self.l.reverse()', '["c", "b", "a"]', 23, 16],
  ['self.l.slice(0,2)', '["a", "b"]', 15, 15],
  [
    'self.ul.map(x, self.ul.map(y, x*y)).flatten()',
    '[1, 2, 3, 4, 2, 4, 6, 8, 3, 6, 9, 12, 4, 8, 12, 16]',
    37108511145997,
    318,
  ],
  ["self.l.all(x, x.matches('a+')) || self.l.size() > 100", 'false', 77, 19],
  ['self.m.map(k, self.m[k])', '["q", "s"]', 93, 33],
  ['self.s.substring(1, 3)', '"el"', 10, 3],
  ['self.s[0]', "problem: 1:7: found no matching overload for '_[_]' applied to '(string, int)'"],
  ['self.i.foo', "problem: 1:7: type 'int' does not support field selection"],
  ['self.l.foo', "problem: 1:7: type 'list(string)' does not support field selection"],
  ['self.s + 1', "problem: 1:8: found no matching overload for '_+_' applied to '(string, int)'"],
  ['self.l.all(x, x > 1)', "problem: 1:17: found no matching overload for '_>_' applied to '(string, int)'"],
  ['self.nul == null', "problem: 1:10: found no matching overload for '_==_' applied to '(string, null)'"],
  ['self.o == null', 'false', 2, 3],
  ['oldSelf.s != self.s', 'true', 12, 5],
  ['dyn(self.s) == 5', 'false', 4, 4],
  ['self.m.all(k, k.size() < 5 && self.m[k] in self.l)', 'false', 113, 19],
  ['string(self.i) + self.s', '"5hello"', 'much', 6],
  ['int(self.t)', "error: type conversion error from 'string' to 'int'", 3, 3],
  ['self.ul.exists(x, x == 2 && self.ul.exists(y, y == x + 1))', 'true', 17317298700290, 48],
  ["self.l.all(i, v, i < 3 && v != '')", 'true', 63, 21],
  ['self.ml.sortBy(x, x.v).map(x, x.k)', '["a", "b"]', 1583293094999, 81],
  ['self.ts.getFullYear() == 2020', 'true', 4, 4],
  ['self.d.getHours() == 1', 'true', 4, 4],
  ['bytes(self.s).size()', '5', 11, 4],
  ['self.by.size()', '2', 3, 3],
  ['self.s < self.t', 'true', 12, 5],
  ['self.s.startsWith(self.t)', 'false', 314577, 5],
  ['self.s.trim().upperAscii().charAt(0)', '"H"', 19, 5],
  ["self.l.indexOf('c')", '2', 32, 2],
  ["self.t.indexOf('o')", '1', 314575, 2],
  ['[self.s, self.t].all(x, x.size() > 0)', 'true', 27, 27],
  ["{'a': self.s}.a", '"hello"', 33, 34],
  ['{self.s: self.i}[self.s]', '5', 37, 37],
  ['[self.i, self.i].sum()', '10', 16, 16],
  ['self.o.x in [1, 7]', 'true', 15, 3],
  ["self.s in ['a','hello']", 'true', 14, 2],
  ['self.ul.all(x, x in self.ul)', 'true', 2473907453950, 43],
  ['self.i == 5 && self.n == 1.5 || self.b', 'true', 6, 6],
  ['self.set.all(x, x in oldSelf.set)', 'true', 1099515822078, 19],
  ["self.l.map(x, {'k': x}).all(y, y.k != '')", 'true', 494, 148],
  ['type(self) == type(oldSelf)', 'true', 'much', 5],
  ['self.emb.metadata.labels', "problem: 1:18: undefined field 'labels'"],
  ['self.l.last().value()', '"c"', 4, 4],
  ['optional.of(self.s).optMap(x, x.size()).orValue(0)', '5', 22, 11],
  ["self.?m['p'].orValue('')", '"q"', 4, 3],
  ["self.e.matches('a|b')", 'true', 3, 3],
  ["self.l.findAll('a')", "problem: 1:15: found no matching overload for 'findAll' applied to 'list(string).(string)'"],
];

test.each(rows)('%s', (...row) => expect(answerOf(`${row[0]}`)).toEqual(row));

test('only variables that are named are read', () => {
  const program = compile('self.i > 1', environment);
  if ('problem' in program) throw new Error(program.problem);
  expect([...program.uses]).toEqual(['self']);
});
