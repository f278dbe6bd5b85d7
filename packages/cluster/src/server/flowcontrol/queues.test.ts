import { describe, expect, test } from 'vitest';
import { level, type Named, world } from '../../testing/server/seats-world.ts';

describe('flows of one level', () => {
  test('who comes first runs, the next waits, and nobody passes those who wait', () => {
    const { arrive, leave } = world([level('a', { nominal: 1 })]);
    expect([arrive('a', 'x', 'x1'), arrive('a', 'x', 'x2'), arrive('a', 'y', 'y1')]).toEqual([
      'runs',
      'waits',
      'waits',
    ]);
    expect(leave('x1')).toEqual(['y1']);
    expect(leave('y1')).toEqual(['x2']);
    expect(leave('x2')).toEqual([]);
    expect(arrive('a', 'x')).toBe('runs');
  });

  test('one request of a flow waits for one of each other flow at most, however many those have', () => {
    const { arrive, leave } = world([level('a', { nominal: 1 }, { queues: { flowsMax: 9, lengthMax: 50 } })]);
    arrive('a', 'x', 'first');
    for (let index = 0; index < 40; index++) arrive('a', 'x', `x${index}`);
    for (let index = 0; index < 40; index++) arrive('a', 'y', `y${index}`);
    arrive('a', 'z', 'z');
    expect(leave('first')).toEqual(['y0']);
    expect(leave('y0')).toEqual(['z']);
  });

  test('whoever holds seats for long comes less often', () => {
    const w = world([level('a', { nominal: 1 }, { queues: { flowsMax: 9, lengthMax: 50 } })]);
    w.arrive('a', 'slow', 'first');
    for (let index = 0; index < 20; index++) {
      w.arrive('a', 'slow', `slow${index}`);
      w.arrive('a', 'quick', `quick${index}`);
    }
    const order: string[] = [];
    let [current] = w.leave('first');
    while (current !== undefined && order.length < 20) {
      order.push(current.replace(/\d+/, ''));
      w.nowMs += current.startsWith('slow') ? 60 : 10;
      [current] = w.leave(current);
    }
    const slow = order.filter((name) => name === 'slow').length;
    expect(slow).toBeGreaterThanOrEqual(2);
    expect(slow).toBeLessThanOrEqual(5);
  });

  test('a queue has an end, and so has their number: whoever has most makes room', () => {
    const { arrive } = world([level('a', { nominal: 1 }, { queues: { flowsMax: 2, lengthMax: 3 } })]);
    arrive('a', 'x');
    expect([1, 2, 3, 4].map((n) => arrive('a', 'x', `x${n}`))).toEqual(['waits', 'waits', 'waits', 'queue-full']);
    expect(arrive('a', 'y', 'y1')).toBe('waits');
    expect(arrive('a', 'z', 'z1')).toBe('instead of x3');
    expect(arrive('a', 'u', 'u1')).toBe('instead of x2');
    expect(arrive('a', 'v', 'v1')).toBe('queue-full');
  });

  test('a level without queues refuses at once', () => {
    const { arrive } = world([level('a', { nominal: 2 }, { queues: undefined })]);
    expect([1, 2, 3].map(() => arrive('a', 'x'))).toEqual(['runs', 'runs', 'concurrency-limit']);
  });

  test('an exempt level never waits', () => {
    const { arrive } = world([level('a', { nominal: 0, own: 0, most: 0 }, { isExempt: true })]);
    expect(Array.from({ length: 50 }, () => arrive('a', 'x')).every((each) => each === 'runs')).toBe(true);
  });

  test('a level with no share does one request at a time', () => {
    const { arrive } = world([level('a', { nominal: 0 })]);
    expect([arrive('a', 'x'), arrive('a', 'x')]).toEqual(['runs', 'waits']);
  });
});

describe('levels lend each other seats', () => {
  const lender = level('lender', { nominal: 4, own: 2, most: 9 });
  const borrower = level('borrower', { nominal: 2, own: 2, most: 9 });

  test('what is free and not kept, up to what they may have', () => {
    const { arrive } = world([lender, borrower]);
    expect(Array.from({ length: 5 }, () => arrive('borrower', 'x'))).toEqual(['runs', 'runs', 'runs', 'runs', 'waits']);
    // What is its own is there at once.
    expect([arrive('lender', 'y'), arrive('lender', 'y')]).toEqual(['runs', 'runs']);
  });

  test('and get them back with the next that becomes free, before whoever borrowed', () => {
    const { arrive, leave } = world([lender, borrower]);
    for (const name of ['x1', 'x2', 'x3', 'x4', 'x5']) arrive('borrower', 'x', name);
    for (const name of ['y1', 'y2', 'y3']) arrive('lender', 'y', name);
    expect(leave('x1')).toEqual(['y3']);
    expect(arrive('lender', 'y', 'y4')).toBe('waits');
    expect(leave('x2')).toEqual(['y4']);
    expect(leave('x3')).toEqual(['x5']);
  });

  test('who may borrow nothing does not', () => {
    const { arrive } = world([lender, level('poor', { nominal: 1 })]);
    expect([arrive('poor', 'x'), arrive('poor', 'x')]).toEqual(['runs', 'waits']);
  });
});

test('a change of levels acts at once; whoever waits at one that is gone is refused', () => {
  const { queues, arrive, leave } = world([level('a', { nominal: 1 }), level('b', { nominal: 1 })]);
  arrive('a', 'x', 'x1');
  arrive('a', 'x', 'x2');
  arrive('b', 'y', 'y1');
  arrive('b', 'y', 'y2');
  expect(queues.setLevels([level('a', { nominal: 2 })]).map(({ name }) => name)).toEqual(['y2']);
  expect(queues.next(0).map(({ name }) => name)).toEqual(['x2']);
  expect(arrive('b', 'y')).toBe('concurrency-limit');
  expect(leave('y1')).toEqual([]);
  expect([...queues.levels()].map((state) => state.level.name)).toEqual(['a']);
});

describe('a request may take several seats', () => {
  const wide = { seats: 3 };

  test('it waits until there are so many, and nobody passes it', () => {
    const { arrive, leave } = world([level('a', { nominal: 4 })]);
    expect([arrive('a', 'x', 'x1'), arrive('a', 'x', 'x2')]).toEqual(['runs', 'runs']);
    expect([arrive('a', 'y', 'y1', wide), arrive('a', 'z', 'z1')]).toEqual(['waits', 'waits']);
    expect(leave('x1')).toEqual(['y1']);
    expect(leave('x2')).toEqual(['z1']);
  });

  test('and gives all of them back', () => {
    const { queues, arrive, leave } = world([level('a', { nominal: 3 })]);
    arrive('a', 'x', 'x1', wide);
    expect([...queues.levels()].map(({ executing, taken }) => [executing, taken])).toEqual([[1, 3]]);
    expect([1, 2, 3].map((n) => arrive('a', 'y', `y${n}`))).toEqual(['waits', 'waits', 'waits']);
    expect(leave('x1')).toEqual(['y1', 'y2', 'y3']);
  });

  test('what it waits for is lent to no other level', () => {
    const owner = level('owner', { nominal: 4, own: 1, most: 9 });
    const { arrive, leave } = world([owner, level('other', { nominal: 2, own: 2, most: 9 })]);
    expect([1, 2, 3, 4, 5].map((n) => arrive('other', 'o', `o${n}`))).toEqual(Array.from({ length: 5 }, () => 'runs'));
    expect(arrive('owner', 'x', 'x1', { seats: 4 })).toBe('waits');
    expect(arrive('other', 'o', 'o6')).toBe('waits');
    expect([leave('o1'), leave('o2'), leave('o3')]).toEqual([[], [], ['x1']]);
    expect(leave('o4')).toEqual(['o6']);
  });

  test('a flow pays for each of them', () => {
    const w = world([level('a', { nominal: 4 }, { queues: { flowsMax: 9, lengthMax: 50 } })]);
    w.arrive('a', 'wide', 'first', { seats: 4 });
    for (let index = 0; index < 9; index++) {
      w.arrive('a', 'wide', `wide${index}`, { seats: 4 });
      for (let each = 0; each < 4; each++) w.arrive('a', 'narrow', `narrow${index}-${each}`, { seats: 4 });
    }
    w.nowMs += 20;
    w.leave('first');
    let narrow = 0;
    for (let [name = ''] = w.running.keys(); name.startsWith('narrow'); [name = ''] = w.running.keys()) {
      narrow++;
      w.nowMs += 5;
      w.leave(name);
    }
    expect(narrow).toBeGreaterThanOrEqual(3);
  });

  test('one that is wider than its level became meanwhile still runs', () => {
    const { queues, arrive, leave } = world([level('a', { nominal: 4 })]);
    arrive('a', 'x', 'x1', { seats: 4 });
    arrive('a', 'x', 'x2', { seats: 4 });
    queues.setLevels([level('a', { nominal: 2 })]);
    expect(leave('x1')).toEqual(['x2']);
  });
});

test('whoever gives up waits no longer, and nobody is passed over for it', () => {
  const { queues, arrive, leave } = world([level('a', { nominal: 1 })]);
  arrive('a', 'x', 'x1');
  const turn: Named = { name: 'x2', level: 'a', flow: 'x', arrivedMs: 0, startedMs: 0 };
  queues.arrive(turn, 0);
  arrive('a', 'y', 'y1');
  expect([queues.giveUp(turn), queues.giveUp(turn)]).toEqual([true, false]);
  expect(leave('x1')).toEqual(['y1']);
});
