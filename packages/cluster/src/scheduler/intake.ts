import type { Namespace, Node, Pod } from '../api/generated/core-v1.ts';
import {
  namespaces as namespacesType,
  nodes as nodesType,
  poddisruptionbudgets,
  pods as podsType,
} from '../api/generated/kinds.ts';
import { equal } from '../base/equal.ts';
import type { CacheEvent } from '../client/cache.ts';
import { defaultSchedulerName } from '../resources/core/pod/defaults.ts';
import { budgetsOf } from './budgets.ts';
import { changeOfPlaced, changesDemands, changesPlacement, isWaiting } from './changes.ts';
import type { Step } from './cycle.ts';
import type { Change, ClusterEvent, PlacementEvent, SchedulerPlugin, Wakes } from './plugin.ts';
import { type PodView, podView } from './pod-view.ts';
import { accepts, acceptsOnceCleared, opensUp } from './prospects.ts';
import type { Prospect } from './queue.ts';
import { changeOf, consultsOf, readsOf } from './reads.ts';
import type { State } from './state.ts';

/** Keeps the snapshot and the queue up to date with what happens in the cluster. Returns how it ends. */
export function takeIn(state: State, plugins: readonly SchedulerPlugin[]): () => void {
  const { informers } = state.platform;
  const stops = [
    informers.listen(nodesType, (event) => seeNode(event, state)),
    informers.listen(podsType, (event) => {
      seePod(event, state);
      tellReleased(state);
    }),
    ...namespacesOf(plugins).map((type) => informers.listen(type, (event) => seeNamespace(event, state))),
    ...readsOf(plugins).map((type) =>
      informers.listen(type, () => {
        wake(changeOf(type), { state, name: undefined });
        for (const look of state.attentive) look();
      }),
    ),
    informers.listen(poddisruptionbudgets, () => {
      state.budgets = budgetsOf(informers.of(poddisruptionbudgets), state.budgets.version + 1);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function seeNode({ type, object, previous }: CacheEvent<Node>, state: State): void {
  const { snapshot } = state;
  const { name } = object.metadata;
  if (type === 'deleted') {
    snapshot.removeNode(name);
    wake('node/removed', { state, name });
    return;
  }
  snapshot.setNode(object);
  if (type === 'added') wake('node/added', { state, name });
  else if (changesPlacement(previous, object)) wake('node/updated', { state, name, previous });
}

function seePod({ type, object, previous }: CacheEvent<Pod>, state: State): void {
  const { snapshot, queue, profiles } = state;
  const { uid } = object.metadata;
  const node = object.spec.nodeName ?? '';
  if (type === 'deleted') {
    state.underWay.get(uid)?.();
    queue.remove(uid);
    leave(object, state);
    return;
  }
  if (node !== '') {
    queue.remove(uid);
    place(object, state);
    return;
  }
  if (isWaiting(object, profiles)) {
    queue.put(podView(object), { isChanged: previous !== undefined && changesDemands(previous, object) });
    const nominated = object.status.nominatedNodeName ?? '';
    if (nominated !== '') snapshot.nominate(podView(object), nominated);
    else if (previous?.status.nominatedNodeName === snapshot.nominationOf(uid)) {
      snapshot.denominate(uid);
      tellReleased(state);
      // Only now: what it gives up is no news to itself.
      queue.unpromise(uid);
    }
  } else {
    queue.remove(uid);
    leave(object, state);
  }
}

/** A pod is gone, with what it held. */
function leave(pod: Pod, state: State): void {
  const { snapshot } = state;
  const { uid } = pod.metadata;
  const name = pod.spec.nodeName ?? '';
  const held = snapshot.node(name)?.pods.get(uid);
  snapshot.removePod(uid);
  if (name !== '') wake('pod/removed', { state, name, pod: held ?? podView(pod) });
}

/** The pod does not go to the node after all: whatever it had taken there is free again. */
export function giveBack(pod: PodView, { node, state }: { readonly node: string; readonly state: State }): void {
  const { snapshot } = state;
  snapshot.volumes.release(pod.uid);
  snapshot.forget(pod.uid);
  wake('pod/removed', { state, name: node, pod });
}

/** Room that was promised counts as taken: when a promise ends, it is as if a pod had gone. */
export function tellReleased(state: State): void {
  for (const { node, pod } of state.snapshot.takeReleased()) wake('pod/removed', { state, name: node, pod });
}

/** Takes in a pod that has a node. */
function place(pod: Pod, state: State): void {
  const { snapshot } = state;
  const name = pod.spec.nodeName ?? '';
  const account = snapshot.node(name);
  const before = account?.pods.get(pod.metadata.uid);
  snapshot.setPod(pod);
  const isHeld = account?.pods.has(pod.metadata.uid) === true;
  const event = placedEvent(pod, { before: before?.pod, isHeld });
  if (event !== undefined) wake(event, { state, name, pod: podView(pod), before });
}

function placedEvent(
  pod: Pod,
  { before, isHeld }: { readonly before: Pod | undefined; readonly isHeld: boolean },
): PlacementEvent | undefined {
  if (before === undefined) return isHeld ? 'pod/added' : undefined;
  if (!isHeld) return 'pod/removed';
  // What was assumed has just become true.
  if ((before.spec.nodeName ?? '') === '') return 'pod/added';
  return changeOfPlaced(before, pod);
}

/** Brings back whom a change can help. */
function wake(event: ClusterEvent, { state, name, previous, ...about }: Happened): void {
  const { queue, snapshot } = state;
  const node = name === undefined ? undefined : snapshot.node(name);
  const change: Change = { event, snapshot, node, ...about };
  const isWelcome = (pod: PodView, filters: readonly Step[] | undefined): boolean =>
    filters === undefined || node === undefined || accepts(pod, { node, filters, snapshot });
  queue.wake(event, name, (first, { on, filters, unpromised }) => {
    const asked = on.get(event) ?? [];
    if (asked.length > 0 && !asked.some(({ helps }) => helps === undefined || helps(first, change))) return false;
    // The one that is asked stands for its group: what is promised to it is for nobody else of them.
    const pod = { ...first, uid: '' };
    if (isWelcome(pod, filters) || filters === undefined || node === undefined) return true;
    if (previous !== undefined && opensUp(pod, { node, filters, previous, by: asked })) return true;
    // Who is promised a node does not ask for a second one to be cleared.
    return unpromised === undefined && mayPreempt(pod, state) && acceptsOnceCleared(pod, { node, filters, snapshot });
  });
  // Room that is promised to somebody is free for nobody else, so its group was not asked about it. It is tried once the last
  // of those who make room is gone: each attempt in vain would make the next one wait longer. When the node itself changes
  // the promise may be void, which only its pod finds out.
  if (name === undefined) return;
  const prospect = (pod: PodView, { on, filters }: Wakes): Prospect => {
    if (event === 'node/updated') return 'may fit';
    // What keeps it away is not asked about this, e.g. when those for whom it waits begin to go.
    if (!on.has(event)) return 'in vain';
    if (!isWelcome(pod, filters)) return 'in vain';
    return filters === undefined || node === undefined ? 'may fit' : 'fits';
  };
  for (const { uid } of snapshot.nominatedTo(name)) queue.stir(uid, prospect);
}

interface Happened {
  readonly state: State;
  /** The node's. */
  readonly name: string | undefined;
  /** The node as it was before it changed. */
  readonly previous?: Node | undefined;
  readonly pod?: PodView | undefined;
  readonly before?: PodView | undefined;
}

function mayPreempt({ pod }: PodView, { profiles }: State): boolean {
  return profiles.get(pod.spec.schedulerName ?? defaultSchedulerName)?.profile.preemption !== undefined;
}

/** Labels of namespaces say which pods a rule is about. */
function namespacesOf(plugins: readonly SchedulerPlugin[]): readonly (typeof namespacesType)[] {
  return consultsOf(plugins).includes(namespacesType) ? [namespacesType] : [];
}

function seeNamespace({ object, previous }: CacheEvent<Namespace>, { snapshot }: State): void {
  if (!equal(object.metadata.labels, previous?.metadata.labels)) snapshot.namespaceChanged();
}
