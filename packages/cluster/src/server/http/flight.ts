import type { StatusError } from '../../api/status.ts';
import type { Clock } from '../../base/clock.ts';
import type { Share } from '../access/share.ts';
import { tooMany } from '../flowcontrol/too-many.ts';

/**
 * Bounds what is under way at once: bodies that still come, reads, writes, watches. Beyond that a request is refused at once
 * (429), so that no queue can grow. Every limit counts three times: for a connection, for a user, and for the share that a
 * request belongs to, so that nobody takes everything. Who dawdles makes room: where a place is missing, the oldest body or
 * read that has been there for a second gives up its own, and before that the newest of whoever has most of them.
 */
export interface Flight {
  /** Throws a 429 when there is no room. */
  enter(kind: FlightKind, passenger: Passenger): Seat;
}

/** `body`: it still comes. `write`: the body is there, the work is being done; its bytes count until it is. */
export type FlightKind = 'body' | 'read' | 'write' | 'watch';

export interface Passenger {
  readonly share: Share;
  readonly user: string;
  /** Requests over one connection show the same object. */
  readonly connection: object;
  /** Told with the refusal when the place is needed for others. */
  yields(reason: StatusError): void;
}

export interface Seat {
  /** More bytes of the body are there. Throws a 429 when they are too many. */
  hold(bytes: number): void;
  /** The body is complete. Throws a 429 when there is no room for a write. */
  becomeWrite(): void;
  leave(): void;
}

export interface FlightLimits {
  /** Bodies at once that still come. */
  readonly bodiesMax: number;
  /** What bodies hold, until their writes are done. */
  readonly bodiesBytesMax: number;
  readonly readsMax: number;
  readonly writesMax: number;
  readonly watchesMax: number;
}

/** How much of a share's limit one of them may take. */
const parts = { connection: 0.5, user: 0.75, share: 1 } as const;
/** What the limits are multiplied with. */
const shares: Readonly<Record<Share, number>> = { ordinary: 1, system: 0.5, 'leader-election': 0.25 };
const yieldAfterMs = 1_000;

interface Taken {
  kind: FlightKind;
  bytes: number;
  readonly sinceMs: number;
  readonly passenger: Passenger;
  readonly scopes: readonly Scope[];
}

/** A connection, a user or a share: what it may take and what it has, oldest first. */
interface Scope {
  readonly factor: number;
  readonly seats: Readonly<Record<FlightKind, Set<Taken>>>;
  bytes: number;
  /** Seats of all kinds: an empty scope is forgotten. */
  count: number;
}

export function createFlight(limits: FlightLimits, { clock }: { readonly clock: Clock }): Flight {
  const scopes = createScopes();

  const makeRoom = (asked: Asked): void => {
    for (;;) {
      const verdict = roomFor(asked, limits, clock.nowMs());
      if (verdict.is === 'room') return;
      if (verdict.is === 'none' || verdict.of === asked.by) throw tooMany();
      remove(verdict.of);
      verdict.of.passenger.yields(tooMany());
    }
  };
  const remove = (seat: Taken): void => {
    if (!isTaken(seat)) return;
    for (const scope of seat.scopes) {
      scope.seats[seat.kind].delete(seat);
      scope.bytes -= seat.bytes;
      scope.count--;
    }
    scopes.forgetEmpty(seat.passenger);
  };

  return {
    enter(kind, passenger) {
      const around = scopes.of(passenger);
      try {
        makeRoom({ scopes: around, kind, bytes: 0, by: undefined, connection: passenger.connection });
      } catch (error) {
        scopes.forgetEmpty(passenger);
        throw error;
      }
      // Room may have been made by the last seat of a scope, which is forgotten by now.
      const seat: Taken = { kind, bytes: 0, sinceMs: clock.nowMs(), passenger, scopes: scopes.of(passenger) };
      for (const scope of seat.scopes) {
        scope.seats[kind].add(seat);
        scope.count++;
      }
      return {
        hold(bytes) {
          if (!isTaken(seat)) throw tooMany();
          makeRoom({ scopes: seat.scopes, kind: undefined, bytes, by: seat, connection: passenger.connection });
          seat.bytes += bytes;
          for (const scope of seat.scopes) scope.bytes += bytes;
        },
        becomeWrite() {
          if (!isTaken(seat)) throw tooMany();
          makeRoom({ scopes: seat.scopes, kind: 'write', bytes: 0, by: seat, connection: passenger.connection });
          for (const scope of seat.scopes) {
            scope.seats[seat.kind].delete(seat);
            scope.seats.write.add(seat);
          }
          seat.kind = 'write';
        },
        leave: () => remove(seat),
      };
    },
  };
}

/** Whether it has neither been left nor been given to others. */
function isTaken(seat: Taken): boolean {
  return seat.scopes[0]?.seats[seat.kind].has(seat) === true;
}

interface Asked {
  readonly scopes: readonly Scope[];
  /** Undefined: a place is there already, only bytes are asked for. */
  readonly kind: FlightKind | undefined;
  readonly bytes: number;
  readonly by: Taken | undefined;
  readonly connection: object;
}

type Room = { readonly is: 'room' } | { readonly is: 'instead'; readonly of: Taken } | { readonly is: 'none' };

/** Whether what is asked for fits, and if not, who makes room for it. Pure. */
function roomFor({ scopes, kind, bytes, connection }: Asked, limits: FlightLimits, nowMs: number): Room {
  for (const { factor, seats, bytes: held } of scopes) {
    if (kind !== undefined && seats[kind].size >= Math.ceil(factor * limitOf(kind, limits)))
      return instead(seats[kind], { nowMs, other: () => greediest(seats[kind], connection) });
    if (bytes > 0 && held + bytes > factor * limits.bodiesBytesMax) return instead(seats.body, { nowMs });
  }
  return { is: 'room' };
}

/** A write cannot be taken back, and a watch is meant to last. */
function instead(
  seats: ReadonlySet<Taken>,
  { nowMs, other }: { readonly nowMs: number; other?(): Taken | undefined },
): Room {
  const [oldest] = seats;
  if (oldest === undefined || oldest.kind === 'write' || oldest.kind === 'watch') return { is: 'none' };
  const of = nowMs - oldest.sinceMs < yieldAfterMs ? other?.() : oldest;
  return of === undefined ? { is: 'none' } : { is: 'instead', of };
}

/** The newest of the connection that has most, if it has at least two more than the one that asks. */
function greediest(seats: ReadonlySet<Taken>, connection: object): Taken | undefined {
  const byConnection = new Map<object, { count: number; newest: Taken }>();
  for (const seat of seats) {
    const of = byConnection.get(seat.passenger.connection);
    byConnection.set(seat.passenger.connection, { count: (of?.count ?? 0) + 1, newest: seat });
  }
  const [most] = [...byConnection.values()].sort((a, b) => b.count - a.count);
  const own = byConnection.get(connection)?.count ?? 0;
  return most !== undefined && most.count >= own + 2 ? most.newest : undefined;
}

function limitOf(kind: FlightKind, { bodiesMax, readsMax, writesMax, watchesMax }: FlightLimits): number {
  return { body: bodiesMax, read: readsMax, write: writesMax, watch: watchesMax }[kind];
}

interface Scopes {
  /** The narrowest first, so that whoever is greedy makes room before anybody else does. */
  of(passenger: Passenger): readonly Scope[];
  forgetEmpty(passenger: Passenger): void;
}

function createScopes(): Scopes {
  // A connection and a user may take part in several shares.
  const known = {} as Record<Share, Map<unknown, Scope>>;
  for (const share of Object.keys(shares) as Share[]) known[share] = new Map();
  const keysOf = ({ connection, user, share }: Passenger): readonly (readonly [unknown, number])[] => [
    [connection, parts.connection],
    [`user ${user}`, parts.user],
    [share, parts.share],
  ];
  return {
    of(passenger) {
      const { share } = passenger;
      return keysOf(passenger).map(([key, part]) => {
        const scope = known[share].get(key) ?? emptyScope(part * shares[share]);
        known[share].set(key, scope);
        return scope;
      });
    },
    forgetEmpty(passenger) {
      const scopes = known[passenger.share];
      for (const [key] of keysOf(passenger)) if (scopes.get(key)?.count === 0) scopes.delete(key);
    },
  };
}

function emptyScope(factor: number): Scope {
  const seats = { body: new Set<Taken>(), read: new Set<Taken>(), write: new Set<Taken>(), watch: new Set<Taken>() };
  return { factor, seats, bytes: 0, count: 0 };
}
