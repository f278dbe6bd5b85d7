import { events } from '../../api/generated/kinds.ts';
import type { Clock } from '../../base/clock.ts';
import type { Store, Stored } from '../../store/store.ts';
import type { Limits, ServerContext, WriteListener } from '../context/context.ts';
import { resourcePrefix } from '../context/keys.ts';
import { commit, formOf } from '../writing/commit.ts';
import { EventWeight } from './event-weight.ts';
import { ownRequest } from './own-request.ts';

/** Removes events (kind Event) when they are too old, or when all of them weigh too much. */
export interface EventExpiry extends WriteListener {
  /** How many had to go before their time. */
  readonly givenUp: number;
  /** Takes up events that were written before this start; they get a whole life again. */
  resume(): void;
  stop(): void;
}

type Version = Pick<Stored, 'key' | 'revision'>;

interface Due extends Version {
  readonly dueMs: number;
}

export interface EventExpiryOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'eventMs' | 'eventBytesMax'>;
  /** Asked when the first event falls due: the listener is made before what it writes by. */
  readonly context: () => ServerContext;
}

const prefix = resourcePrefix(events);

/**
 * All events live equally long, so they fall due in the order of their writes: a queue and one timer are enough. A write to
 * an event starts its life anew; its older entry then finds another revision and does nothing.
 */
export function createEventExpiry({ store, clock, limits, context }: EventExpiryOptions): EventExpiry {
  let queue: Due[] = [];
  let read = 0;
  let cancel: (() => void) | undefined;
  let stopped = false;

  const add = ({ key, revision }: Stored): void => {
    queue.push({ key, revision, dueMs: clock.nowMs() + limits.eventMs });
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
      read = 0;
    }
  };
  const isLiving = ({ key, revision }: Version): boolean => store.get(key)?.revision === revision;
  const remove = ({ key, revision }: Version): Promise<unknown> | undefined => {
    const stored = store.get(key);
    const served = context().registry.find(events);
    if (stored?.revision !== revision || served === undefined) return undefined;
    const object = formOf(served, stored);
    const request = ownRequest(served, 'delete');
    const write = { request, key, before: { stored, object }, after: object, ends: true };
    // A disk that refuses will refuse again at the next write, where somebody is told; the event then stays until restart.
    return commit(context(), write).catch(() => undefined);
  };
  const weight = new EventWeight({ bytesMax: limits.eventBytesMax, isLiving, remove });

  return {
    get givenUp() {
      return weight.givenUp;
    },
    put(stored, { before }) {
      if (!stored.key.startsWith(prefix)) return;
      add(stored);
      weight.add(stored, before?.stored);
    },
    removed({ key }, { before }) {
      if (key.startsWith(prefix)) weight.removed(before?.stored);
    },
    resume() {
      const found = store.list(prefix);
      if ('expired' in found) return;
      for (const stored of found.items) {
        add(stored);
        weight.add(stored, undefined);
      }
    },
    stop() {
      stopped = true;
      cancel?.();
    },
  };
}
