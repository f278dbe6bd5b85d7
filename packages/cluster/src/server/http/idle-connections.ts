import type { Clock } from '../../base/clock.ts';

/** A connection as it is known here: how to end it. */
export interface Connection {
  end(): void;
}

export interface IdleLimits {
  /** How long a connection may stand on which nothing was ever asked. */
  readonly unusedTimeoutMs: number;
  /** How long one may stand on which nothing is asked any more. Upstream's time is 90 s. */
  readonly idleTimeoutMs: number;
  /** From here on the one that has waited longest makes room for each that comes. */
  readonly crowded: number;
}

export interface IdleConnections {
  opened(connection: Connection): void;
  /** A request begins on it. */
  busy(connection: Connection): void;
  /** A request on it is over. */
  free(connection: Connection): void;
  closed(connection: Connection): void;
}

interface Known {
  requests: number;
  used: boolean;
  sinceMs: number;
}

/**
 * Ends connections on which nobody asks anything: those that never asked soon, as they need not say who they are. Both kinds
 * are kept in the order in which they began to wait, so that a look costs what it ends.
 */
export function createIdleConnections(limits: IdleLimits, clock: Clock): IdleConnections {
  const known = new Map<Connection, Known>();
  const unused = new Set<Connection>();
  const idle = new Set<Connection>();
  let cancel: (() => void) | undefined;

  const forget = (connection: Connection): void => {
    unused.delete(connection);
    idle.delete(connection);
    known.delete(connection);
  };
  const end = (connection: Connection): void => {
    forget(connection);
    connection.end();
  };
  const endOld = (waiting: ReadonlySet<Connection>, timeoutMs: number): void => {
    const oldest = clock.nowMs() - timeoutMs;
    for (const connection of waiting) {
      if ((known.get(connection)?.sinceMs ?? 0) > oldest) return;
      end(connection);
    }
  };
  const look = (): void => {
    cancel = undefined;
    endOld(unused, limits.unusedTimeoutMs);
    endOld(idle, limits.idleTimeoutMs);
    lookLater();
  };
  /** Nothing waits: nothing ticks. */
  const lookLater = (): void => {
    if (cancel !== undefined || unused.size + idle.size === 0) return;
    cancel = clock.after(Math.min(limits.unusedTimeoutMs, limits.idleTimeoutMs) / 4, look);
  };
  const makeRoom = (): void => {
    if (known.size < limits.crowded) return;
    for (const waiting of [unused, idle])
      for (const connection of waiting) {
        end(connection);
        return;
      }
  };

  return {
    opened(connection) {
      makeRoom();
      known.set(connection, { requests: 0, used: false, sinceMs: clock.nowMs() });
      unused.add(connection);
      lookLater();
    },
    busy(connection) {
      const state = known.get(connection);
      if (state === undefined) return;
      state.requests += 1;
      if (state.requests > 1) return;
      (state.used ? idle : unused).delete(connection);
      state.used = true;
    },
    free(connection) {
      const state = known.get(connection);
      if (state === undefined) return;
      state.requests -= 1;
      if (state.requests > 0) return;
      state.sinceMs = clock.nowMs();
      idle.add(connection);
      lookLater();
    },
    closed(connection) {
      forget(connection);
      if (known.size > 0) return;
      cancel?.();
      cancel = undefined;
    },
  };
}
