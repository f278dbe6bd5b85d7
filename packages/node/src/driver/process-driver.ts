import type { DriverEars, LogQuery, Machine, NodeDriver, Pod, PodSeen } from '@signalbox/cluster';
import { evictionOf } from '../pod/overfull.ts';
import type { ContainerState, Inside, InsideEvent, InsideState } from '../protocol/inside.ts';
import { createKeeper, type PodKeeper } from './keeper.ts';
import type { Means } from './means.ts';
import { asRun, mirrorAnnotation } from './mirror.ts';

export const driverName = 'process';

export interface ProcessDriverOptions extends Omit<Means, 'changed' | 'happened' | 'inside'> {
  readonly machine: () => Machine;
  readonly readLogs: (pod: Pod, query: LogQuery, waiting: { readonly signal: AbortSignal }) => AsyncIterable<string>;
  /** Whether a manifest of the node's own is the one that a mirror of this hash stands for. */
  readonly wantsStatic: (hash: string) => boolean;
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
  /** Something of the pod is not as it was asked for: an event of it says so. */
  told(event: Extract<InsideEvent, { readonly is: 'told' }>): void;
  /** Whether a node agent works with it: all pods of its cache are named by then. */
  readonly isListened: boolean;
  /** Pods that the process inside holds and that nobody has named since: their objects are gone. */
  unclaimed(): readonly string[];
}

/** Pods of one node as processes of this machine. */
export function createProcessDriver(options: ProcessDriverOptions): ProcessDriver {
  const state: State = { keepers: new Map(), pods: new Map(), ears: undefined, inside: undefined, found: undefined };
  const means = meansOf(options, state);
  const { keepers, pods } = state;
  const keeperOf = (pod: Pod): PodKeeper | undefined => keepers.get(asRun(pod).metadata.uid);
  /** Behind a mirror stands a manifest: who deletes the mirror ends nothing. */
  const runsByItself = ({ metadata }: Pod): boolean => {
    const hash = metadata.annotations?.[mirrorAnnotation];
    return hash !== undefined && options.wantsStatic(hash);
  };
  return {
    name: driverName,
    ...insideOf(options, state),
    listen(to) {
      state.ears = to;
    },
    get isListened() {
      return state.ears !== undefined;
    },
    join: () => undefined,
    machine: () => options.machine(),
    leave: () => undefined,
    adopt(mirror) {
      const pod = asRun(mirror);
      const { uid } = pod.metadata;
      if (keepers.has(uid)) return;
      const place = state.found?.pods.find((each) => each.uid === uid);
      const states = state.found?.containers.filter((each) => each.pod === uid) ?? [];
      keepers.set(uid, createKeeper({ means, pod, place, states }));
    },
    status(mirror) {
      if (mirror.metadata.deletionTimestamp !== undefined && runsByItself(mirror)) return nothing;
      const pod = asRun(mirror);
      const keeper = keeperOf(pod);
      keeper?.see(pod);
      pods.set(pod.metadata.uid, pod);
      return keeper?.seen() ?? nothing;
    },
    start: (pod, starts) => keeperOf(pod)?.start(starts),
    stop: (pod, terms) => keeperOf(pod)?.stop(terms),
    forget(mirror) {
      if (runsByItself(mirror)) return;
      const { uid, namespace, name } = asRun(mirror).metadata;
      const keeper = keepers.get(uid);
      keepers.delete(uid);
      pods.delete(uid);
      const left = `cannot clear what is left of pod ${namespace}/${name}`;
      keeper?.forget().catch((error: unknown) => options.report(left, error));
    },
    logs: options.readLogs,
    // Whoever measures asks the kubelet's door.
    usage: () => undefined,
  };
}

/** By the uids under which they run. */
interface State {
  readonly keepers: Map<string, PodKeeper>;
  readonly pods: Map<string, Pod>;
  ears: DriverEars | undefined;
  inside: Inside | undefined;
  found: InsideState | undefined;
}

function meansOf(options: ProcessDriverOptions, state: State): Means {
  return {
    ...options,
    inside() {
      if (state.inside === undefined) throw new Error('the process inside is being started again');
      return state.inside;
    },
    changed: (pod) => state.ears?.changed(pod),
    happened: (pod, event) => state.ears?.happened(pod, event),
  };
}

type InsideEars = Pick<ProcessDriver, 'insideIs' | 'insideIsLost' | 'ended' | 'overfull' | 'told' | 'unclaimed'>;

function insideOf({ clock }: ProcessDriverOptions, state: State): InsideEars {
  const { keepers, pods } = state;
  return {
    insideIs(inside, found) {
      state.inside = inside;
      state.found = found;
    },
    insideIsLost() {
      state.inside = undefined;
      state.found = undefined;
      for (const keeper of keepers.values()) keeper.lost(clock.nowMs());
    },
    ended: (container) => keepers.get(container.pod)?.ended(container),
    overfull(event) {
      const pod = pods.get(event.pod);
      if (pod !== undefined) keepers.get(event.pod)?.evict(evictionOf(pod, event));
    },
    told({ pod: uid, message }) {
      const pod = pods.get(uid);
      if (pod !== undefined) state.ears?.happened(pod, { type: 'Warning', reason: 'NotAsAsked', note: message });
    },
    unclaimed() {
      const { pods: places = [], orphans = [], containers = [] } = state.found ?? {};
      const known = new Set([...places.map(({ uid }) => uid), ...orphans, ...containers.map(({ pod }) => pod)]);
      return [...known].filter((uid) => !keepers.has(uid));
    },
  };
}

const nothing: PodSeen = { containers: new Map() };
