import { expect, test } from 'vitest';
import { NodeTurns } from './node-turns.ts';

function turnsOf(nodes: Readonly<Record<string, string>>): NodeTurns<string> {
  const turns = new NodeTurns<string>();
  for (const [node, zone] of Object.entries(nodes)) turns.put(node, zone);
  return turns;
}

test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ['none', {}, []],
  ['one zone, as they joined', { n2: '', n1: '', n3: '' }, ['n2', 'n1', 'n3']],
  [
    'of each zone one, until it has no more',
    { a1: 'a', a2: 'a', a3: 'a', b1: 'b', c1: 'c', b2: 'b' },
    ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'],
  ],
])('%s', (_, nodes, expected) => expect(turnsOf(nodes).all).toEqual(expected));

test('a node may move to another zone, and go', () => {
  const turns = turnsOf({ a1: 'a', a2: 'a', b1: 'b' });
  turns.put('a1', 'b');
  expect(turns.all).toEqual(['a2', 'b1', 'a1']);
  turns.remove('a2');
  turns.remove('never there');
  expect(turns.all).toEqual(['b1', 'a1']);
});

test('the list is the same one until something changes', () => {
  const turns = turnsOf({ a1: 'a', b1: 'b' });
  const before = turns.all;
  turns.put('a1', 'a');
  expect(turns.all).toBe(before);
  turns.put('a1', 'b');
  expect(turns.all).not.toBe(before);
});
