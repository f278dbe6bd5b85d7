import { events } from '../../api/generated/kinds.ts';
import type { Clock } from '../../base/clock.ts';
import type { Store, Stored } from '../../store/store.ts';
import type { ServerContext, WriteListener } from '../context/context.ts';
import { resourcePrefix } from '../context/keys.ts';
import { commit, formOf } from '../writing/commit.ts';
import { ownRequest } from './own-request.ts';

/** Removes events (kind Event) when they are too old, or when all of them weigh too much. */
export interface EventExpiry extends WriteListener {
  /** How many had to go before their time. */
  readonly givenUp: number;
  /** Takes up events that were written before this start; they get a whole life again. */
  resume(): void;
  stop(): void;
}

interface Due {
  readonly key: string;
  readonly revision: number;
  readonly dueMs: number;
}

export interface EventExpiryOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly lifeMs: number;
  /** What all of them may weigh. Beyond that the oldest go first, and warnings last. */
  readonly bytesMax: number;
  /** Asked when the first event falls due: the listener is made before what it writes by. */
  readonly context: () => ServerContext;
}

const prefix = resourcePrefix(events);

/**
 * All events live equally long, so they fall due in the order of their writes: a queue and one timer are enough. A write to
 * an event starts its life anew; its older entry then finds another revision and does nothing. Those that give way because of
 * their weight are found in the same queue.
 */
export function createEventExpiry({ store, clock, lifeMs, bytesMax, context }: EventExpiryOptions): EventExpiry {
  let queue: Due[] = [];
  let read = 0;
  /** Up to there nobody but warnings is left to give way. */
  let seen = 0;
  let bytes = 0;
  /** Those that are being removed because of it, and their bytes. */
  const going = new Set<string>();
  let goingBytes = 0;
  let givenUp = 0;
  let cancel: (() => void) | undefined;
  let stopped = false;

  const add = ({ key, revision }: Stored): void => {
    queue.push({ key, revision, dueMs: clock.nowMs() + lifeMs });
    schedule();
  };
  const schedule = (): void => {
    const next = queue[read];
    if (stopped || cancel !== undefined || next === undefined) return;
    cancel = clock.after(Math.max(0, next.dueMs - clock.nowMs()), () => {
      cancel = undefined;
      removeDue();
      schedule();
    });
  };
  const removeDue = (): void => {
    for (let next = queue[read]; next !== undefined && next.dueMs <= clock.nowMs(); next = queue[read]) {
      read++;
      void remove(next);
    }
    if (read * 2 > queue.length) {
      queue = queue.slice(read);
      seen = Math.max(0, seen - read);
      read = 0;
    }
  };
  const remove = (due: Due): Promise<unknown> | undefined => {
    const stored = livingOf(due);
    const served = stored && context().registry.find(events);
    if (stored === undefined || served === undefined) return undefined;
    const object = formOf(served, stored);
    const request = ownRequest(served, 'delete');
    const write = { request, key: due.key, before: { stored, object }, after: object, ends: true };
    // A disk that refuses will refuse again at the next write, where somebody is told; the event then stays until restart.
    return commit(context(), write).catch(() => undefined);
  };
  const livingOf = ({ key, revision }: Due): Stored | undefined => {
    const stored = store.get(key);
    return stored?.revision === revision ? stored : undefined;
  };
  const giveWay = (): void => {
    seen = Math.max(seen, read);
    while (bytes - goingBytes > bytesMax && seen < queue.length) giveUp(queue[seen++], 'but warnings');
    while (bytes - goingBytes > bytesMax && read < queue.length) giveUp(queue[read++], 'anything');
  };
  const giveUp = (due: Due | undefined, what: 'but warnings' | 'anything'): void => {
    const stored = due && !going.has(due.key) ? livingOf(due) : undefined;
    if (stored === undefined || (what === 'but warnings' && isWarning(stored))) return;
    const removing = due && remove(due);
    if (removing === undefined) return;
    const { key, weightBytes } = stored;
    going.add(key);
    goingBytes += weightBytes;
    givenUp++;
    void removing.then(() => {
      going.delete(key);
      goingBytes -= weightBytes;
    });
  };

  return {
    get givenUp() {
      return givenUp;
    },
    put(stored, { before }) {
      if (!stored.key.startsWith(prefix)) return;
      bytes += stored.weightBytes - (before?.stored.weightBytes ?? 0);
      add(stored);
      if (bytes - goingBytes > bytesMax) giveWay();
    },
    removed({ key }, { before }) {
      if (key.startsWith(prefix)) bytes -= before?.stored.weightBytes ?? 0;
    },
    resume() {
      const found = store.list(prefix);
      if ('expired' in found) return;
      for (const stored of found.items) {
        bytes += stored.weightBytes;
        add(stored);
      }
    },
    stop() {
      stopped = true;
      cancel?.();
    },
  };
}

function isWarning({ value }: Stored): boolean {
  return 'type' in value && value.type === 'Warning';
}
