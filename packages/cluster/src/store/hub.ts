import { setMaxListeners } from 'node:events';
import type { EagerIterator } from '../base/eager.ts';
import type { Log } from './log.ts';
import type { Expired, StoreEvent, SubscribeOptions } from './store.ts';

/**
 * Hands events to many readers at their own pace. A reader first replays what history holds since its revision, straight
 * from the log, and then lives on a buffer of its own. A full buffer, or history compacted under a slow replay, ends the
 * subscription with `expired`; publishing never waits.
 *
 * Readers are found by the prefixes of the event's key and not one by one: most prefixes end at a slash, of which a key has
 * a handful; for the others there is one look-up per distinct length.
 */
export interface Hub {
  subscribe(options: SubscribeOptions): AsyncIterable<StoreEvent | Expired>;
  /** Events of the revisions right after those published before, in order. */
  publish(events: readonly StoreEvent[]): void;
  /** Expires those who have not read what they have waiting up to `revision`. */
  expire(revision: number): void;
  /** Lets everybody read what is in their buffers, then ends them. */
  close(): void;
  /** How many readers there are. */
  readonly size: number;
}

export interface HubOptions {
  readonly log: Pick<Log, 'revision' | 'compactedRevision' | 'eventAt'>;
  /** Events waiting for one reader. */
  readonly bufferMax: number;
}

export function createHub({ log, bufferMax }: HubOptions): Hub {
  const registry = createRegistry();
  let closed = false;
  return {
    subscribe({ prefix, from, signal }) {
      const subscription = new Subscription({
        prefix,
        from,
        log,
        bufferMax,
        leave() {
          signal?.removeEventListener('abort', aborted);
          registry.remove(subscription);
        },
      });
      const aborted = (): void => subscription.stop();
      if (signal?.aborted === true) subscription.stop();
      else if (closed) subscription.end();
      else {
        registry.add(subscription);
        if (signal === undefined) return subscription;
        // One signal may rightly end thousands of subscriptions.
        setMaxListeners(0, signal);
        signal.addEventListener('abort', aborted, { once: true });
      }
      return subscription;
    },
    publish(events) {
      for (const event of events) registry.offer(event);
    },
    expire(revision) {
      for (const subscription of registry.all()) subscription.forget(revision);
    },
    close() {
      closed = true;
      for (const subscription of registry.all()) subscription.end();
    },
    get size() {
      return registry.all().length;
    },
  };
}

interface SubscriptionOptions extends HubOptions {
  readonly prefix: string;
  readonly from: number;
  readonly leave: () => void;
}

type Result = IteratorResult<StoreEvent | Expired, undefined>;

const finished: Result = { done: true, value: undefined };

class Subscription
  implements AsyncIterableIterator<StoreEvent | Expired, undefined>, EagerIterator<StoreEvent | Expired>
{
  readonly prefix: string;
  readonly #log: HubOptions['log'];
  readonly #bufferMax: number;
  readonly #leave: () => void;
  readonly #from: number;
  /** Replay covers the revisions after `#replayed` up to here; the buffer, those above. */
  readonly #joined: number;
  #replayed: number;
  #buffer: StoreEvent[] = [];
  #read = 0;
  #waiting: ((result: Result) => void)[] = [];
  #state: 'live' | 'ending' | 'expired' | 'over' = 'live';

  constructor({ prefix, from, log, bufferMax, leave }: SubscriptionOptions) {
    this.prefix = prefix;
    this.#from = from;
    this.#replayed = from;
    this.#joined = log.revision;
    this.#log = log;
    this.#bufferMax = bufferMax;
    this.#leave = leave;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    const result = this.#take();
    if (result !== undefined) return Promise.resolve(result);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  ready(): StoreEvent | Expired | undefined {
    if (this.#state !== 'live' || this.#waiting.length > 0) return undefined;
    // Where history turns out to be gone, `next` says so.
    return this.#replay() ?? this.#unbuffer();
  }

  return(): Promise<Result> {
    this.stop();
    return Promise.resolve(finished);
  }

  offer(event: StoreEvent): void {
    if (event.stored.revision <= this.#from) return;
    // Only a reader that has replayed and emptied its buffer waits.
    const reader = this.#waiting.shift();
    if (reader !== undefined) reader({ done: false, value: event });
    else if (this.#buffer.length - this.#read < this.#bufferMax) this.#buffer.push(event);
    else this.#expire();
  }

  /** What waits here pins what the rest of the store has forgotten. */
  forget(revision: number): void {
    const oldest = this.#buffer[this.#read];
    if (oldest !== undefined && oldest.stored.revision <= revision) this.#expire();
  }

  /** Ends once what is buffered was read. */
  end(): void {
    this.#state = this.#state === 'live' ? 'ending' : this.#state;
    this.#finishWaiting();
    this.#leave();
  }

  /** Ends at once. */
  stop(): void {
    this.#state = 'over';
    this.#drop();
    this.#finishWaiting();
    this.#leave();
  }

  #take(): Result | undefined {
    if (this.#state === 'over') return finished;
    const event = this.#state === 'expired' ? undefined : (this.#replay() ?? this.#unbuffer());
    if (event !== undefined) return { done: false, value: event };
    // Read again: replay may have found its history gone.
    return this.#verdict();
  }

  #verdict(): Result | undefined {
    switch (this.#state) {
      case 'live':
        return undefined;
      case 'expired':
        this.#state = 'over';
        return { done: false, value: { expired: true, compactedRevision: this.#log.compactedRevision } };
      case 'ending':
      case 'over':
        return finished;
      default:
        return this.#state satisfies never;
    }
  }

  #replay(): StoreEvent | undefined {
    while (this.#replayed < this.#joined) {
      if (this.#replayed < this.#log.compactedRevision) {
        this.#expire();
        return undefined;
      }
      this.#replayed += 1;
      const event = this.#log.eventAt(this.#replayed);
      if (event.key.startsWith(this.prefix)) return event;
    }
    return undefined;
  }

  #unbuffer(): StoreEvent | undefined {
    const event = this.#buffer[this.#read];
    if (event === undefined) return undefined;
    this.#read += 1;
    if (this.#read === this.#buffer.length) this.#drop();
    else if (this.#read > 64 && this.#read * 2 > this.#buffer.length) {
      this.#buffer.splice(0, this.#read);
      this.#read = 0;
    }
    return event;
  }

  #expire(): void {
    this.#state = 'expired';
    this.#drop();
    this.#leave();
  }

  #drop(): void {
    this.#buffer = [];
    this.#read = 0;
  }

  #finishWaiting(): void {
    for (const reader of this.#waiting.splice(0)) reader(finished);
  }
}

interface Registry {
  add(subscription: Subscription): void;
  remove(subscription: Subscription): void;
  offer(event: StoreEvent): void;
  all(): readonly Subscription[];
}

function createRegistry(): Registry {
  const byPrefix = new Map<string, Set<Subscription>>();
  /** Lengths of the prefixes that do not end at a slash, with how many prefixes have it. */
  const otherLengths = new Map<number, number>();

  const count = (prefix: string, change: 1 | -1): void => {
    if (prefix.endsWith('/')) return;
    const prefixes = (otherLengths.get(prefix.length) ?? 0) + change;
    if (prefixes === 0) otherLengths.delete(prefix.length);
    else otherLengths.set(prefix.length, prefixes);
  };

  const offerTo = (prefix: string, event: StoreEvent): void => {
    const subscriptions = byPrefix.get(prefix);
    if (subscriptions === undefined) return;
    for (const subscription of subscriptions) subscription.offer(event);
  };

  return {
    add(subscription) {
      const { prefix } = subscription;
      const subscriptions = byPrefix.get(prefix);
      if (subscriptions === undefined) {
        byPrefix.set(prefix, new Set([subscription]));
        count(prefix, 1);
      } else subscriptions.add(subscription);
    },
    remove(subscription) {
      const { prefix } = subscription;
      const subscriptions = byPrefix.get(prefix);
      if (subscriptions?.delete(subscription) !== true || subscriptions.size > 0) return;
      byPrefix.delete(prefix);
      count(prefix, -1);
    },
    offer(event) {
      const { key } = event;
      for (let slash = key.indexOf('/'); slash >= 0; slash = key.indexOf('/', slash + 1)) {
        offerTo(key.slice(0, slash + 1), event);
      }
      for (const length of otherLengths.keys()) if (length <= key.length) offerTo(key.slice(0, length), event);
    },
    all: () => [...byPrefix.values()].flatMap((subscriptions) => [...subscriptions]),
  };
}
