import { failure, StatusError } from '../../api/status.ts';

/** Bounds how many requests are worked on at once. Beyond that they are refused at once, so that no queue can grow. */
export interface Flight {
  /** Throws a 429 when there are too many; otherwise returns how to say that the request has ended. */
  enter(kind: 'read' | 'write'): () => void;
}

export interface FlightLimits {
  readonly readsMax: number;
  readonly writesMax: number;
}

export function createFlight({ readsMax, writesMax }: FlightLimits): Flight {
  const limits = { read: readsMax, write: writesMax };
  const under = { read: 0, write: 0 };
  return {
    enter(kind) {
      if (under[kind] >= limits[kind]) throw tooMany();
      under[kind]++;
      return () => {
        under[kind]--;
      };
    },
  };
}

function tooMany(): StatusError {
  return new StatusError(
    failure(429, 'TooManyRequests', 'Too many requests, please try again later.', { retryAfterSeconds: 1 }),
  );
}
