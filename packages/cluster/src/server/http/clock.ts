import { badRequest, failure, StatusError } from '../../api/status.ts';
import { fromStrictTimestamp } from '../../base/clock.ts';
import type { DrivenClock } from '../../base/driven-clock.ts';
import { durationMs, formatDuration } from '../../base/duration.ts';
import { jsonAnswer } from './codec/answer.ts';
import type { Query } from './codec/query.ts';
import type { Route } from './route.ts';

/** What is shown of a plane's clock. */
export interface ClockFacts {
  /** False: it is the computer's, and nobody moves it. */
  readonly virtual: boolean;
  /** RFC 3339 with milliseconds. */
  readonly now: string;
  /** Where it is being moved to. */
  readonly target?: string;
}

export interface ClockDoor {
  nowMs(): number;
  /** Undefined: it is the computer's. */
  readonly driven?: DrivenClock;
  /** Called after it was moved, before that is answered. */
  readonly moved?: () => Promise<void>;
}

/** Further, and a mistyped unit would keep a machine busy for days. */
const advanceMsMax = 10 * 365 * 24 * 60 * 60 * 1000;
const paceMsMax = 60_000;

/**
 * `GET /signalbox/clock` tells the time; `POST ?advance=72h` or `?to=2027-01-01T00:00:00Z` moves it and answers when all that
 * fell due is done. With `pace=50ms` programs outside get so much real time at each moment. When the client goes away, it
 * stops where it is.
 */
export function clockRoute({ nowMs, driven, moved }: ClockDoor): Route {
  const facts = (): ClockFacts => ({
    virtual: driven !== undefined,
    now: new Date(nowMs()).toISOString(),
    ...(driven?.targetMs !== undefined && { target: new Date(driven.targetMs).toISOString() }),
  });
  return {
    path: '/signalbox/clock',
    covers: 'path',
    methods: ['GET', 'POST'],
    // It lasts as long as it takes.
    seat: 'none',
    async answer({ method, query, signal }) {
      if (method === 'GET') return jsonAnswer(200, facts());
      if (driven === undefined)
        throw new StatusError(
          failure(
            405,
            'MethodNotAllowed',
            'the clock is the computer’s and cannot be moved; start the cluster with up --virtual',
          ),
        );
      const targetMs = targetOf(query, driven.nowMs());
      const paceMs = paceOf(query);
      if (driven.targetMs !== undefined) throw new StatusError(beingMoved(driven.targetMs));
      await driven.moveTo(targetMs, { paceMs, signal });
      await moved?.();
      return jsonAnswer(200, facts());
    },
  };
}

function beingMoved(targetMs: number): ReturnType<typeof failure> {
  return failure(
    409,
    'Conflict',
    `the clock is being moved to ${new Date(targetMs).toISOString()}; wait until it is there`,
  );
}

function targetOf(query: Query, nowMs: number): number {
  const [advance, to] = [unescaped(query.get('advance')), unescaped(query.get('to'))];
  if ((advance === null) === (to === null)) throw refused('say how far: ?advance=72h, or ?to=2027-01-01T00:00:00Z');
  const targetMs = advance === null ? fromStrictTimestamp(to ?? '') : nowMs + (durationMs(advance) ?? Number.NaN);
  if (Number.isNaN(targetMs))
    throw refused(
      advance === null
        ? `${JSON.stringify(to)} is no time such as 2027-01-01T00:00:00Z`
        : `${JSON.stringify(advance)} is no duration such as 90s, 11m or 72h`,
    );
  if (targetMs < nowMs) throw refused(`time only goes forward, and it is ${new Date(nowMs).toISOString()}`);
  if (targetMs - nowMs > advanceMsMax) throw refused(`at most ${formatDuration(advanceMsMax)} at once`);
  return targetMs;
}

/** `?advance=+72h` and `+01:00` reach us with a space for the plus that nobody escaped. */
function unescaped(text: string | null): string | null {
  return text?.replace(' ', '+') ?? null;
}

function paceOf(query: Query): number {
  const text = query.get('pace');
  if (text === null) return 0;
  const paceMs = durationMs(text);
  if (paceMs === undefined || paceMs > paceMsMax) throw refused(`${JSON.stringify(text)} is no pace such as 50ms`);
  return paceMs;
}

function refused(message: string): StatusError {
  return new StatusError(badRequest(message));
}
