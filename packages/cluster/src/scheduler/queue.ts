import type { Clock } from '../base/clock.ts';
import { createHeap } from '../base/heap.ts';
import type { ClusterEvent } from './plugin.ts';
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
  unplaced(pod: PodView, wakesOn: ReadonlySet<ClusterEvent>): void;
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

interface Waiting {
  readonly pod: PodView;
  readonly state: 'ready' | 'backoff' | 'unplaced' | 'inFlight';
  readonly attempts: number;
  readonly sinceMs: number;
  readonly wakesOn: ReadonlySet<ClusterEvent>;
  cancel?: () => void;
}

const never: ReadonlySet<ClusterEvent> = new Set();

export function createSchedulingQueue(clock: Clock): SchedulingQueue {
  const entries = new Map<string, Waiting>();
  const ready = createHeap<Waiting>(isBefore);
  const waking = createWakeIndex();
  let notify: () => void = () => undefined;

  const set = (entry: Waiting): void => {
    const { uid } = entry.pod;
    const before = entries.get(uid);
    before?.cancel?.();
    if (before?.state === 'unplaced') waking.remove(before.pod);
    entries.set(uid, entry);
    if (entry.state === 'unplaced') waking.add(entry.pod);
    if (entry.state !== 'ready') return;
    ready.push(entry);
    notify();
  };

  const makeReady = (entry: Waiting): void => set({ ...entry, state: 'ready', wakesOn: never });

  const backOff = (entry: Waiting): void => {
    const waitMs =
      Math.min(backoffMaxMs, backoffInitialMs * 2 ** (entry.attempts - 1)) - (clock.nowMs() - entry.sinceMs);
    if (waitMs <= 0) {
      makeReady(entry);
      return;
    }
    const waiting: Waiting = { ...entry, state: 'backoff', wakesOn: never };
    waiting.cancel = clock.after(waitMs, () => makeReady(waiting));
    set(waiting);
  };

  return {
    get size() {
      return entries.size;
    },
    put(pod, { isChanged }) {
      const entry = entries.get(pod.uid);
      const sinceMs = clock.nowMs();
      if (entry === undefined) set({ pod, state: 'ready', attempts: 0, sinceMs, wakesOn: never });
      else if (entry.state === 'unplaced' && isChanged) backOff({ ...entry, pod });
      else if (entry.state === 'inFlight') entries.set(pod.uid, { ...entry, pod });
      else set({ ...entry, pod, ...rescheduled(entry, clock, makeReady) });
    },
    remove(uid) {
      const entry = entries.get(uid);
      if (entry === undefined) return;
      entry.cancel?.();
      if (entry.state === 'unplaced') waking.remove(entry.pod);
      entries.delete(uid);
    },
    pop() {
      for (let entry = ready.pop(); entry !== undefined; entry = ready.pop()) {
        // Entries that changed since they were pushed are left in the heap; only the newest one counts.
        if (entries.get(entry.pod.uid) !== entry) continue;
        entries.set(entry.pod.uid, {
          ...entry,
          state: 'inFlight',
          attempts: entry.attempts + 1,
          sinceMs: clock.nowMs(),
        });
        return entry.pod;
      }
      return undefined;
    },
    unplaced(pod, wakesOn) {
      const entry = entries.get(pod.uid);
      if (entry === undefined) return;
      const waiting: Waiting = { ...entry, state: 'unplaced', wakesOn };
      waiting.cancel = clock.after(unplacedMaxMs, () => makeReady(waiting));
      set(waiting);
    },
    failed(pod) {
      const entry = entries.get(pod.uid);
      if (entry !== undefined) backOff(entry);
    },
    wake(event, node) {
      for (const uid of waking.candidates(node)) {
        const entry = entries.get(uid);
        if (entry?.state === 'unplaced' && entry.wakesOn.has(event)) backOff(entry);
      }
    },
    onReady(callback) {
      notify = callback;
    },
  };
}

/** A back-off goes on for the new version of the pod. */
function rescheduled(entry: Waiting, clock: Clock, makeReady: (entry: Waiting) => void): Partial<Waiting> {
  if (entry.state !== 'backoff') return {};
  const waitMs = Math.min(backoffMaxMs, backoffInitialMs * 2 ** (entry.attempts - 1)) - (clock.nowMs() - entry.sinceMs);
  return { cancel: clock.after(Math.max(0, waitMs), () => makeReady(entry)) };
}

function isBefore(a: Waiting, b: Waiting): boolean {
  if (a.pod.priority !== b.pod.priority) return a.pod.priority > b.pod.priority;
  return a.sinceMs < b.sinceMs;
}

/** Finds the pods that an event on one node can help, without asking the thousands that are pinned to other nodes. */
function createWakeIndex(): {
  add(pod: PodView): void;
  remove(pod: PodView): void;
  candidates(node: string | undefined): readonly string[];
} {
  const anywhere = new Set<string>();
  const pinned = new Map<string, Set<string>>();
  return {
    add({ uid, pinnedTo }) {
      if (pinnedTo === undefined) anywhere.add(uid);
      for (const node of pinnedTo ?? []) pinned.set(node, (pinned.get(node) ?? new Set()).add(uid));
    },
    remove({ uid, pinnedTo }) {
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
