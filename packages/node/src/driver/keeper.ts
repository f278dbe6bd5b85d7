/** One pod of the node: what its containers are, and what is done about it. */
import { isDeepStrictEqual } from 'node:util';
import type {
  Container,
  ContainerSeen,
  ContainerStart,
  Ended,
  Pod,
  PodSeen,
  Started,
  StopTerms,
} from '@signalbox/cluster';
import type { Eviction } from '../pod/overfull.ts';
import type { ContainerState, PodPlace } from '../protocol/inside.ts';
import { createGround, type GroundKeeper } from './ground.ts';
import type { Means } from './means.ts';
import { beforeOf, endOf, recalled, startedOf } from './recall.ts';
import { askOn, killContainer, type RunOptions, startRun } from './run.ts';

export interface PodKeeper {
  /** A newer state of the API's object. */
  see(pod: Pod): void;
  seen(): PodSeen;
  start(starts: readonly ContainerStart[]): void;
  stop(terms: StopTerms): void;
  /** One of its containers has ended. */
  ended(state: ContainerState): void;
  /** It has to go, and does not come back. */
  evict(eviction: Eviction): void;
  /** Everything that ran has ended with the process inside. */
  lost(nowMs: number): void;
  /** What was made for it is no longer there once this resolves. */
  forget(): Promise<void>;
}

export interface KeeperOptions {
  readonly means: Means;
  readonly pod: Pod;
  /** What is there of it, from an earlier agent. */
  readonly place: PodPlace | undefined;
  readonly states: readonly ContainerState[];
}

interface Held {
  readonly container: Container;
  seen: ContainerSeen;
  /** Of the run of now. */
  readonly life: AbortController;
  /** Its end was ordered. */
  isStopping: boolean;
}

interface State {
  readonly means: Means;
  readonly ground: GroundKeeper;
  readonly held: Map<string, Held>;
  /** The last one of each container. */
  readonly attempts: Map<string, number>;
  pod: Pod;
  stopping: StopTerms | undefined;
  evicted: Eviction | undefined;
  /** Once it is over: what it held is being given back, or has been. */
  clearing: Promise<void> | undefined;
}

export function createKeeper({ means, pod, place, states }: KeeperOptions): PodKeeper {
  const ground = createGround({ means, found: place, lastAddress: pod.status.podIP });
  const begun = { held: new Map(), attempts: new Map(), stopping: undefined, evicted: undefined, clearing: undefined };
  const state: State = { means, ground, pod, ...begun };
  recall(state, { place, states });
  return {
    see(next) {
      const before = state.pod;
      state.pod = next;
      if (isOver(state)) clear(state);
      else if ((next.spec.volumes ?? []).length > 0 && mayChangeFiles(before, next)) ground.refresh(next);
    },
    seen: () => ({
      containers: new Map([...state.held].map(([name, { seen }]) => [name, seen])),
      tellsEnds: true,
      keepsSizes: true,
      ...(ground.address !== undefined && { podIp: ground.address }),
      ...(state.stopping !== undefined && { stopping: state.stopping }),
      ...(state.evicted !== undefined && { failed: state.evicted }),
    }),
    start(starts) {
      for (const each of starts) startOne(state, each);
    },
    stop: (terms) => stopAll(state, terms),
    ended: (container) => seeEnd(state, container),
    evict: (eviction) => evict(state, eviction),
    lost: (nowMs) => lose(state, nowMs),
    async forget() {
      for (const one of state.held.values()) one.life.abort(new Error('the pod is gone'));
      // What is still being made would stay for ever if it came after the removal.
      await ground.end();
      await state.clearing;
      means.objects.release(state.pod);
      means.tokens.forget(state.pod);
      try {
        await means.inside().removePod(state.pod.metadata.uid);
      } finally {
        ground.release();
      }
    },
  };
}

function recall(state: State, { place, states }: Pick<KeeperOptions, 'place' | 'states'>): void {
  const { means, ground, held, pod } = state;
  const found = recalled(pod, { states, nowMs: means.clock.nowMs() });
  const repeats = place === undefined && isToRunOn(pod, (name) => found.get(name));
  for (const [name, seen] of found) {
    const container = containerNamed(pod, name);
    if (container === undefined) continue;
    if (seen.is !== 'waiting') state.attempts.set(name, seen.restartCount);
    if (repeats && isToBeRepeated(pod, container)) continue;
    const one: Held = { container, seen, life: new AbortController(), isStopping: false };
    held.set(name, one);
    if (seen.is === 'running')
      go(state, one, askOn(optionsOf(state, one, { attempt: seen.restartCount, since: seen })));
  }
  // Its files have to follow what they are made of again.
  if (place !== undefined && !isTerminal(pod))
    ground.ready(pod, { signal: new AbortController().signal }).catch(() => undefined);
}

/** Most news of a pod is what was said of it here: its status, of which no file is made. */
function mayChangeFiles(before: Pod, { metadata, spec }: Pod): boolean {
  if (before.metadata.resourceVersion === metadata.resourceVersion) return false;
  const { labels, annotations } = metadata;
  return !isDeepStrictEqual(
    [before.metadata.labels, before.metadata.annotations, before.spec],
    [labels, annotations, spec],
  );
}

function isTerminal({ status: { phase } }: Pod): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

/** It will run no more: that was told, and nothing of it runs. */
function isOver({ pod, held }: State): boolean {
  return isTerminal(pod) && [...held.values()].every(({ seen }) => seen.is === 'ended');
}

/** Its object may stay for long, as those of evicted pods do: what it held must not. Its logs stay with it. */
function clear(state: State): void {
  const { means, ground, pod } = state;
  const work = async (): Promise<void> => {
    await ground.end();
    means.objects.release(pod);
    means.tokens.forget(pod);
    await means.inside().removeVolumes(pod.metadata.uid);
  };
  // What fails is tried with the next look.
  state.clearing ??= work().catch(() => {
    state.clearing = undefined;
  });
}

function containerNamed({ spec }: Pod, name: string): Container | undefined {
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  return [...initContainers, ...containers, ...ephemeralContainers].find((each) => each.name === name);
}

function isSidecar({ spec }: Pod, container: Container): boolean {
  return (
    container.restartPolicy === 'Always' && spec.initContainers?.some(({ name }) => name === container.name) === true
  );
}

/** What it has made may be gone with what it was made in, so it runs again before the others do, as in a new sandbox. */
function isToBeRepeated(pod: Pod, container: Container): boolean {
  return !isSidecar(pod, container) && pod.spec.initContainers?.some(({ name }) => name === container.name) === true;
}

/** Whether one of its main containers is still to run. Where none is, it is over: nothing has to be made anew. */
function isToRunOn({ spec }: Pod, seenOf: (name: string) => ContainerSeen | undefined): boolean {
  return spec.containers.some(({ name }) => {
    const seen = seenOf(name);
    if (seen?.is !== 'ended' || spec.restartPolicy === undefined || spec.restartPolicy === 'Always') return true;
    return spec.restartPolicy === 'OnFailure' && seen.exitCode !== 0;
  });
}

function lose(state: State, nowMs: number): void {
  const { held, ground, pod } = state;
  ground.lost();
  for (const one of held.values()) {
    if (one.seen.is === 'running') {
      const { id } = one.seen;
      end(state, one, { ...startedOf(one.seen), id, endedMs: nowMs, exitCode: 137, signal: 9, reason: 'Error' });
    }
  }
  if (!isToRunOn(pod, (name) => held.get(name)?.seen)) return;
  for (const [name, { seen, container }] of held)
    if (seen.is === 'ended' && isToBeRepeated(pod, container)) held.delete(name);
}

function evict(state: State, eviction: Eviction): void {
  const { means, pod } = state;
  if (state.evicted !== undefined) return;
  state.evicted = eviction;
  means.happened(pod, { type: 'Warning', reason: eviction.reason, note: eviction.message });
  stopAll(state, { sinceMs: means.clock.nowMs(), graceMs: 0 });
}

function startOne(state: State, { name, restartCount }: ContainerStart): void {
  const { held, attempts, pod, stopping } = state;
  const container = containerNamed(pod, name);
  if (stopping !== undefined || container === undefined) return;
  const previous = held.get(name)?.seen;
  const since = previous?.is === 'ended' ? beforeOf(previous) : {};
  const seen: ContainerSeen = { is: 'waiting', reason: 'ContainerCreating', ...lastOf(since) };
  const one: Held = { container, seen, life: new AbortController(), isStopping: false };
  held.set(name, one);
  const attempt = Math.max(restartCount, (attempts.get(name) ?? -1) + 1);
  attempts.set(name, attempt);
  go(state, one, startRun(optionsOf(state, one, { attempt, since })));
}

interface Run {
  readonly attempt: number;
  readonly since: Pick<Started, 'before' | 'quickEnds'>;
}

function optionsOf(state: State, one: Held, { attempt, since: { before, quickEnds } }: Run): RunOptions {
  const { means, ground } = state;
  const { container, life } = one;
  const last = lastOf({ before });
  const since = { ...last, ...(quickEnds !== undefined && { quickEnds }) };
  const become = (seen: ContainerSeen): void => {
    one.seen = seen;
    means.changed(state.pod);
  };
  return {
    ...{ means, ground, container, attempt, pod: () => state.pod, signal: life.signal },
    waits: (reason, message) => become({ is: 'waiting', reason, message, ...last }),
    runs({ id, startedMs }, imageId) {
      const isStarting = container.startupProbe !== undefined;
      become({ is: 'running', id, imageId, restartCount: attempt, startedMs, ready: false, isStarting, ...since });
    },
    runsInVain(id) {
      // One that has ended may have a successor of its name; a pod that goes takes all with it.
      if (!state.held.has(container.name))
        means
          .inside()
          .signal(id, 'SIGKILL')
          .catch(() => undefined);
    },
    verdict(kind, holds) {
      if (one.seen.is === 'running')
        become(kind === 'readiness' ? { ...one.seen, ready: holds } : { ...one.seen, isStarting: !holds });
    },
  };
}

function lastOf({ before }: { readonly before?: Started['before'] | undefined }): Pick<Started, 'before'> {
  return before === undefined ? {} : { before };
}

function go({ means, pod }: State, one: Held, work: Promise<void>): void {
  work.catch((error: unknown) => {
    if (one.life.signal.aborted) return;
    const message = error instanceof Error ? error.message : String(error);
    // Whoever runs is asked no more, but runs.
    if (one.seen.is === 'waiting')
      one.seen = { is: 'waiting', reason: 'RunContainerError', message, ...lastOf(one.seen) };
    means.changed(pod);
  });
}

function seeEnd(state: State, { name, id, attempt, startedMs, ended }: ContainerState): void {
  const one = state.held.get(name);
  if (one === undefined || ended === undefined) return;
  if (one.seen.is === 'running' && one.seen.id === id) end(state, one, { ...startedOf(one.seen), id, ...endOf(ended) });
  // It ended before its start was told: a hook after its start still runs, say.
  if (one.seen.is === 'waiting')
    end(state, one, { restartCount: attempt, startedMs, imageId: '', id, ...endOf(ended) });
}

function end(state: State, one: Held, ended: Ended): void {
  one.life.abort(new Error('the container has ended'));
  one.isStopping = false;
  one.seen = { is: 'ended', ...ended };
  state.means.changed(state.pod);
  stopNext(state);
}

function stopAll(state: State, terms: StopTerms): void {
  const { held, means } = state;
  state.stopping = terms;
  for (const [name, one] of held) {
    if (one.seen.is === 'waiting') {
      one.life.abort(new Error('the pod is stopping'));
      held.delete(name);
    }
    // A shorter time replaces a longer one.
    one.isStopping = false;
  }
  stopNext(state);
  means.changed(state.pod);
}

/** Sidecars serve the others to their end: they stop when those have ended. */
function stopNext(state: State): void {
  const { stopping, held, pod } = state;
  if (stopping === undefined) return;
  const running = [...held.values()].filter(({ seen }) => seen.is === 'running');
  const isServed = running.some(({ container }) => !isSidecar(pod, container));
  for (const one of running)
    if (!one.isStopping && !(isServed && isSidecar(pod, one.container))) stopOne(state, one, stopping);
}

function stopOne({ means, ground, pod }: State, one: Held, { sinceMs, graceMs }: StopTerms): void {
  const { container, life } = one;
  one.isStopping = true;
  means.happened(pod, { type: 'Normal', reason: 'Killing', note: `Stopping container ${container.name}` });
  const leftMs = Math.max(0, sinceMs + graceMs - means.clock.nowMs());
  killContainer({ means, ground, container, pod: () => pod, signal: life.signal }, { graceMs: leftMs }).catch(() => {
    if (!life.signal.aborted) one.isStopping = false;
  });
}
