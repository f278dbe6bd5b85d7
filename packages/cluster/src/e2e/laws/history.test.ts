import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import type { WatchEvent } from '../../api/operation.ts';
import {
  bookmarkFaults,
  type Change,
  canonical,
  contentFaults,
  expectedChanges,
  fold,
  lines,
  orderFaults,
  stateAt,
  type View,
} from './history.ts';

function made(revision: number, name: string, color?: string): KubeObject {
  const labels = color === undefined ? {} : { color };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', uid: name, resourceVersion: String(revision), labels },
  } as unknown as KubeObject;
}

const added = (revision: number, name: string, color?: string): Change => ({
  type: 'ADDED',
  object: made(revision, name, color),
});
const modified = (revision: number, name: string, color?: string): Change => ({
  type: 'MODIFIED',
  object: made(revision, name, color),
});
const deleted = (revision: number, name: string, color?: string): Change => ({
  type: 'DELETED',
  object: made(revision, name, color),
});
const bookmark = (revision: number): Change => ({ type: 'BOOKMARK', object: made(revision, '') });
const gone = { type: 'ERROR', object: { code: 410 } } as unknown as WatchEvent;

const everything: View = { has: () => true };
const red: View = { has: ({ metadata }) => metadata.labels?.['color'] === 'red' };
const recording = [
  added(1, 'a', 'red'),
  added(2, 'b'),
  modified(3, 'a', 'blue'),
  modified(4, 'a', 'red'),
  deleted(5, 'a', 'red'),
];

test.each<[string, number, View, string]>([
  [
    'all of it',
    0,
    everything,
    'ADDED default/a@1, ADDED default/b@2, MODIFIED default/a@3, MODIFIED default/a@4, DELETED default/a@5',
  ],
  ['what is newer', 3, everything, 'MODIFIED default/a@4, DELETED default/a@5'],
  [
    'what enters and leaves a selection',
    0,
    red,
    'ADDED default/a@1, DELETED default/a@3, ADDED default/a@4, DELETED default/a@5',
  ],
  ['leaving, for who begins inside', 1, red, 'DELETED default/a@3, ADDED default/a@4, DELETED default/a@5'],
  ['nothing of another namespace', 0, { ...everything, namespace: 'other' }, ''],
])('a correct watch shows %s', (_what, from, view, expected) => {
  expect(lines(expectedChanges(recording, from, view))).toBe(expected);
});

test('what leaves a selection is shown as it was inside', () => {
  const [, left] = expectedChanges(recording, 0, red);
  expect(left?.object.metadata).toMatchObject({ resourceVersion: '3', labels: { color: 'red' } });
});

test('a state is what a list and the changes after it add up to', () => {
  expect([...stateAt(recording, 4).keys()]).toEqual(['default/a', 'default/b']);
  expect([...stateAt(recording, 4, red).keys()]).toEqual(['default/a']);
  expect([...fold([made(1, 'a')], recording.slice(1)).keys()]).toEqual(['default/b']);
});

describe('faults are found:', () => {
  const expected = expectedChanges(recording, 0, everything);

  test.each<[string, readonly WatchEvent[], readonly string[]]>([
    ['none in a correct recording', [...recording, bookmark(5), gone], []],
    ['an event that comes twice', [added(1, 'a'), added(1, 'a')], ['ADDED at 1 came after 1']],
    ['an event that comes late', [added(2, 'b'), added(1, 'a')], ['ADDED at 1 came after 2']],
    ['a bookmark that goes back', [added(2, 'b'), bookmark(1)], ['BOOKMARK at 1 came after 2']],
    ['an event after a bookmark that promised it was shown', [bookmark(2), added(2, 'b')], ['ADDED at 2 came after 2']],
  ])('%s', (_what, events, faults) => {
    expect([...orderFaults(events)]).toEqual(faults);
  });

  test('a bookmark before what it promises', () => {
    expect([...bookmarkFaults([added(1, 'a'), bookmark(2)], expected)]).toEqual([
      'the bookmark at 2 came before the event at 2',
    ]);
    expect([...bookmarkFaults([...recording, bookmark(9)], expected)]).toEqual([]);
  });

  test.each<[string, readonly WatchEvent[], RegExp | undefined]>([
    ['none in a correct recording', [...recording, bookmark(5)], undefined],
    ['none when it was cut off by a 410', [...recording.slice(0, 2), gone], undefined],
    ['a hole', [...recording.slice(0, 2), ...recording.slice(3)], /4 events instead of 5/],
    ['a hole before a 410', [...recording.slice(0, 2), ...recording.slice(3), gone], /event 2 is/],
    ['an end that is missing', recording.slice(0, 4), /4 events instead of 5/],
    ['an event too many', [...recording, added(6, 'c')], /6 events instead of 5/],
    ['a wrong type', [modified(1, 'a', 'red'), ...recording.slice(1)], /event 0 is/],
    ['another content', [added(1, 'a', 'green'), ...recording.slice(1)], /event 0 is/],
  ])('%s', (_what, events, fault) => {
    const faults = [...contentFaults(events, expected)];
    if (fault === undefined) expect(faults).toEqual([]);
    else expect(faults.join()).toMatch(fault);
  });
});

test('the order of members does not count, that of items does', () => {
  expect(canonical({ a: 1, b: { d: 1, c: 2 } })).toBe(canonical({ b: { c: 2, d: 1 }, a: 1 }));
  expect(canonical([1, 2])).not.toBe(canonical([2, 1]));
});
