import { expect, test } from 'vitest';
import { unrenderedFields } from './unrendered.ts';

const rendered = {
  whole: 'elsewhere',
  line: { as: 'a_line' },
  nothing: 'no effect',
  mode: { only: ['Address'] },
  nested: { members: { known: 'elsewhere', deeper: { members: { known: 'elsewhere' } } } },
  list: { members: { known: 'elsewhere' } },
};

test.each<[string, unknown, readonly string[]]>([
  ['all is well', { whole: { any: 1 }, line: { any: 1 }, nested: { known: 1 } }, []],
  ['a field of which nothing comes', { nothing: 1 }, ['spec.nothing']],
  ['a field that nobody renders', { thanos: {} }, ['spec.thanos']],
  ['a switch that is off is still a wish', { other: false, number: 0 }, ['spec.other', 'spec.number']],
  ['what says nothing is no wish', { a: null, b: '', c: [], d: undefined }, []],
  ['the value that holds anyway', { mode: 'Address' }, []],
  ['another value', { mode: 'Topology' }, ['spec.mode']],
  [
    'a member',
    { nested: { known: 1, other: 2, deeper: { known: 1, other: 2 } } },
    ['spec.nested.other', 'spec.nested.deeper.other'],
  ],
  ['a member of an item', { list: [{ known: 1 }, { other: 1 }] }, ['spec.list[1].other']],
  [
    'names that objects inherit are names like others',
    { constructor: 1, toString: 1 },
    ['spec.constructor', 'spec.toString'],
  ],
])('%s', (_, spec, expected) => {
  expect([...unrenderedFields(spec, rendered, 'spec')]).toEqual(expected);
});
