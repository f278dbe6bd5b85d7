import type { User } from '../../api/operation.ts';
import type { Passing } from '../../api/passing.ts';
import { abortWith } from '../../base/signal.ts';
import type { Share } from '../access/share.ts';
import type { Access } from '../context/authorizer.ts';
import type { Flow } from '../flowcontrol/configuration.ts';
import type { Gate } from '../flowcontrol/in-flight.ts';
import type { Flight, FlightKind, Seat } from './flight.ts';
import type { HandlerOptions, Incoming } from './handler.ts';

/** A request that was let in. */
export interface Passage {
  readonly incoming: Incoming;
  readonly user: User;
  readonly options: HandlerOptions;
  readonly flight: Flight;
  /** Absent where nobody has to wait for others. */
  readonly turn: TurnOf | undefined;
}

/** Whose turn a request waits for. */
export interface TurnOf {
  readonly control: Gate;
  readonly flow: Flow;
  readonly access: Access;
  /** How many seats it takes; the default is one. */
  readonly seats?: number | undefined;
}

/** Does the work once it is its turn. Throws a 429 where too many wait already, or it waited too long. */
export async function inTurn<T>({ turn, incoming }: Passage, work: () => Promise<T>): Promise<T> {
  if (turn === undefined) return work();
  const entered = turn.control.enter(turn.flow, { access: turn.access, seats: turn.seats, signal: incoming.signal });
  const place = entered instanceof Promise ? await entered : entered;
  try {
    return await work();
  } finally {
    place.leave();
  }
}

export function timeLimitMs(
  { timeoutMs = Infinity }: { readonly timeoutMs?: number },
  { limits }: HandlerOptions,
): number {
  return Math.min(limits.requestTimeoutMs, timeoutMs);
}

export interface Seated {
  readonly seat: Seat;
  /** Aborts with the request, when the place is needed for others, and when the time for the work is up. */
  readonly controller: AbortController;
}

export function takeSeat(kind: FlightKind, share: Share, { incoming, user, flight }: Passage): Seated {
  // Nothing else is done for a request that brings a body.
  const controller = (kind === 'body' ? incoming.controller : undefined) ?? following(incoming.signal);
  const seat = flight.enter(kind, {
    share,
    user: user.name,
    connection: incoming.connection,
    yields: (reason) => controller.abort(reason),
  });
  return { seat, controller };
}

function following(signal: AbortSignal): AbortController {
  const controller = new AbortController();
  abortWith(signal, controller);
  return controller;
}

/** The request for whoever answers it, with this path. */
export function passingOf(
  path: string,
  { incoming }: Passage,
  { seat, signal }: { readonly seat: Seat; readonly signal: AbortSignal },
): Passing {
  const { method, target, headers } = incoming.head;
  const question = target.indexOf('?');
  return {
    ...{ method, path, headers },
    query: question < 0 ? '' : target.slice(question + 1),
    upgrades: incoming.upgrades,
    body: () => incoming.body({ hold: seat.hold, signal }),
    // It may last as long as the client likes.
    signal: incoming.signal,
  };
}
