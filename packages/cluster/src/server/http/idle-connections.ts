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

/** Connections, and those on which nothing is asked in the order in which they began to wait. */
interface Waiting {
  readonly known: Map<Connection, Known>;
  readonly unused: Set<Connection>;
  readonly idle: Set<Connection>;
}

/**
 * Ends connections on which nobody asks anything: those that never asked soon, as they need not say who they are. What waits
 * is kept in order, so that a look costs what it ends; while nothing waits, nothing ticks.
 */
export function createIdleConnections(limits: IdleLimits, clock: Clock): IdleConnections {
  const waiting: Waiting = { known: new Map(), unused: new Set(), idle: new Set() };
  const { known, unused, idle } = waiting;
  let cancel: (() => void) | undefined;

  const look = (): void => {
    cancel = undefined;
    const nowMs = clock.nowMs();
    for (const old of oldOf(waiting, {
      unusedSinceMs: nowMs - limits.unusedTimeoutMs,
      idleSinceMs: nowMs - limits.idleTimeoutMs,
    }))
      end(waiting, old);
    lookLater();
  };
  const lookLater = (): void => {
    if (cancel !== undefined || unused.size + idle.size === 0) return;
    cancel = clock.after(Math.min(limits.unusedTimeoutMs, limits.idleTimeoutMs) / 4, look);
  };

  return {
    opened(connection) {
      if (known.size >= limits.crowded) {
        const [first] = unused.size > 0 ? unused : idle;
        if (first !== undefined) end(waiting, first);
      }
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
      forget(waiting, connection);
      if (known.size > 0) return;
      cancel?.();
      cancel = undefined;
    },
  };
}

function forget({ known, unused, idle }: Waiting, connection: Connection): void {
  unused.delete(connection);
  idle.delete(connection);
  known.delete(connection);
}

function end(waiting: Waiting, connection: Connection): void {
  forget(waiting, connection);
  connection.end();
}

function oldOf(
  { known, unused, idle }: Waiting,
  { unusedSinceMs, idleSinceMs }: { readonly unusedSinceMs: number; readonly idleSinceMs: number },
): readonly Connection[] {
  const until = (connections: ReadonlySet<Connection>, sinceMs: number): readonly Connection[] => {
    const old: Connection[] = [];
    for (const connection of connections) {
      if ((known.get(connection)?.sinceMs ?? 0) > sinceMs) break;
      old.push(connection);
    }
    return old;
  };
  return [...until(unused, unusedSinceMs), ...until(idle, idleSinceMs)];
}
