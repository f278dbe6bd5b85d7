import type { WatchEvent } from '../../api/operation.ts';
import { expired } from '../../api/status.ts';
import { type EagerIterator, readyOf } from '../../base/eager.ts';
import { onAbort } from '../../base/signal.ts';
import type { Expired, StoreEvent } from '../../store/store.ts';
import type { ServerContext } from '../context/context.ts';
import { learntEvents } from './learn.ts';

/** A watch whose options were found good: what to show first, and what to make of every later event. */
export interface WatchPlan {
  /** What exists already, as ADDED, and the bookmark that ends it; or an ERROR when it was forgotten before it was read. */
  readonly initial: Iterator<WatchEvent>;
  /** Only what was written after this revision is news. */
  readonly from: number;
  readonly prefix: string;
  /** Where somebody has to be asked for the form of an event's objects: before it is translated. */
  learn?(event: StoreEvent): Promise<void>;
  /** Undefined when the selection never saw the object. */
  translate(event: StoreEvent): WatchEvent | undefined;
  /** Says that everything up to a revision was shown. */
  bookmark(revision: number): WatchEvent;
}

export interface WatchStreamOptions {
  readonly signal: AbortSignal;
  /** `last`: only the one shortly before the end. */
  readonly bookmarks: 'none' | 'last' | 'all';
  readonly timeoutMs?: number;
}

/** A bookmark goes out this long before a watch ends by itself, so that the client resumes where it was. */
const farewellMs = 2_000;

type Result = IteratorResult<WatchEvent, undefined>;
const finished: Result = { done: true, value: undefined };

/**
 * One watch as a stream. Every event costs one pull from the store's subscription; time only sets flags and wakes a reader
 * that waits. Ends when time is up, the signal aborts, or the store says that the reader fell behind.
 */
export function createWatchStream(
  context: ServerContext,
  plan: WatchPlan,
  options: WatchStreamOptions,
): AsyncIterableIterator<WatchEvent, undefined> {
  return new WatchStream(context, plan, options);
}

class WatchStream implements AsyncIterableIterator<WatchEvent, undefined>, EagerIterator<WatchEvent> {
  readonly #context: ServerContext;
  readonly #plan: Omit<WatchPlan, 'initial'>;
  readonly #source: AsyncIterator<StoreEvent | Expired>;
  #stopListening: () => void = () => undefined;
  #cancelEnd: () => void = () => undefined;
  #cancelFarewell: (() => void) | undefined;
  #cancelBookmark: (() => void) | undefined;
  /** Let go of once it is over. */
  #initial: WatchPlan['initial'] | undefined;
  /** Everything up to here was shown or concerns nobody here. */
  #seen: number;
  #bookmarked: number;
  #bookmarkDue: 'no' | 'if news' | 'always' = 'no';
  #timeUp = false;
  #over = false;
  #pulling = false;
  /** Came in while nobody waited. */
  #arrived: Result | undefined;
  #failure: { readonly error: unknown } | undefined;
  #waiting: { resolve(result: Result): void; reject(error: unknown): void } | undefined;

  constructor(context: ServerContext, plan: WatchPlan, { signal, bookmarks, timeoutMs }: WatchStreamOptions) {
    this.#context = context;
    const { initial, ...lasting } = plan;
    this.#plan = lasting;
    this.#initial = initial;
    this.#seen = plan.from;
    this.#bookmarked = plan.from;
    // What the signal ends here is returned to the store, so it need not listen, too.
    const source = context.store.subscribe({ prefix: plan.prefix, from: plan.from })[Symbol.asyncIterator]();
    this.#source = plan.learn === undefined ? source : learntEvents(source, plan.learn);
    if (signal.aborted) {
      this.#finish();
      return;
    }
    this.#stopListening = onAbort(signal, () => this.#finish());
    const { watchMs } = context.limits;
    const lifeMs = timeoutMs ?? watchMs + context.random.below(watchMs);
    this.#cancelEnd = context.clock.after(lifeMs, () => this.#timeIsUp());
    if (bookmarks === 'none') return;
    if (bookmarks === 'all') this.#bookmarkEvery(context.limits.bookmarkMs);
    if (lifeMs > farewellMs)
      this.#cancelFarewell = context.clock.after(lifeMs - farewellMs, () => this.#remindBookmark('if news'));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    const ready = this.#take();
    if (ready !== undefined) return Promise.resolve(ready);
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    const news = this.#news();
    if (news !== undefined) return Promise.resolve({ done: false, value: news });
    this.#pull();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  ready(): WatchEvent | undefined {
    if (this.#waiting !== undefined || this.#failure !== undefined) return undefined;
    const ready = this.#take();
    if (ready === undefined) return this.#news();
    if (ready.done !== true) return ready.value;
    // Its end is told by `next`.
    return undefined;
  }

  async return(): Promise<Result> {
    this.#finish();
    return finished;
  }

  /** What can be shown at once. */
  #take(): Result | undefined {
    if (this.#over) return finished;
    const initial = this.#takeInitial();
    if (initial !== undefined) return initial;
    const arrived = this.#arrived;
    if (arrived !== undefined) {
      this.#arrived = undefined;
      return arrived;
    }
    if (this.#timeUp) return this.#end();
    return this.#bookmarkDue === 'no' ? undefined : this.#bookmark();
  }

  #takeInitial(): Result | undefined {
    if (this.#initial === undefined) return undefined;
    const { done, value } = this.#initial.next();
    if (done === true || value.type === 'ERROR') this.#initial = undefined;
    if (done === true) return undefined;
    if (value.type === 'ERROR') this.#timeUp = true;
    return { done: false, value };
  }

  /** Of what the store holds ready, the next one that concerns somebody here. */
  #news(): WatchEvent | undefined {
    while (!this.#pulling) {
      const event = readyOf(this.#source);
      if (event === undefined) return undefined;
      if ('expired' in event) {
        this.#timeUp = true;
        return fellBehind(event);
      }
      const news = this.#translate(event);
      if (news !== undefined) return news;
    }
    return undefined;
  }

  #pull(): void {
    if (this.#pulling) return;
    this.#pulling = true;
    this.#source.next().then(
      (result) => {
        this.#pulling = false;
        this.#receive(result);
      },
      (error: unknown) => {
        this.#pulling = false;
        this.#fail(error);
      },
    );
  }

  #receive(result: IteratorResult<StoreEvent | Expired>): void {
    if (this.#over) return;
    if (result.done === true) this.#finish();
    else if ('expired' in result.value) {
      this.#timeUp = true;
      this.#show({ done: false, value: fellBehind(result.value) });
    } else this.#takeIn(result.value);
  }

  #takeIn(event: StoreEvent): void {
    const news = this.#translate(event);
    if (news === undefined) this.#pull();
    else this.#show({ done: false, value: news });
  }

  #translate(event: StoreEvent): WatchEvent | undefined {
    const { revision } = event.stored;
    this.#seen = Math.max(this.#seen, revision);
    // A watch from a version that is still to come shows nothing older.
    return revision > this.#plan.from ? this.#plan.translate(event) : undefined;
  }

  #show(result: Result): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#arrived = result;
    else waiting.resolve(result);
  }

  #fail(error: unknown): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#failure = { error };
    else waiting.reject(error);
  }

  #bookmark(): Result | undefined {
    const due = this.#bookmarkDue;
    this.#bookmarkDue = 'no';
    if (this.#seen <= this.#bookmarked && due !== 'always') return undefined;
    this.#bookmarked = this.#seen;
    return { done: false, value: this.#plan.bookmark(this.#seen) };
  }

  #remindBookmark(due: 'if news' | 'always'): void {
    this.#bookmarkDue = due;
    if (this.#waiting === undefined) return;
    // A reader that waits has seen everything that is published, whatever other resources' writes did to the revision.
    this.#seen = Math.max(this.#seen, this.#context.store.revision);
    const bookmark = this.#bookmark();
    if (bookmark !== undefined) this.#show(bookmark);
  }

  /** Also when there is nothing to tell: clients take a watch for dead that is silent for some minutes. */
  #bookmarkEvery(periodMs: number): void {
    this.#cancelBookmark = this.#context.clock.after(periodMs, () => {
      this.#remindBookmark('always');
      this.#bookmarkEvery(periodMs);
    });
  }

  #timeIsUp(): void {
    this.#timeUp = true;
    if (this.#waiting !== undefined) this.#show(this.#end());
  }

  #end(): Result {
    this.#finish();
    return finished;
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#stopListening();
    this.#initial = undefined;
    this.#cancelEnd();
    this.#cancelFarewell?.();
    this.#cancelBookmark?.();
    void this.#source.return?.();
    this.#show(finished);
  }
}

/** What falls behind the buffer is told to list again. */
function fellBehind({ compactedRevision }: Expired): WatchEvent {
  return { type: 'ERROR', object: expired(`too old resource version: the watch fell behind (${compactedRevision})`) };
}
