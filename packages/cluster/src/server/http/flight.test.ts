import { describe, expect, test } from 'vitest';
import type { StatusError } from '../../api/status.ts';
import { createVirtualClock, type VirtualClock } from '../../testing/virtual-clock.ts';
import { shareOf } from '../access/share.ts';
import { createFlight, type Flight, type FlightKind, type FlightLimits, type Passenger } from './flight.ts';

const roomy: FlightLimits = { bodiesMax: 100, bodiesBytesMax: 1_000, readsMax: 100, writesMax: 100, watchesMax: 100 };

interface World {
  readonly clock: VirtualClock;
  readonly flight: Flight;
  /** Who gave up a place, by the user's name. */
  readonly yielded: string[];
  passenger(user: string, rest?: Partial<Passenger>): Passenger;
  /** How many get in before one is refused. */
  count(kind: FlightKind, each: (index: number) => Passenger): number;
}

function world(limits: Partial<FlightLimits> = {}): World {
  const clock = createVirtualClock();
  const flight = createFlight({ ...roomy, ...limits }, { clock });
  const yielded: string[] = [];
  return {
    clock,
    flight,
    yielded,
    passenger: (user, rest = {}) => ({
      share: 'ordinary',
      user,
      connection: {},
      yields: () => yielded.push(user),
      ...rest,
    }),
    count(kind, each) {
      for (let index = 0; ; index++) {
        try {
          flight.enter(kind, each(index));
        } catch {
          return index;
        }
      }
    },
  };
}

function refusalOf(work: () => unknown): object {
  try {
    work();
  } catch (error) {
    return (error as StatusError).status;
  }
  return {};
}

const tooMany = {
  code: 429,
  reason: 'TooManyRequests',
  message: 'Too many requests, please try again later.',
  details: { retryAfterSeconds: 1 },
};

test('what is beyond the limit is told to come back in a second', () => {
  const { flight, passenger } = world({ readsMax: 1 });
  const seat = flight.enter('read', passenger('a'));
  expect(refusalOf(() => flight.enter('read', passenger('b')))).toMatchObject(tooMany);
  flight.enter('write', passenger('b'));
  seat.leave();
  flight.enter('read', passenger('b'));
});

describe('nobody takes everything', () => {
  test.each<FlightKind>(['body', 'read', 'write', 'watch'])('%s', (kind) => {
    const connection = {};
    expect(world().count(kind, () => world().passenger('a', { connection }))).toBe(50);
    const { count, passenger } = world();
    expect(count(kind, () => passenger('a'))).toBe(75);
    expect(count(kind, (index) => passenger(`user-${index}`))).toBe(25);
    expect(count(kind, () => passenger('node', { share: 'system' }))).toBe(38);
    expect(count(kind, () => passenger('a', { share: 'leader-election' }))).toBe(19);
  });
});

describe('who dawdles makes room', () => {
  test('the oldest of its connection first, once it has been there for a second', async () => {
    const { flight, passenger, clock, yielded } = world({ bodiesMax: 4 });
    const connection = {};
    flight.enter('body', passenger('first'));
    flight.enter('body', passenger('second', { connection }));
    flight.enter('body', passenger('third', { connection }));
    await clock.advance(999);
    expect(() => flight.enter('body', passenger('fourth', { connection }))).toThrow(tooMany.message);
    await clock.advance(1);
    flight.enter('body', passenger('fourth', { connection }));
    expect(yielded).toEqual(['second']);
    flight.enter('body', passenger('fifth'));
    flight.enter('body', passenger('sixth'));
    expect(yielded).toEqual(['second', 'first']);
  });

  test('and at once the newest of a connection that has many, for one that has few', () => {
    const { flight, passenger, yielded } = world({ bodiesMax: 4 });
    const connection = {};
    flight.enter('body', passenger('first', { connection }));
    flight.enter('body', passenger('second', { connection }));
    flight.enter('body', passenger('a'));
    flight.enter('body', passenger('b'));
    flight.enter('body', passenger('c'));
    expect(yielded).toEqual(['second']);
    // All have one now.
    expect(() => flight.enter('body', passenger('d'))).toThrow(tooMany.message);
  });

  test('reads do, writes and watches do not', async () => {
    const { flight, passenger, clock, yielded } = world({ readsMax: 1, writesMax: 1, watchesMax: 1 });
    for (const kind of ['read', 'write', 'watch'] as const) flight.enter(kind, passenger(kind));
    await clock.advance(60_000);
    flight.enter('read', passenger('b'));
    expect(() => flight.enter('write', passenger('b'))).toThrow(tooMany.message);
    expect(() => flight.enter('watch', passenger('b'))).toThrow(tooMany.message);
    expect(yielded).toEqual(['read']);
  });

  test('leaving afterwards frees nothing twice, and nothing more is taken', async () => {
    const { flight, passenger, clock } = world({ bodiesMax: 1 });
    const late = flight.enter('body', passenger('late'));
    await clock.advance(1_000);
    const seat = flight.enter('body', passenger('b'));
    expect(refusalOf(() => late.hold(1))).toMatchObject(tooMany);
    expect(refusalOf(() => late.becomeWrite())).toMatchObject(tooMany);
    late.leave();
    expect(() => flight.enter('body', passenger('c'))).toThrow(tooMany.message);
    seat.leave();
    flight.enter('body', passenger('c'));
  });
});

describe('bytes', () => {
  test('count until the write is done', () => {
    const { flight, passenger } = world();
    const users = ['a', 'b'];
    const seats = users.map((user) => flight.enter('body', passenger(user)));
    for (const seat of seats) seat.hold(500);
    expect(refusalOf(() => seats[0]?.hold(1))).toMatchObject(tooMany);
    seats[1]?.becomeWrite();
    expect(refusalOf(() => flight.enter('body', passenger('c')).hold(1))).toMatchObject(tooMany);
    seats[1]?.leave();
    flight.enter('body', passenger('c')).hold(500);
  });

  test('of one connection are bounded, and its oldest bodies make room for its own', async () => {
    const { flight, passenger, clock, yielded } = world();
    const connection = {};
    flight.enter('body', passenger('first', { connection })).hold(400);
    await clock.advance(1_000);
    const next = flight.enter('body', passenger('second', { connection }));
    next.hold(400);
    expect(yielded).toEqual(['first']);
    await clock.advance(1_000);
    // Nobody makes room for oneself.
    expect(refusalOf(() => next.hold(400))).toMatchObject(tooMany);
    expect(yielded).toEqual(['first']);
  });
});

test.each([
  ['jane', [], '', 'pods', 'ordinary'],
  ['admin', ['system:masters'], '', 'pods', 'ordinary'],
  ['jane', [], 'coordination.k8s.io', 'leases', 'leader-election'],
  ['jane', [], 'example.com', 'leases', 'ordinary'],
  ['system:node:a', ['system:nodes'], '', 'nodes', 'system'],
  ['system:kube-scheduler', [], '', 'pods', 'system'],
  ['system:serviceaccount:kube-system:x', ['system:serviceaccounts:kube-system'], '', 'pods', 'system'],
])('%s of %j asks for %s/%s: %s', (name, groups, group, resource, share) => {
  expect(shareOf({ name, groups }, { group, resource })).toBe(share);
});
