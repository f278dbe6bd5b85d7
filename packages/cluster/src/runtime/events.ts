import type { Event, ObjectReference } from '../api/generated/core-v1.ts';
import { events as eventsType } from '../api/generated/kinds.ts';
import { apiVersionOf } from '../api/gvk.ts';
import type { KubeObject, New } from '../api/meta.ts';
import { ifFound, isStatusError } from '../api/status.ts';
import { type Clock, sleep, toTimestamp } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { onAbort } from '../base/signal.ts';
import type { Client } from '../client/client.ts';
import { restAfter } from './rest.ts';
import {
  type Correlated,
  createCorrelation,
  createTurns,
  eachByItself,
  forgetOldest,
  repeatWithinMs,
} from './similar-events.ts';

/**
 * Says what happened to an object, for `kubectl describe`. Never fails and never holds anybody up: events are written in
 * the background, repeated ones are counted instead of written again, and a source that says too much about one object is
 * cut off for a while (upstream's limits: 25 at once, then one per five minutes). While the plane is busy they give way to what they
 * are about.
 */
export interface EventRecorder {
  emit(happening: Happening): void;
  /** Writes until the signal aborts. */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
  /** How many were not written because of the limits. */
  readonly dropped: number;
}

export interface Happening {
  /** Whose word it is; the recorder's own where it is not said. */
  readonly source?: string;
  readonly regarding: KubeObject;
  /** Who else has to do with it: the pod that needs the room, of one that is preempted. */
  readonly related?: KubeObject;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
  /** Of very many at once only some are told: nobody misses the others. */
  readonly isMinor?: boolean;
}

export interface EventRecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** `daemonset-controller`, `default-scheduler`, `kubelet`. */
  readonly source: string;
  readonly host?: string;
  /** Set: each is told by itself, however many are alike, as upstream's scheduler does. */
  readonly apart?: boolean;
}

/** Some 400 bytes each. */
const pendingMax = 100_000;
const writesMax = 64;
/** Of one object, as upstream. */
const ofOneObject: Allowing = { burst: 25, refillMs: 300_000 };
/** Of all that is minor: so many are told whatever else goes on. */
const ofMinor: Allowing = { burst: 200, refillMs: 50 };
const noteBytesMax = 1_024;

/** An event that waits to be written; the object that it is about is not kept for that. */
interface Pending extends Pick<Happening, 'type' | 'reason' | 'note'> {
  readonly source: string | undefined;
  readonly regarding: ObjectReference;
  readonly related: ObjectReference | undefined;
  readonly atMs: number;
}

interface Remembered {
  readonly namespace: string;
  readonly name: string;
  readonly count: number;
  readonly lastMs: number;
}

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { clock } = options;
  const pending = new Waiting<Pending>(writesMax);
  const allowance = createAllowance(ofOneObject);
  const minor = createAllowance(ofMinor);
  const write = createWriter(options);
  let dropped = 0;
  let wake: (() => void) | undefined;

  return {
    get dropped() {
      return dropped;
    },
    emit({ source, regarding, related, type, reason, note, isMinor = false }) {
      const atMs = clock.nowMs();
      const isTooMuch = pending.size >= pendingMax || (isMinor && !minor.take('', atMs));
      if (isTooMuch || !allowance.take(regarding.metadata.uid, atMs)) {
        dropped++;
        return;
      }
      // Said thousands of times a second: a copy of all the rest would cost more than all else here.
      pending.add({
        source,
        regarding: referenceTo(regarding),
        related: related && referenceTo(related),
        type,
        reason,
        note,
        atMs,
      });
      wake?.();
    },
    async run({ signal }) {
      onAbort(signal, () => wake?.());
      while (!signal.aborted) {
        const taken = pending.take();
        if (taken.length === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          wake = undefined;
          continue;
        }
        const startMs = clock.nowMs();
        // An event that cannot be written is lost on purpose: its namespace is going, or the API has worse to say.
        await Promise.all(taken.map((each) => write(each, signal).catch(ignore)));
        await clock.turn();
        const restMs = restAfter(clock.nowMs() - startMs);
        if (restMs > 0) await sleep(clock, restMs, { signal }).catch(ignore);
      }
    },
  };
}

/** Writes what happened, or counts it where it was written before. */
function createWriter({
  client,
  random,
  source,
  host,
  apart = false,
}: EventRecorderOptions): (happened: Pending, signal: AbortSignal) => Promise<void> {
  const remembered = new Map<string, Remembered>();
  const correlate = apart ? eachByItself : createCorrelation();
  const inTurn = createTurns();
  const suffix = createSuffixes(random);

  const countAgain = async (
    before: Remembered,
    { id, message, atMs, signal }: Correlated & { readonly atMs: number; readonly signal: AbortSignal },
  ): Promise<boolean> => {
    const now = { ...before, count: before.count + 1, lastMs: atMs };
    remember(remembered, id, now);
    if (await isCounted(now, { client, signal, message })) return true;
    remembered.delete(id);
    return false;
  };

  const writeAs = async (
    { id, message }: Correlated,
    { happened, signal }: { readonly happened: Pending; readonly signal: AbortSignal },
  ): Promise<void> => {
    const { regarding, note, atMs } = happened;
    const before = remembered.get(id);
    const isRepeated = before !== undefined && atMs - before.lastMs < repeatWithinMs;
    if (isRepeated && (await countAgain(before, { id, message, atMs, signal }))) return;
    const namespace = regarding.namespace ?? 'default';
    const name = `${regarding.name}.${suffix(atMs)}`;
    const event = eventOf(
      { ...happened, note: message ?? note },
      { namespace, name, source: happened.source ?? source, host, time: toTimestamp(atMs) },
    );
    await client.create(eventsType, event, { signal });
    remember(remembered, id, { namespace, name, count: 1, lastMs: atMs });
  };

  return (happened, signal) => {
    const correlated = correlate(happened);
    return inTurn(correlated.id, () => writeAs(correlated, { happened, signal }));
  };
}

/** What waits in turn, taken a few at a time. */
class Waiting<T> {
  readonly #takenMax: number;
  #items: T[] = [];
  #begun = 0;

  constructor(takenMax: number) {
    this.#takenMax = takenMax;
  }

  get size(): number {
    return this.#items.length - this.#begun;
  }

  add(item: T): void {
    this.#items.push(item);
  }

  take(): readonly T[] {
    const taken = this.#items.slice(this.#begun, this.#begun + this.#takenMax);
    this.#begun += taken.length;
    // Not each time: that would move all that wait.
    if (this.#begun === this.#items.length || this.#begun > pendingMax / 10) {
      this.#items = this.#items.slice(this.#begun);
      this.#begun = 0;
    }
    return taken;
  }
}

/** False when somebody deleted the event: what goes on happening is to be told anew, or nobody hears of it again. */
async function isCounted(
  { namespace, name, count, lastMs }: Remembered,
  {
    client,
    signal,
    message,
  }: { readonly client: Client; readonly signal: AbortSignal; readonly message: string | undefined },
): Promise<boolean> {
  const words = message === undefined ? {} : { message: cut(message) };
  const body = { count, lastTimestamp: toTimestamp(lastMs), ...words };
  const patched = client.patch(eventsType, { signal, namespace, name, patchType: 'merge', body });
  return (await ifFound(patched)) !== undefined;
}

/**
 * Ends of names that sort by time, as upstream's nanoseconds do: clients show events of one second in the order of their
 * names. What the clock does not tell apart is counted, and the rest is chance, because other sources write too.
 */
function createSuffixes(random: Random): (atMs: number) => string {
  let lastMs = -1;
  let count = 0;
  return (atMs) => {
    count = atMs === lastMs ? count + 1 : 0;
    lastMs = atMs;
    const nanoseconds = BigInt(atMs) * 1_000_000n + BigInt(Math.min(count, 999) * 1_000 + random.below(1_000));
    return nanoseconds.toString(16).padStart(16, '0');
  };
}

function ignore(error: unknown): void {
  if (isStatusError(error) || (error instanceof Error && error.name === 'AbortError')) return;
}

function remember(remembered: Map<string, Remembered>, id: string, entry: Remembered): void {
  remembered.delete(id);
  remembered.set(id, entry);
  forgetOldest(remembered);
}

interface Allowing {
  readonly burst: number;
  /** How long it takes until one more is allowed. */
  readonly refillMs: number;
}

/** A token bucket per object. */
function createAllowance({ burst, refillMs }: Allowing): { take(uid: string, nowMs: number): boolean } {
  const buckets = new Map<string, { tokens: number; sinceMs: number }>();
  return {
    take(uid, nowMs) {
      const bucket = buckets.get(uid) ?? { tokens: burst, sinceMs: nowMs };
      const refilled = Math.floor((nowMs - bucket.sinceMs) / refillMs);
      bucket.tokens = Math.min(burst, bucket.tokens + refilled);
      bucket.sinceMs += refilled * refillMs;
      buckets.delete(uid);
      buckets.set(uid, bucket);
      forgetOldest(buckets);
      if (bucket.tokens === 0) return false;
      bucket.tokens--;
      return true;
    },
  };
}

function cut(note: string): string {
  return note.length > noteBytesMax ? `${note.slice(0, noteBytesMax - 4)} ...` : note;
}

interface EventFacts {
  readonly namespace: string;
  readonly name: string;
  readonly source: string;
  readonly host: string | undefined;
  readonly time: string;
}

function referenceTo({ apiVersion, kind, metadata }: KubeObject): ObjectReference {
  const { name, uid, resourceVersion, namespace } = metadata;
  const named = { apiVersion, kind, name, uid, resourceVersion };
  return namespace === undefined ? named : { apiVersion, kind, name, uid, resourceVersion, namespace };
}

function eventOf(
  { regarding, related, type, reason, note }: Pending,
  { namespace, name, source, host, time }: EventFacts,
): New<Event> {
  return {
    apiVersion: apiVersionOf(eventsType) as 'v1',
    kind: 'Event',
    metadata: { namespace, name },
    involvedObject: regarding,
    ...(related !== undefined && { related }),
    reason,
    message: cut(note),
    type,
    count: 1,
    firstTimestamp: time,
    lastTimestamp: time,
    source: { component: source, ...(host !== undefined && { host }) },
    reportingComponent: source,
    reportingInstance: host ?? '',
  };
}
