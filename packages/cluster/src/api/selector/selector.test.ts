import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freeze } from '../../base/freeze.ts';
import { root } from '../issue.ts';
import { StatusError } from '../status.ts';
import {
  compileSelector,
  compileUnmet,
  formatSelector,
  matchesNodeSelectorTerms,
  matchesRequirement,
  parseFieldSelector,
  parseLabelSelector,
  validateSelector,
} from './selector.ts';

const web = { app: 'web', tier: 'front', size: '10' };

describe('a selector object', () => {
  test('that is absent matches nothing, and an empty one everything', () => {
    expect(compileSelector(undefined)(web)).toBe(false);
    expect(compileSelector(null)(web)).toBe(false);
    expect(compileSelector({})(web)).toBe(true);
    expect(compileSelector({ matchLabels: {}, matchExpressions: [] })(undefined)).toBe(true);
  });

  test.each([
    [{ matchLabels: { app: 'web' } }, true],
    [{ matchLabels: { app: 'web', tier: 'back' } }, false],
    [{ matchExpressions: [{ key: 'app', operator: 'In', values: ['db', 'web'] }] }, true],
    [{ matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['db', 'web'] }] }, false],
    [{ matchExpressions: [{ key: 'none', operator: 'NotIn', values: ['x'] }] }, true],
    [{ matchExpressions: [{ key: 'none', operator: 'Exists' }] }, false],
    [{ matchExpressions: [{ key: 'none', operator: 'DoesNotExist' }] }, true],
    [{ matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] }, false],
    [{ matchExpressions: [{ key: 'app', operator: 'Sounds' }] }, false],
    [{ matchLabels: { constructor: 'x' } }, false],
  ])('%j', (selector, expected) => {
    expect(compileSelector(selector)(web)).toBe(expected);
  });

  test('names the first requirement that is not met, labels by key first', () => {
    const expressions = [
      { key: 'tier', operator: 'NotIn', values: ['front'] },
      { key: 'size', operator: 'Exists' },
    ];
    const unmet = compileUnmet({ matchLabels: { size: '9', app: 'db' }, matchExpressions: expressions });
    expect(unmet(web)).toEqual({ key: 'app', operator: 'In', values: ['db'] });
    expect(unmet({ ...web, app: 'db' })).toEqual({ key: 'size', operator: 'In', values: ['9'] });
    expect(unmet({ ...web, app: 'db', size: '9' })).toBe(expressions[0]);
    expect(unmet({ app: 'db', size: '9' })).toBeUndefined();
    expect(unmet(undefined)).toMatchObject({ key: 'app' });
    expect(compileUnmet({})(undefined)).toBeUndefined();
  });

  test('says the same whether it is asked for yes or no, or for why not', () => {
    const keys = fc.constantFrom('a', 'b', 'toString');
    const values = fc.constantFrom('1', '2', '');
    const selectors = fc.record({
      matchLabels: fc.dictionary(keys, values),
      matchExpressions: fc.array(
        fc.record({
          key: keys,
          operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist', 'Near'),
          values: fc.array(values, { maxLength: 2 }),
        }),
        { maxLength: 3 },
      ),
    });
    fc.assert(
      fc.property(selectors, fc.dictionary(keys, values), (selector, labels) => {
        expect(compileUnmet(selector)(labels) === undefined).toBe(compileSelector(selector)(labels));
      }),
    );
  });

  test('is compiled once when it is frozen, and afresh when it may change', () => {
    const frozen = freeze({ matchLabels: { app: 'web' } });
    expect(compileSelector(frozen)).toBe(compileSelector(frozen));
    const labels = { app: 'web' };
    const open = { matchLabels: labels };
    expect(compileSelector(open)(web)).toBe(true);
    labels.app = 'db';
    expect(compileSelector(open)(web)).toBe(false);
  });

  test('has a text that reads back as the same selector', () => {
    const selector = {
      matchLabels: { b: '1', a: '2' },
      matchExpressions: [
        { key: 'z', operator: 'In', values: ['y', 'x'] },
        { key: 'n', operator: 'NotIn', values: ['q'] },
        { key: 'e', operator: 'Exists' },
        { key: 'd', operator: 'DoesNotExist' },
      ],
    };
    const text = formatSelector(selector);
    expect(text).toBe('a=2,b=1,!d,e,n notin (q),z in (x,y)');
    const matches = parseLabelSelector(text);
    const labels = { a: '2', b: '1', e: '', z: 'x' };
    for (const given of [labels, { ...labels, d: '1' }, { ...labels, n: 'q' }, { ...labels, z: 'w' }]) {
      expect(matches(given)).toBe(compileSelector(selector)(given));
    }
    expect(formatSelector({})).toBe('');
    expect(formatSelector(undefined)).toBe('');
  });
});

describe('a selector text', () => {
  test.each([
    ['', true],
    ['app=web', true],
    ['app==web', true],
    ['app!=web', false],
    ['none!=web', true],
    ['app in (web, db)', true],
    ['app in (web),tier notin (back)', true],
    ['app notin (web)', false],
    ['app', true],
    ['!app', false],
    ['! none', true],
    [' app = web , tier = front ', true],
    ['size>9', true],
    ['size<9', false],
    ['app=', false],
    ['none in (,a)', false],
    ['in=in', false],
    ['example.com/role', false],
  ])('%j', (text, expected) => {
    expect(parseLabelSelector(text)(web)).toBe(expected);
  });

  test('may ask for an empty value', () => {
    expect(parseLabelSelector('app=')({ app: '' })).toBe(true);
    expect(parseLabelSelector('app in (,x)')({ app: '' })).toBe(true);
  });

  test('an empty set holds the empty value', () => {
    const matches = parseLabelSelector('a in ()');
    expect([{ a: '' }, { a: 'b' }, {}].map((labels) => matches(labels))).toEqual([true, false, false]);
  });

  test.each([
    'a in (b',
    'a in b',
    'a=b,,c',
    'a,',
    ',a',
    '!',
    'a b',
    'a=b=c',
    'a>x',
    '=b',
    'a in (b c)',
    '-a=b',
    'a=-b',
    'a/b/c',
  ])('%j is refused with 400', (text) => {
    expect(() => parseLabelSelector(text)).toThrow(StatusError);
    try {
      parseLabelSelector(text);
    } catch (error) {
      expect((error as StatusError).code).toBe(400);
      expect((error as StatusError).message).toMatch(/^unable to parse requirement: |^found '.*', expected: /);
    }
  });
});

test.each([
  ['a in (', "found '', expected: ',', ')' or identifier"],
  ['a in (=', "found '=', expected: ',', ')' or identifier"],
  ['a in (b', "found '', expected: ',' or ')'"],
  ['a in (b,', "found '', expected: ',', or identifier"],
  ['a in (b,=', "found '=', expected: ',', or identifier"],
])('of %j is told what was found, and what may stand there', (text, told) => {
  expect(() => parseLabelSelector(text)).toThrow(told);
});

test('a selector text of any length is refused quickly', () => {
  expect(() => parseLabelSelector('a'.repeat(200_000))).toThrow('longer than 16384 characters');
});

describe('a field selector', () => {
  test('is a list of conditions', () => {
    expect(parseFieldSelector('metadata.name=x,status.phase!=Running,spec.nodeName==n')).toEqual([
      { path: 'metadata.name', operator: '=', value: 'x' },
      { path: 'status.phase', operator: '!=', value: 'Running' },
      { path: 'spec.nodeName', operator: '=', value: 'n' },
    ]);
    expect(parseFieldSelector('')).toEqual([]);
    expect(parseFieldSelector('spec.nodeName=')).toEqual([{ path: 'spec.nodeName', operator: '=', value: '' }]);
  });

  test('escapes with a backslash', () => {
    expect(parseFieldSelector('a=b\\,c\\=d\\\\,e=f')).toEqual([
      { path: 'a', operator: '=', value: 'b,c=d\\' },
      { path: 'e', operator: '=', value: 'f' },
    ]);
  });

  test.each(['x', ''])('nothing but what separates can be escaped: %j', (after) =>
    expect(() => parseFieldSelector(`a=\\${after}`)).toThrow(
      `invalid field selector: invalid escape sequence: \\${after}`,
    ),
  );

  test.each(['a', 'a=b=c', '=b'])('%j is refused', (text) => {
    expect(() => parseFieldSelector(text)).toThrow(/^invalid selector/);
  });
});

describe('node selector terms', () => {
  const node = { labels: { zone: 'a', cpus: '16' }, fields: { 'metadata.name': 'node-1' } };
  const matches = (terms: Parameters<typeof matchesNodeSelectorTerms>[0]) => matchesNodeSelectorTerms(terms, node);

  test('are alternatives', () => {
    expect(matches([{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['b'] }] }])).toBe(false);
    expect(
      matches([
        { matchExpressions: [{ key: 'zone', operator: 'In', values: ['b'] }] },
        { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] },
      ]),
    ).toBe(true);
  });

  test('match nothing when they are absent or empty', () => {
    expect(matches(undefined)).toBe(false);
    expect(matches([])).toBe(false);
    expect(matches([{}])).toBe(false);
  });

  test('need all conditions of a term', () => {
    const name = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] };
    expect(matches([{ ...name, matchExpressions: [{ key: 'zone', operator: 'Exists' }] }])).toBe(true);
    expect(matches([{ ...name, matchExpressions: [{ key: 'zone', operator: 'DoesNotExist' }] }])).toBe(false);
  });

  test.each([
    ['Gt', ['15'], true],
    ['Gt', ['16'], false],
    ['Lt', ['17'], true],
    ['Lt', ['x'], false],
    ['Gt', ['1', '2'], false],
    ['Gt', [], false],
  ])('%s %j compares integers', (operator, values, expected) => {
    expect(matchesRequirement({ key: 'cpus', operator, values }, node.labels)).toBe(expected);
  });
});

test('validation names the field and the mend', () => {
  const issues = [
    ...validateSelector(
      {
        matchLabels: { 'bad key': 'x', ok: '-' },
        matchExpressions: [
          { key: 'a', operator: 'In' },
          { key: 'a', operator: 'Exists', values: ['b'] },
          { key: 'a', operator: 'Near' },
        ],
      },
      root('spec', 'selector'),
    ),
  ];
  expect(issues.map(({ field, message }) => `${field}: ${message.slice(0, 45)}`)).toEqual([
    'spec.selector.matchLabels: Invalid value: "bad key": name part must cons',
    'spec.selector.matchLabels: Invalid value: "-": a valid label must be an ',
    'spec.selector.matchExpressions[0].values: Required value: must be specified when `opera',
    'spec.selector.matchExpressions[1].values: Forbidden: may not be specified when `operato',
    'spec.selector.matchExpressions[2].operator: Invalid value: "Near": not a valid selector o',
  ]);
  expect([...validateSelector(undefined, root)]).toEqual([]);
});
