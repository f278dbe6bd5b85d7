import type { Namespace, Node, Pod } from '../api/generated/core-v1.ts';
import { namespaces as namespacesType, nodes as nodesType, pods as podsType } from '../api/generated/kinds.ts';
import { isStatusError } from '../api/status.ts';
import { scheduler } from '../api/system-identities.ts';
import { type Backoff, backoffMs } from '../base/backoff.ts';
import { sleep } from '../base/clock.ts';
import { equal } from '../base/equal.ts';
import type { Random } from '../base/random.ts';
import { onAbort } from '../base/signal.ts';
import type { CacheEvent } from '../client/cache.ts';
import { createClient } from '../client/create-client.ts';
import type { Component, Platform } from '../runtime/component.ts';
import { createEventRecorder } from '../runtime/events.ts';
import { changeOfPlaced, changesDemands, changesPlacement, isWaiting } from './changes.ts';
import { defaultPlugins } from './default-plugins.ts';
import { unplacedMessage } from './message.ts';
import { createOutcomes, type Outcomes } from './outcome.ts';
import type { PlacementEvent, SchedulerPlugin } from './plugin.ts';
import { type PodView, podView } from './pod-view.ts';
import { preempt } from './preempt.ts';
import { createSchedulingQueue, type SchedulingQueue } from './queue.ts';
import { cachesOf, changeOf, consultsOf, readsOf } from './reads.ts';
import { schedule, type Unplaced } from './schedule.ts';
import { createSnapshot, type LiveSnapshot } from './snapshot.ts';

export interface SchedulerOptions {
  /** Pods that name another scheduler are left alone. */
  readonly name?: string;
  readonly plugins?: readonly SchedulerPlugin[];
}

/** Decisions in one turn of the event loop; then others get theirs. */
const decisionsPerTurn = 64;
/** Bindings under way; more would only wait in the API server. */
const bindingsMax = 512;

/**
 * The default scheduler. One loop decides, pod by pod, on the live snapshot; bindings are written in the background while
 * the room that they take is already counted.
 */
export function createScheduler(
  platform: Platform,
  { name = 'default-scheduler', plugins = defaultPlugins }: SchedulerOptions = {},
): Component {
  const { clock, transport, informers } = platform;
  const random = platform.random.fork(name);
  const client = createClient(transport, scheduler.user);
  const events = createEventRecorder({ client, clock, random: random.fork('events'), source: name });
  return {
    name,
    async run({ signal }) {
      const reads = readsOf(plugins);
      await informers.sync([nodesType, podsType, ...reads, ...consultsOf(plugins)], { signal });
      const outcomes = createOutcomes({ client, events, clock, signal, schedulerName: name });
      const state: State = {
        platform,
        name,
        plugins,
        random,
        outcomes,
        signal,
        queue: createSchedulingQueue(clock),
        snapshot: createSnapshot(cachesOf(plugins, informers)),
      };
      const stops = [
        informers.listen(nodesType, (event) => seeNode(event, state)),
        informers.listen(podsType, (event) => seePod(event, state)),
        ...namespacesOf(plugins).map((type) => informers.listen(type, (event) => seeNamespace(event, state))),
        ...reads.map((type) => informers.listen(type, () => state.queue.wake(changeOf(type), undefined))),
      ];
      await Promise.all([events.run({ signal }), decide(state)]).finally(() => {
        for (const stop of stops) stop();
      });
    },
  };
}

interface State {
  readonly platform: Platform;
  readonly name: string;
  readonly plugins: readonly SchedulerPlugin[];
  readonly random: Random;
  readonly outcomes: Outcomes;
  readonly signal: AbortSignal;
  readonly queue: SchedulingQueue;
  readonly snapshot: LiveSnapshot;
}

function seeNode({ type, object, previous }: CacheEvent<Node>, { snapshot, queue }: State): void {
  const { name } = object.metadata;
  if (type === 'deleted') {
    snapshot.removeNode(name);
    queue.wake('node/removed', name);
    return;
  }
  snapshot.setNode(object);
  if (type === 'added') queue.wake('node/added', name);
  else if (changesPlacement(previous, object)) queue.wake('node/updated', name);
}

function seePod({ type, object, previous }: CacheEvent<Pod>, state: State): void {
  const { snapshot, queue, name } = state;
  const { uid } = object.metadata;
  const node = object.spec.nodeName ?? '';
  if (type === 'deleted') {
    queue.remove(uid);
    snapshot.removePod(uid);
    if (node !== '') queue.wake('pod/removed', node);
    return;
  }
  if (node !== '') {
    queue.remove(uid);
    const event = placedEvent(object, state);
    if (event !== undefined) queue.wake(event, node);
    return;
  }
  if (isWaiting(object, name)) {
    queue.put(podView(object), { isChanged: previous !== undefined && changesDemands(previous, object) });
    const nominated = object.status.nominatedNodeName ?? '';
    if (nominated !== '') snapshot.nominate(podView(object), nominated);
  } else queue.remove(uid);
}

/** Takes in a pod that has a node, and says what happened to it there. */
function placedEvent(pod: Pod, { snapshot }: State): PlacementEvent | undefined {
  const { uid } = pod.metadata;
  const place = snapshot.node(pod.spec.nodeName ?? '');
  const before = place?.pods.get(uid)?.pod;
  snapshot.setPod(pod);
  const isHeld = place?.pods.has(uid) === true;
  if (before === undefined) return isHeld ? 'pod/added' : undefined;
  if (!isHeld) return 'pod/removed';
  // What was assumed has just become true.
  if ((before.spec.nodeName ?? '') === '') return 'pod/added';
  return changeOfPlaced(before, pod);
}

/** Labels of namespaces say which pods a rule is about. */
function namespacesOf(plugins: readonly SchedulerPlugin[]): readonly (typeof namespacesType)[] {
  return consultsOf(plugins).includes(namespacesType) ? [namespacesType] : [];
}

function seeNamespace({ object, previous }: CacheEvent<Namespace>, { snapshot }: State): void {
  if (!equal(object.metadata.labels, previous?.metadata.labels)) snapshot.namespaceChanged();
}

async function decide(state: State): Promise<void> {
  const { queue, signal, platform } = state;
  const progress: Progress = { startAt: 0, bindings: 0 };
  while (!signal.aborted) {
    let decisions = 0;
    for (let pod = queue.pop(); pod !== undefined; pod = queue.pop()) {
      decideOne(pod, state, progress);
      if (++decisions >= decisionsPerTurn || progress.bindings >= bindingsMax) break;
    }
    if (progress.bindings >= bindingsMax || decisions >= decisionsPerTurn) await platform.clock.turn();
    else await readiness(queue, signal);
  }
}

const askAgain: Backoff = { initialMs: 200, maxMs: 10_000, factor: 2, jitter: 0.5 };

interface Progress {
  /** Where the next search for a node begins. */
  startAt: number;
  bindings: number;
}

function readiness(queue: SchedulingQueue, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      stop();
      queue.onReady(() => undefined);
      resolve();
    };
    const stop = onAbort(signal, end);
    queue.onReady(end);
  });
}

/** Decides in this very turn; what follows from it happens in the background. */
function decideOne(pod: PodView, state: State, progress: Progress): void {
  const { snapshot, plugins, random, platform, name } = state;
  const placement = schedule(pod, snapshot, { plugins, random, startAt: progress.startAt });
  progress.startAt = snapshot.nodes.length === 0 ? 0 : (progress.startAt + placement.examined) % snapshot.nodes.length;
  if (placement.node === undefined) {
    giveUp(pod, placement, state).catch((error: unknown) =>
      platform.report({ component: name, message: `cannot report on pod ${pod.key}`, error }),
    );
    return;
  }
  progress.bindings++;
  void bindTo(placement.node, pod, state)
    .catch(() => undefined)
    .finally(() => {
      progress.bindings--;
    });
}

async function bindTo(node: string, pod: PodView, state: State): Promise<void> {
  const { snapshot, outcomes, queue, platform, name, signal } = state;
  snapshot.assume(pod, node);
  try {
    await outcomes.bind(pod, node);
  } catch (error) {
    if (signal.aborted) return;
    if (!isStatusError(error))
      platform.report({ component: name, message: `cannot bind pod ${pod.key} to ${node}`, error });
    // The room stays taken until it is certain that nobody has it: an answer may get lost after the pod was bound.
    const place = isRefusal(error) ? '' : await findPlace(pod, state);
    if (place === node) return;
    snapshot.forget(pod.uid);
    if (place === '' && !isStatusError(error, 'NotFound')) queue.failed(pod);
    else queue.remove(pod.uid);
  }
}

/** Whether the API said that it did nothing. A conflict may come from an earlier attempt that did take effect. */
function isRefusal(error: unknown): boolean {
  return isStatusError(error) && error.code < 500 && error.reason !== 'Conflict';
}

/** Asks until the API tells where the pod is. */
async function findPlace(pod: PodView, { outcomes, platform, random, signal }: State): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await outcomes.place(pod);
    } catch {
      await sleep(platform.clock, backoffMs(askAgain, { attempt, random }), { signal });
    }
  }
}

async function giveUp(pod: PodView, unplaced: Unplaced, { snapshot, queue, outcomes }: State): Promise<void> {
  const preemption = unplaced.cycle && preempt(unplaced.cycle, unplaced);
  queue.unplaced(pod, unplaced.wakes);
  const message = unplacedMessage(unplaced, { nodeCount: snapshot.nodes.length, preemption });
  const nominatedNode =
    preemption?.outcome === 'makesRoom' || preemption?.outcome === 'waits' ? preemption.node : undefined;
  if (nominatedNode === undefined) snapshot.denominate(pod.uid);
  else snapshot.nominate(pod, nominatedNode);
  await outcomes.reportUnplaced(pod, { reason: 'Unschedulable', message, nominatedNode });
  if (preemption?.outcome === 'makesRoom') await outcomes.evict(pod, preemption);
}
