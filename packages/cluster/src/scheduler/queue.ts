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
  /** How many wait, by what for. Looks at all of them. */
  counts(): Readonly<Record<'active' | 'backoff' | 'unschedulable', number>>;
  /** A new pod, or a new version of one that waits. A change of the spec gives it another try. */
  put(pod: PodView, options: { readonly isChanged: boolean }): void;
  remove(uid: string): void;
  /** The next pod; undefined when none is ready. Its turn lasts until `unplaced`, `failed` or `remove`. */
  pop(): PodView | undefined;
  /** No node fits: wait for one of these events. */
  unplaced(pod: PodView, wakes: Wakes): void;
  /** Something went wrong on the way: try again after the back-off. */
  failed(pod: PodView): void;
  /** Wakes the pods that wait for `event`, unless `judge` says that it does not help them; `node` is where it happened. */
  wake(event: ClusterEvent, node: string | undefined, judge?: Judge): void;
  /** Wakes this one whatever it waits for, when it waits for something and `judge` does not say that it is in vain. */
  stir(uid: string, judge?: (pod: PodView, wakes: Wakes) => Prospect): void;
  /** It is promised no node any more: it waits for what it would have waited for without that. */
  unpromise(uid: string): void;
  /** Called whenever a pod may have become ready. */
  onReady(notify: () => void): void;
  /** Nobody takes from it any more: nothing of it keeps a process alive. */
  stop(): void;
}

/** What another try would come to. Who fits for sure does not wait for the end of its back-off. */
export type Prospect = 'in vain' | 'may fit' | 'fits';

/** Asked once for all pods of a group. */
export type Judge = (pod: PodView, wakes: Wakes) => boolean;

export interface QueueLimits {
  readonly backoffInitialMs: number;
  readonly backoffMaxMs: number;
}

const defaultLimits: QueueLimits = { backoffInitialMs: 1_000, backoffMaxMs: 10_000 };
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

const never: Wakes = { on: new Map(), from: 'pinnedNodes', group: '', filters: undefined };

export function createSchedulingQueue(clock: Clock, limits: QueueLimits = defaultLimits): SchedulingQueue {
  return new Queue(clock, limits);
}

class Queue implements SchedulingQueue {
  readonly #clock: Clock;
  readonly #limits: QueueLimits;
  readonly #entries = new Map<string, Entry>();
  readonly #ready = createHeap<Entry>(isBefore);
  readonly #waking = new WakeIndex();
  readonly #timers = new Map<string, () => void>();
  #notify: () => void = () => undefined;
  #isStopped = false;

  constructor(clock: Clock, limits: QueueLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  counts(): ReturnType<SchedulingQueue['counts']> {
    const counts = { active: 0, backoff: 0, unschedulable: 0 };
    for (const { state } of this.#entries.values())
      if (state === 'ready') counts.active++;
      else if (state === 'backoff') counts.backoff++;
      else if (state === 'unplaced') counts.unschedulable++;
    return counts;
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

  wake(event: ClusterEvent, node: string | undefined, judge: Judge = always): void {
    for (const group of this.#waking.groups(node)) {
      const [first] = group.uids;
      const entry = first === undefined ? undefined : this.#entries.get(first);
      if (entry === undefined || !group.wakes.on.has(event) || !judge(entry.pod, group.wakes)) continue;
      for (const uid of [...group.uids]) this.stir(uid);
    }
  }

  stir(uid: string, judge: (pod: PodView, wakes: Wakes) => Prospect = mayFit): void {
    const entry = this.#entries.get(uid);
    if (entry?.state !== 'unplaced') return;
    const prospect = judge(entry.pod, entry.wakes);
    if (prospect === 'fits') this.#enter({ ...entry, state: 'ready', wakes: never });
    else if (prospect === 'may fit') this.#backOff(entry);
  }

  unpromise(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry?.state !== 'unplaced' || entry.wakes.unpromised === undefined) return;
    this.#waking.remove(entry);
    this.#replace({ ...entry, wakes: entry.wakes.unpromised });
    this.#waking.add({ ...entry, wakes: entry.wakes.unpromised });
  }

  onReady(notify: () => void): void {
    this.#notify = notify;
  }

  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
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
    const wholeMs = Math.min(this.#limits.backoffMaxMs, this.#limits.backoffInitialMs * 2 ** (entry.attempts - 1));
    const waitMs = wholeMs - (this.#clock.nowMs() - entry.sinceMs);
    const state = waitMs <= 0 ? 'ready' : 'backoff';
    this.#enter({ ...entry, state, wakes: never });
    if (waitMs > 0) this.#readyAfter(entry.pod.uid, waitMs);
  }

  #readyAfter(uid: string, waitMs: number): void {
    if (this.#isStopped) return;
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

const always: Judge = () => true;
const mayFit = (): Prospect => 'may fit';

interface Group {
  readonly wakes: Wakes;
  readonly uids: Set<string>;
}

/** Finds the pods that an event on one node can help, without asking the thousands that are pinned to other nodes, or each of those that are alike. */
class WakeIndex {
  readonly #anywhere = new Map<string, Group>();
  readonly #unpinned = [this.#anywhere];
  readonly #pinned = new Map<string, Map<string, Group>>();

  add({ pod, wakes }: Entry): void {
    for (const groups of this.#of(pod, wakes)) {
      const group = groups.get(wakes.group) ?? { wakes, uids: new Set() };
      groups.set(wakes.group, group);
      group.uids.add(pod.uid);
    }
  }

  remove({ pod, wakes }: Entry): void {
    for (const groups of this.#of(pod, wakes)) {
      const group = groups.get(wakes.group);
      group?.uids.delete(pod.uid);
      if (group?.uids.size === 0) groups.delete(wakes.group);
    }
    for (const node of pod.pinnedTo ?? []) if (this.#pinned.get(node)?.size === 0) this.#pinned.delete(node);
  }

  /** As they are now: whoever wakes some of them goes on with the others. */
  groups(node: string | undefined): readonly Group[] {
    const found = [...this.#anywhere.values()];
    if (node === undefined) for (const groups of this.#pinned.values()) found.push(...groups.values());
    else if (this.#pinned.size > 0) found.push(...(this.#pinned.get(node)?.values() ?? []));
    return found;
  }

  #of({ pinnedTo }: PodView, { from }: Wakes): readonly Map<string, Group>[] {
    if (pinnedTo === undefined || from === 'anywhere') return this.#unpinned;
    return Array.from(pinnedTo, (node) => {
      const groups = this.#pinned.get(node) ?? new Map<string, Group>();
      this.#pinned.set(node, groups);
      return groups;
    });
  }
}
