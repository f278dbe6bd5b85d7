import { events } from '../../api/generated/kinds.ts';
import type { Clock } from '../../base/clock.ts';
import type { Store, Stored } from '../../store/store.ts';
import type { ServerContext, WriteListener } from '../context/context.ts';
import { resourcePrefix } from '../context/keys.ts';
import { commit, formOf } from '../writing/commit.ts';
import { ownRequest } from './own-request.ts';

/** Removes events (kind Event) when they are too old. */
export interface EventExpiry extends WriteListener {
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
  /** Asked when the first event falls due: the listener is made before what it writes by. */
  readonly context: () => ServerContext;
}

const prefix = resourcePrefix(events);

/**
 * All events live equally long, so they fall due in the order of their writes: a queue and one timer are enough. A write to
 * an event starts its life anew; its older entry then finds another revision and does nothing.
 */
export function createEventExpiry({ store, clock, lifeMs, context }: EventExpiryOptions): EventExpiry {
  let queue: Due[] = [];
  let read = 0;
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
      remove(next);
    }
    if (read * 2 > queue.length) {
      queue = queue.slice(read);
      read = 0;
    }
  };
  const remove = ({ key, revision }: Due): void => {
    const stored = store.get(key);
    if (stored?.revision !== revision) return;
    const served = context().registry.find(events);
    if (served === undefined) return;
    const object = formOf(served, stored);
    const request = ownRequest(served, 'delete');
    // A disk that refuses will refuse again at the next write, where somebody is told; the event then stays until restart.
    commit(context(), { request, key, before: { stored, object }, after: object, ends: true }).catch(() => undefined);
  };

  return {
    put(stored) {
      if (stored.key.startsWith(prefix)) add(stored);
    },
    resume() {
      const found = store.list(prefix);
      if (!('expired' in found)) for (const stored of found.items) add(stored);
    },
    stop() {
      stopped = true;
      cancel?.();
    },
  };
}
