import { describe, expect, test } from 'vitest';
import { countsInZone, createZones, defaultPace, type Zones } from './zones.ts';

let nowMs = 0;
function setUp(): Zones {
  nowMs = 0;
  return createZones({ nowMs: () => nowMs, pace: { ...defaultPace, gatherMs: 0 } });
}

/** `count` nodes `a-0` … of a zone, the first `down` of them in trouble. Returns who was woken last. */
function fill(
  zones: Zones,
  zone: string,
  { count, down }: { readonly count: number; readonly down: number },
): readonly string[] {
  let woken: readonly string[] = [];
  for (let index = 0; index < count; index++) zones.set(`${zone}-${index}`, { zone, isReady: true });
  for (let index = 0; index < down; index++) woken = [...zones.set(`${zone}-${index}`, { zone, isReady: false })];
  return woken;
}

/** When each has its turn, if they ask now and nothing else happens; undefined: never. */
function turns(zones: Zones, names: readonly string[]): readonly (number | undefined)[] {
  const sinceMs = nowMs;
  const had = new Map<string, number>();
  const ask = (name: string): void => {
    const turn = zones.ask(name);
    if (turn.is === 'unknown') return;
    if (turn.is === 'later') {
      nowMs = turn.atMs;
      ask(name);
      return;
    }
    had.set(name, had.get(name) ?? nowMs);
    if (turn.next !== undefined) ask(turn.next);
  };
  for (const name of names) ask(name);
  nowMs = sinceMs;
  return names.map((name) => had.get(name));
}

test('the first node in trouble loses its pods at once, the next ones ten seconds apart', () => {
  const zones = setUp();
  fill(zones, 'a', { count: 10, down: 3 });
  expect(turns(zones, ['a-0', 'a-1', 'a-2', 'a-1'])).toEqual([0, 10_000, 20_000, 10_000]);
  nowMs = 60_000;
  zones.leave('a-0');
  zones.set('a-3', { zone: 'a', isReady: false });
  expect(turns(zones, ['a-3'])).toEqual([60_000]);
});

test('a turn is given some time before it comes, so that many that fall at once are judged together', () => {
  const zones = createZones({ nowMs: () => nowMs, pace: { ...defaultPace, gatherMs: 5_000 } });
  nowMs = 0;
  fill(zones, 'a', { count: 4, down: 2 });
  expect(zones.ask('a-0')).toEqual({ is: 'later', atMs: 5_000 });
  nowMs = 4_000;
  fill(zones, 'a', { count: 0, down: 3 });
  nowMs = 5_000;
  expect(turns(zones, ['a-0', 'a-1'])).toEqual([undefined, undefined]);
});

describe('a zone with most nodes in trouble', () => {
  test.each<[string, { readonly count: number; readonly down: number }, readonly (number | undefined)[]]>([
    ['two of three are no sign of anything', { count: 3, down: 2 }, [0, 10_000]],
    ['below the share all is as always', { count: 10, down: 5 }, [0, 10_000]],
    ['a small zone stops', { count: 10, down: 6 }, [undefined, undefined]],
    ['a large zone goes on slowly', { count: 100, down: 55 }, [0, 100_000]],
    ['nobody at all is ready: everything stops', { count: 4, down: 4 }, [undefined, undefined]],
  ])('%s', (_, nodes, expected) => {
    const zones = setUp();
    fill(zones, 'a', nodes);
    expect(turns(zones, ['a-0', 'a-1'])).toEqual(expected);
  });

  test('is judged by those of its nodes that are meant to stay', () => {
    const zones = setUp();
    const zone = 'a';
    const set = (name: string, counts: boolean): unknown => zones.set(name, { zone, isReady: false, counts });
    zones.set('well', { zone, isReady: true });
    for (const name of ['x', 'y', 'z']) set(name, false);
    expect(turns(zones, ['x', 'y', 'z'])).toEqual([0, 10_000, 20_000]);
    for (const name of ['x', 'y', 'z']) set(name, true);
    expect(turns(zones, ['x', 'y', 'z'])).toEqual([undefined, undefined, undefined]);
    zones.remove('well');
    expect(zones.isAllDown).toBe(true);
    for (const name of ['x', 'y', 'z']) set(name, false);
    expect(zones.isAllDown).toBe(false);
    expect([countsInZone({}), countsInZone({ 'node.kubernetes.io/exclude-disruption': '' })]).toEqual([true, false]);
  });

  test('does not concern another zone', () => {
    const zones = setUp();
    fill(zones, 'a', { count: 10, down: 6 });
    fill(zones, 'b', { count: 10, down: 1 });
    expect(turns(zones, ['a-0', 'b-0'])).toEqual([undefined, 0]);
  });

  test('a whole zone that is gone beside a healthy one is believed', () => {
    const zones = setUp();
    fill(zones, 'b', { count: 3, down: 0 });
    fill(zones, 'a', { count: 5, down: 5 });
    expect([zones.isAllDown, ...turns(zones, ['a-0', 'a-1'])]).toEqual([false, 0, 10_000]);
  });

  test('wakes who waits first when it recovers, whose turn comes after a pause', () => {
    const zones = setUp();
    fill(zones, 'a', { count: 10, down: 6 });
    expect(turns(zones, ['a-0', 'a-1', 'a-5'])).toEqual([undefined, undefined, undefined]);
    nowMs = 60_000;
    expect([...zones.set('a-5', { zone: 'a', isReady: true })]).toEqual(['a-0']);
    expect(turns(zones, ['a-0', 'a-1'])).toEqual([70_000, 80_000]);
  });

  test('gives no turn any more that was to come before it was disrupted', () => {
    const zones = setUp();
    fill(zones, 'a', { count: 10, down: 5 });
    zones.ask('a-0');
    expect(zones.ask('a-1')).toEqual({ is: 'later', atMs: 10_000 });
    zones.set('a-6', { zone: 'a', isReady: false });
    nowMs = 10_000;
    expect(turns(zones, ['a-1'])).toEqual([undefined]);
  });
});

test('who is well again before its turn gives its place to the next one, who is woken', () => {
  const zones = setUp();
  fill(zones, 'a', { count: 20, down: 10 });
  for (let index = 0; index < 10; index++) zones.ask(`a-${index}`);
  const isReady = true;
  const woken = [1, 2, 3].map((index) => [...zones.set(`a-${index}`, { zone: 'a', isReady })]);
  expect(woken).toEqual([['a-2'], ['a-3'], ['a-4']]);
  expect([...zones.remove('a-4')]).toEqual(['a-5']);
  expect([...zones.set('a-5', { zone: 'b', isReady: false })]).toEqual(['a-6']);
  expect([...zones.leave('a-6')]).toEqual(['a-7']);
  expect(turns(zones, ['a-7'])).toEqual([10_000]);
});

test('when the last node falls, and when the first one rises, everybody is looked at', () => {
  const zones = setUp();
  expect(new Set(fill(zones, 'a', { count: 4, down: 4 }))).toEqual(new Set(['a-0', 'a-1', 'a-2', 'a-3']));
  expect(zones.isAllDown).toBe(true);
  expect([...zones.set('a-3', { zone: 'a', isReady: true })]).toHaveLength(4);
  expect(zones.isAllDown).toBe(false);
});

test('removed nodes do not count', () => {
  const zones = setUp();
  fill(zones, 'a', { count: 4, down: 3 });
  expect(turns(zones, ['a-0'])).toEqual([undefined]);
  nowMs = 60_000;
  expect([...zones.remove('a-1')]).toEqual(['a-0']);
  expect(turns(zones, ['a-0'])).toEqual([70_000]);
  zones.remove('a-3');
  expect(zones.isAllDown).toBe(true);
});

test('a node may move to another zone', () => {
  const zones = setUp();
  fill(zones, 'a', { count: 1, down: 1 });
  expect(zones.isAllDown).toBe(true);
  zones.set('b-0', { zone: 'b', isReady: true });
  zones.set('a-0', { zone: 'b', isReady: false });
  expect([zones.isAllDown, ...turns(zones, ['a-0'])]).toEqual([false, 0]);
});
