import type { Clock } from '../base/clock.ts';
import { createHeap } from '../base/heap.ts';
import type { ClusterEvent, Wakes } from './plugin.ts';
import type { PodView } from './pod-view.ts';

/**
 * Pods that wait to be placed: ready ones by priority and age, those in back-off, and those that only a change in the
 * cluster can help. The decision about a popped pod must be made in the same turn: then no event can fall in between.
 */
export interface SchedulingQueue {
  readonly size: number;
  /** A new pod, or a new version of one that waits. A change of the spec gives it another try. */
  put(pod: PodView, options: { readonly isChanged: boolean }): void;
  remove(uid: string): void;
  /** The next pod; undefined when none is ready. Its turn lasts until `unplaced`, `failed` or `remove`. */
  pop(): PodView | undefined;
  /** No node fits: wait for one of these events. */
  unplaced(pod: PodView, wakes: Wakes): void;
  /** Something went wrong on the way: try again after the back-off. */
  failed(pod: PodView): void;
  /** Wakes the pods that wait for `event`; `node` is where it happened. */
  wake(event: ClusterEvent, node: string | undefined): void;
  /** Called whenever a pod may have become ready. */
  onReady(notify: () => void): void;
}

const backoffInitialMs = 1_000;
const backoffMaxMs = 10_000;
/** Even without an event nobody waits longer: events and plugins may have missed something. */
const unplacedMaxMs = 300_000;

interface Entry {
  readonly pod: PodView;
  readonly state: 'ready' | 'backoff' | 'unplaced' | 'inFlight';
  readonly attempts: number;
  /** Since when it has been in the queue, or when its last turn began. */
  readonly sinceMs: number;
  readonly wakes: Wakes;
}

const never: Wakes = { on: new Set(), from: 'pinnedNodes' };

export function createSchedulingQueue(clock: Clock): SchedulingQueue {
  return new Queue(clock);
}

class Queue implements SchedulingQueue {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #ready = createHeap<Entry>(isBefore);
  readonly #waking = createWakeIndex();
  readonly #timers = new Map<string, () => void>();
  #notify: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  put(pod: PodView, { isChanged }: { readonly isChanged: boolean }): void {
    const entry = this.#entries.get(pod.uid);
    if (entry === undefined)
      this.#enter({ pod, state: 'ready', attempts: 0, sinceMs: this.#clock.nowMs(), wakes: never });
    else if (entry.state === 'unplaced' && isChanged) this.#backOff({ ...entry, pod });
    else if (entry.state === 'ready') this.#enter({ ...entry, pod });
    else this.#replace({ ...entry, pod });
  }

  remove(uid: string): void {
    this.#leave(uid);
    this.#entries.delete(uid);
  }

  pop(): PodView | undefined {
    for (let entry = this.#ready.pop(); entry !== undefined; entry = this.#ready.pop()) {
      const { uid } = entry.pod;
      // Entries that changed since they were pushed are left in the heap; only the newest one counts.
      if (this.#entries.get(uid) !== entry) continue;
      const attempts = entry.attempts + 1;
      this.#entries.set(uid, { ...entry, state: 'inFlight', attempts, sinceMs: this.#clock.nowMs() });
      return entry.pod;
    }
    return undefined;
  }

  unplaced({ uid }: PodView, wakes: Wakes): void {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return;
    this.#enter({ ...entry, state: 'unplaced', wakes });
    this.#readyAfter(uid, unplacedMaxMs);
  }

  failed({ uid }: PodView): void {
    const entry = this.#entries.get(uid);
    if (entry !== undefined) this.#backOff(entry);
  }

  wake(event: ClusterEvent, node: string | undefined): void {
    for (const uid of this.#waking.candidates(node)) {
      const entry = this.#entries.get(uid);
      if (entry?.state === 'unplaced' && entry.wakes.on.has(event)) this.#backOff(entry);
    }
  }

  onReady(notify: () => void): void {
    this.#notify = notify;
  }

  /** Into a state, out of the one before. */
  #enter(entry: Entry): void {
    const { uid } = entry.pod;
    this.#leave(uid);
    this.#entries.set(uid, entry);
    if (entry.state === 'unplaced') this.#waking.add(entry);
    if (entry.state !== 'ready') return;
    this.#ready.push(entry);
    this.#notify();
  }

  #leave(uid: string): void {
    this.#timers.get(uid)?.();
    this.#timers.delete(uid);
    const entry = this.#entries.get(uid);
    if (entry?.state === 'unplaced') this.#waking.remove(entry);
  }

  /** A new version of the pod in the same state; its waits go on. */
  #replace(entry: Entry): void {
    this.#entries.set(entry.pod.uid, entry);
  }

  #backOff(entry: Entry): void {
    const wholeMs = Math.min(backoffMaxMs, backoffInitialMs * 2 ** (entry.attempts - 1));
    const waitMs = wholeMs - (this.#clock.nowMs() - entry.sinceMs);
    const state = waitMs <= 0 ? 'ready' : 'backoff';
    this.#enter({ ...entry, state, wakes: never });
    if (waitMs > 0) this.#readyAfter(entry.pod.uid, waitMs);
  }

  #readyAfter(uid: string, waitMs: number): void {
    const cancel = this.#clock.after(waitMs, () => {
      const entry = this.#entries.get(uid);
      if (entry !== undefined) this.#enter({ ...entry, state: 'ready', wakes: never });
    });
    this.#timers.set(uid, cancel);
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  if (a.pod.priority !== b.pod.priority) return a.pod.priority > b.pod.priority;
  return a.sinceMs < b.sinceMs;
}

/** Finds the pods that an event on one node can help, without asking the thousands that are pinned to other nodes. */
function createWakeIndex(): {
  add(entry: Entry): void;
  remove(entry: Entry): void;
  candidates(node: string | undefined): readonly string[];
} {
  const anywhere = new Set<string>();
  const pinned = new Map<string, Set<string>>();
  return {
    add({ pod: { uid, pinnedTo }, wakes }) {
      if (pinnedTo === undefined || wakes.from === 'anywhere') anywhere.add(uid);
      else for (const node of pinnedTo) pinned.set(node, (pinned.get(node) ?? new Set()).add(uid));
    },
    remove({ pod: { uid, pinnedTo } }) {
      anywhere.delete(uid);
      for (const node of pinnedTo ?? []) {
        const uids = pinned.get(node);
        uids?.delete(uid);
        if (uids?.size === 0) pinned.delete(node);
      }
    },
    candidates(node) {
      if (node === undefined) return [...anywhere, ...[...pinned.values()].flatMap((uids) => [...uids])];
      return [...anywhere, ...(pinned.get(node) ?? [])];
    },
  };
}
