import { expect, test } from 'vitest';
import { pointsOf, telling } from './points.ts';

const line = (pod: string, plugin: string, node: string, score: number): string =>
  `I1127 15:47:53.123456   12345 schedule_one.go:821] "Plugin scored node for pod" pod="${pod}" plugin="${plugin}" node="${node}" score=${score}`;

test('points are read out of the log, pod by pod', () => {
  const log = [
    line('default/a', 'NodeAffinity', 'n1', 200),
    line('default/b', 'NodeAffinity', 'n1', 0),
    'I1127 15:47:53.123456   12345 schedule_one.go:831] "Calculated node\'s final score for pod" pod="default/a" node="n1" score=2',
    line('default/a', 'NodeAffinity', 'n2', 0),
    line('default/a', 'TaintToleration', 'n1', -3),
  ].join('\n');
  expect(pointsOf(log, 'default/a')).toEqual(
    new Map([
      [
        'NodeAffinity',
        new Map([
          ['n1', 200],
          ['n2', 0],
        ]),
      ],
      ['TaintToleration', new Map([['n1', -3]])],
    ]),
  );
  expect(pointsOf(log, 'default/c')).toEqual(new Map());
});

test('only differences count', () => {
  const same = new Map([
    ['n1', 300],
    ['n2', 300],
  ]);
  const other = new Map([
    ['n2', 30],
    ['n1', 10],
  ]);
  expect(
    telling(
      new Map([
        ['A', same],
        ['B', other],
      ]),
    ),
  ).toEqual(['B: n1 0, n2 20']);
});
