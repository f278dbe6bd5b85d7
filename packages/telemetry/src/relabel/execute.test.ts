import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  comparedBy,
  executeRelabelling,
  hashedShard,
  type LabelSet,
  labelAfter,
  passage,
  relabelled,
} from './execute.ts';
import type { RelabelRule } from './rule.ts';

const target: LabelSet = { job: 'web', __address__: '10.0.0.1:80', __meta_pod_label_app: 'shop', empty: '' };

test.each<[string, readonly RelabelRule[], LabelSet | undefined]>([
  ['copies a label when nothing else is said', [{ source_labels: ['job'], target_label: 'from' }], { from: 'web' }],
  [
    'joins the sources with a semicolon, or what is given',
    [
      { source_labels: ['job', '__address__'], target_label: 'a' },
      { source_labels: ['job', 'gone', 'job'], separator: '-', target_label: 'b' },
    ],
    { a: 'web;10.0.0.1:80', b: 'web--web' },
  ],
  [
    'leaves the label alone when the expression does not match',
    [{ source_labels: ['job'], regex: 'we', target_label: 'a' }],
    {},
  ],
  [
    'fills in groups by number and by name',
    [
      {
        source_labels: ['__address__'],
        regex: '(?P<host>[^:]+):(\\d+)',
        target_label: 'a',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the replacement of a relabelling rule.
        replacement: '${host}/$2/$$/$3',
      },
    ],
    { a: '10.0.0.1/80/$/' },
  ],
  [
    'takes the longest possible name for the name of a group',
    [{ source_labels: ['job'], regex: '(.*)', target_label: 'a', replacement: '$1x' }],
    {},
  ],
  [
    'fills in groups in the name of the target, and skips what makes no name',
    [
      { source_labels: ['job'], regex: '(.*)', target_label: 'label_$1', replacement: 'one' },
      { source_labels: ['__address__'], regex: '(.*)', target_label: 'label_$1', replacement: 'two' },
    ],
    { label_web: 'one' },
  ],
  ['removes a label by an empty text', [{ target_label: 'job', replacement: '' }], { job: undefined as never }],
  ['keeps what matches', [{ source_labels: ['job'], regex: 'w.b', action: 'keep' }], {}],
  ['keeps only what matches from end to end', [{ source_labels: ['job'], regex: 'w|eb', action: 'keep' }], undefined],
  ['drops what matches', [{ source_labels: ['job'], regex: 'web|db', action: 'drop' }], undefined],
  ['does not drop the rest', [{ source_labels: ['job'], regex: 'db', action: 'drop' }], {}],
  ['takes an absent label for an empty one', [{ source_labels: ['gone'], regex: '', action: 'drop' }], undefined],
  ['takes an empty label for an absent one', [{ regex: 'empty', action: 'labeldrop' }], {}],
  [
    'lets a dot match a line break',
    [
      { target_label: 'a', replacement: 'one\ntwo' },
      { source_labels: ['a'], regex: 'one.two', action: 'keep' },
    ],
    { a: 'one\ntwo' },
  ],
  ['keeps equal ones', [{ source_labels: ['job'], target_label: '__address__', action: 'keepequal' }], undefined],
  ['drops equal ones', [{ source_labels: ['job'], target_label: 'job', action: 'dropequal' }], undefined],
  [
    'changes the case',
    [
      { source_labels: ['job'], target_label: 'a', action: 'uppercase' },
      { source_labels: ['a'], target_label: 'b', action: 'lowercase' },
    ],
    { a: 'WEB', b: 'web' },
  ],
  ['maps names', [{ regex: '__meta_pod_label_(.+)', action: 'labelmap' }], { app: 'shop' }],
  ['drops names', [{ regex: 'j.b', action: 'labeldrop' }], { job: undefined as never }],
  [
    'keeps names',
    [{ regex: 'job', action: 'labelkeep' }],
    { __address__: undefined as never, __meta_pod_label_app: undefined as never },
  ],
  [
    'hashes',
    [{ source_labels: ['__address__'], target_label: 'a', modulus: 1000, action: 'hashmod' }],
    { a: String(hashedShard('10.0.0.1:80', 1000)) },
  ],
])('%s', (_, rules, changes) => {
  const { empty: _empty, ...labels } = target;
  const expected =
    changes && Object.fromEntries(Object.entries({ ...labels, ...changes }).filter(([, value]) => value !== undefined));
  expect(executeRelabelling(target, rules)).toEqual(expected);
});

test('a hash is the end of the MD5, the highest byte first', () => {
  // md5("foo") = acbd18db4cc2f85c edef654fccc4a4d8
  expect(hashedShard('foo', 1000)).toBe(Number(0xedef654fccc4a4d8n % 1000n));
  expect(hashedShard('', 7)).toBe(Number(0xe9800998ecf8427en % 7n));
});

test('an action that does not exist is a mistake of the program, not of the target', () => {
  expect(() => executeRelabelling(target, [{ action: 'twist' }])).toThrow('"twist" is no relabelling action');
});

test('where a target ends is told: the rule, and the labels that it saw', () => {
  const rules: readonly RelabelRule[] = [
    { target_label: 'env', replacement: 'test' },
    { source_labels: ['env', 'job'], regex: 'prod;.*', action: 'keep' },
  ];
  const outcome = relabelled({ job: 'web' }, rules);
  expect(outcome).toEqual({ kept: false, droppedBy: 1, labels: { job: 'web', env: 'test' } });
  expect(comparedBy(rules[1] ?? {}, outcome.labels)).toBe('test;web');
  expect(relabelled({ job: 'web' }, rules.slice(0, 1))).toEqual({ kept: true, labels: { job: 'web', env: 'test' } });
});

test('one label can be asked for', () => {
  const rules: readonly RelabelRule[] = [
    { source_labels: ['job'], target_label: 'from', regex: '(.+)b', replacement: '$1/$0/$2' },
    { source_labels: ['__address__'], regex: '10.*', action: 'keep' },
  ];
  expect(labelAfter(target, rules, 'from')).toBe('we/web/');
  expect(labelAfter(target, rules, 'none')).toBe('');
  expect(labelAfter({ ...target, __address__: '1' }, rules, 'from')).toBeUndefined();
});

const label = fc.constantFrom('a', 'b', 'c', '__tmp_x');
const anyRule: fc.Arbitrary<RelabelRule> = fc.oneof(
  fc.record({
    source_labels: fc.array(label, { minLength: 1, maxLength: 2 }),
    regex: fc.constantFrom('(.*)', '(.+);', '1', '(1|2);?(.*)', ''),
    target_label: label,
    replacement: fc.constantFrom('$1', '', 'x$1', '2'),
  }),
  fc.record({
    source_labels: fc.array(label, { minLength: 1, maxLength: 2 }),
    regex: fc.constantFrom('.*1.*', '', '2|1', '.+;.+'),
    action: fc.constantFrom('keep', 'drop'),
  }),
  fc.record({ regex: fc.constantFrom('a', '[bc]', 'x.*'), action: fc.constantFrom('labeldrop', 'labelkeep') }),
  fc.record({ regex: fc.constantFrom('(a)', '(b)'), replacement: fc.constant('c'), action: fc.constant('labelmap') }),
);
const someLabels = fc.dictionary(label, fc.constantFrom('', '1', '2', '12'), { maxKeys: 4 });
const someRules = fc.array(anyRule, { maxLength: 4 });

test('whoever goes on through more rules comes to where all of them at once lead, each time', () => {
  fc.assert(
    fc.property(
      someLabels,
      someLabels,
      someRules,
      fc.array(someRules, { maxLength: 3 }),
      (labels, given, rules, ways) => {
        const whole = { ...given, ...labels };
        const passed = passage(labels, { given, rules });
        expect(passed !== undefined).toBe(executeRelabelling(whole, rules) !== undefined);
        for (const others of ways) {
          const expected = executeRelabelling(whole, [...rules, ...others]);
          expect(passed?.after(others)).toEqual(expected);
          expect(passed?.isKept(others) ?? false).toBe(expected !== undefined);
          expect(passed?.valuesAfter(others, ['a', 'b'])).toEqual(
            expected && [expected['a'] ?? '', expected['b'] ?? ''],
          );
        }
      },
    ),
    { numRuns: 1_000 },
  );
});
