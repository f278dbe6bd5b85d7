import type { DriverEars, LogQuery, Machine, NodeDriver, Pod } from '@signalbox/cluster';
import { evictionOf } from '../pod/overfull.ts';
import type { ContainerState, Inside, InsideEvent, InsideState } from '../protocol/inside.ts';
import { createKeeper, type PodKeeper } from './keeper.ts';
import type { Means } from './means.ts';

export const driverName = 'process';

export interface ProcessDriverOptions extends Omit<Means, 'changed' | 'happened' | 'inside'> {
  readonly machine: () => Machine;
  readonly readLogs: (pod: Pod, query: LogQuery, waiting: { readonly signal: AbortSignal }) => AsyncIterable<string>;
  readonly report: (message: string, error: unknown) => void;
}

export interface ProcessDriver extends NodeDriver {
  /** There is a process inside; it may be another one than before, or the same after a pause. */
  insideIs(inside: Inside, state: InsideState): void;
  /** It is not there any more, and nothing of it. */
  insideIsLost(): void;
  ended(state: ContainerState): void;
  /** A pod's folder on disk has become too large. */
  overfull(event: Extract<InsideEvent, { readonly is: 'overfull' }>): void;
  /** Whether a node agent works with it: all pods of its cache are named by then. */
  readonly isListened: boolean;
  /** Pods that the process inside holds and that nobody has named since: their objects are gone. */
  unclaimed(): readonly string[];
}

/** Pods of one node as processes of this machine. */
export function createProcessDriver(options: ProcessDriverOptions): ProcessDriver {
  const { clock, report } = options;
  const keepers = new Map<string, PodKeeper>();
  const pods = new Map<string, Pod>();
  let ears: DriverEars | undefined;
  let inside: Inside | undefined;
  let found: InsideState | undefined;

  const means: Means = {
    ...options,
    inside() {
      if (inside === undefined) throw new Error('the process inside is being started again');
      return inside;
    },
    changed: (pod) => ears?.changed(pod),
    happened: (pod, event) => ears?.happened(pod, event),
  };
  const keeperOf = ({ metadata }: Pod): PodKeeper | undefined => keepers.get(metadata.uid);

  return {
    name: driverName,
    listen(to) {
      ears = to;
    },
    join: () => undefined,
    machine: () => options.machine(),
    leave: () => undefined,
    adopt(pod) {
      const { uid } = pod.metadata;
      if (keepers.has(uid)) return;
      const place = found?.pods.find((each) => each.uid === uid);
      const states = found?.containers.filter((each) => each.pod === uid) ?? [];
      keepers.set(uid, createKeeper({ means, pod, place, states }));
    },
    status(pod) {
      const keeper = keeperOf(pod);
      keeper?.see(pod);
      pods.set(pod.metadata.uid, pod);
      return keeper?.seen() ?? { containers: new Map() };
    },
    start: (pod, starts) => keeperOf(pod)?.start(starts),
    stop: (pod, terms) => keeperOf(pod)?.stop(terms),
    forget(pod) {
      const keeper = keeperOf(pod);
      keepers.delete(pod.metadata.uid);
      pods.delete(pod.metadata.uid);
      keeper
        ?.forget()
        .catch((error: unknown) =>
          report(`cannot clear what is left of pod ${pod.metadata.namespace}/${pod.metadata.name}`, error),
        );
    },
    logs: options.readLogs,
    // Whoever measures asks the kubelet's door.
    usage: () => undefined,
    insideIs(next, state) {
      inside = next;
      found = state;
    },
    overfull(event) {
      for (const pod of pods.values()) if (pod.metadata.uid === event.pod) keeperOf(pod)?.evict(evictionOf(pod, event));
    },
    insideIsLost() {
      inside = undefined;
      found = undefined;
      for (const keeper of keepers.values()) keeper.lost(clock.nowMs());
    },
    get isListened() {
      return ears !== undefined;
    },
    ended: (state) => keepers.get(state.pod)?.ended(state),
    unclaimed: () =>
      [...(found?.pods.map(({ uid }) => uid) ?? []), ...(found?.orphans ?? [])].filter((uid) => !keepers.has(uid)),
  };
}
