import { expect, test } from 'vitest';
import { differences } from './differences.ts';

const container = (name: string, image: string): object => ({ name, image });

test.each<readonly [string, unknown, unknown, readonly string[]]>([
  ['nothing', { a: 1 }, { a: 1 }, []],
  ['a value', { a: { b: 1 } }, { a: { b: 2 } }, ['a.b: 1 → 2']],
  ['what comes and goes', { a: 1 }, { b: 2 }, ['a: 1 → undefined', 'b: undefined → 2']],
  ['not set and undefined are the same', { a: undefined }, {}, []],
  ['a key that is no word', { labels: { 'a.b/c': 'x' } }, { labels: { 'a.b/c': 'y' } }, ['labels[a.b/c]: x → y']],
  ['members by number', { args: ['a', 'b'] }, { args: ['a', 'c'] }, ['args[1]: b → c']],
  [
    'members by name',
    { containers: [container('a', '1'), container('b', '1')] },
    { containers: [container('b', '2'), container('a', '1')] },
    ['containers (order): undefined → undefined', 'containers[b].image: 1 → 2'],
  ],
  ['a list in place of a word', { a: 'x' }, { a: ['x'] }, ['a: x → x']],
])('%s', (_, before, after, expected) => {
  expect(
    differences(before, after).map((each) => `${each.path}: ${String(each.before)} → ${String(each.after)}`),
  ).toEqual(expected);
});
