import { nodes as nodesType, poddisruptionbudgets, pods as podsType } from '../api/generated/kinds.ts';
import { scheduler } from '../api/system-identities.ts';
import { fresh } from '../base/fresh.ts';
import { onAbort } from '../base/signal.ts';
import { createClient } from '../client/create-client.ts';
import { defaultSchedulerName } from '../resources/core/pod/defaults.ts';
import type { Component, Platform } from '../runtime/component.ts';
import { createEventRecorder } from '../runtime/events.ts';
import type { AttemptResult } from '../runtime/plane-figures.ts';
import { type Bindings, bindTo, type Turn, tellError } from './binding.ts';
import { budgetsOf } from './budgets.ts';
import { orFault, PluginError } from './guarded.ts';
import { takeIn, tellReleased } from './intake.ts';
import { createMemory } from './memory.ts';
import { unplacedMessage } from './message.ts';
import { createOutcomes } from './outcome.ts';
import type { Wakes } from './plugin.ts';
import type { PodView } from './pod-view.ts';
import { type MakesRoom, preempt, preemptNowhere } from './preempt.ts';
import { defaultProfile, type Profile } from './profile.ts';

import { createSchedulingQueue, type QueueLimits, type SchedulingQueue } from './queue.ts';
import { cachesOf, consultsOf, joining, readsOf } from './reads.ts';
import { schedule, type Unplaced } from './schedule.ts';
import { createSnapshot, type Snapshot } from './snapshot.ts';
import type { State, Working } from './state.ts';

export interface SchedulerOptions {
  /** Pods that name none of these schedulers are left alone. */
  readonly profiles?: readonly Profile[];
  readonly queue?: QueueLimits;
}

/** Decisions in one turn of the event loop; then others get theirs. */
const decisionsPerTurn = 64;
/** Bindings under way; more would only wait in the API server. */
const bindingsMax = 512;

/**
 * The default scheduler, in all its profiles. One loop decides, pod by pod, on the live snapshot; bindings are written in the
 * background while the room that they take is already counted.
 */
export function createScheduler(
  platform: Platform,
  { profiles = [defaultProfile], queue: limits }: SchedulerOptions = {},
): Component {
  const { clock, transport, informers } = platform;
  const random = platform.random.fork(defaultSchedulerName);
  const client = createClient(transport, scheduler.user);
  const plugins = profiles.flatMap((profile) => profile.plugins);
  const recorded = profiles.map((profile) => {
    const { name } = profile;
    const draws = random.fork(name === defaultSchedulerName ? 'events' : `events ${name}`);
    return { profile, events: createEventRecorder({ client, clock, random: draws, source: name, apart: true }) };
  });
  return {
    name: defaultSchedulerName,
    async run({ signal }) {
      const types = [nodesType, podsType, poddisruptionbudgets, ...readsOf(plugins), ...consultsOf(plugins)];
      await informers.sync(types, { signal });
      const working = recorded.map(({ profile, events }): Working => {
        const outcomes = createOutcomes({ client, events, clock, signal, schedulerName: profile.name });
        return { profile, outcomes, memory: createMemory(), figure: platform.figures?.scheduler(profile.name) };
      });
      const state: State = {
        platform,
        random,
        signal,
        profiles: new Map(working.map((each) => [each.profile.name, each])),
        queue: createSchedulingQueue(clock, limits),
        snapshot: createSnapshot(cachesOf(plugins, informers)),
        budgets: budgetsOf(informers.of(poddisruptionbudgets), 1),
        attentive: new Set(),
        underWay: new Map(),
      };
      // All profiles have one queue.
      const [first] = working;
      if (first?.figure !== undefined) first.figure.pending = () => state.queue.counts();
      const stop = takeIn(state, plugins);
      await Promise.all([...recorded.map(({ events }) => events.run({ signal })), decide(state)]).finally(() => {
        stop();
        state.queue.stop();
      });
    },
  };
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

interface Progress extends Bindings {
  /** Where the next search for a node begins. */
  startAt: number;
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

function workingFor({ pod }: PodView, { profiles }: State): Working | undefined {
  return profiles.get(pod.spec.schedulerName ?? defaultSchedulerName);
}

/** Decides in this very turn; what follows from it happens in the background. */
function decideOne(pod: PodView, state: State, progress: Progress): void {
  const { snapshot, random, platform } = state;
  const working = workingFor(pod, state);
  if (working === undefined) return;
  const { profile, memory, figure } = working;
  const startedMs = figure === undefined ? 0 : platform.clock.nowMs();
  const tell = (result: AttemptResult): void => figure?.attempted(result, platform.clock.nowMs() - startedMs);
  const { plugins, percentageOfNodesToScore } = profile;
  const { startAt } = progress;
  const options = { plugins, random, memory, startAt, percentageOfNodesToScore };
  const placement = orFault(() => schedule(pod, snapshot, options));
  if (placement instanceof PluginError) {
    tell('error');
    stumble(pod, placement, { state, working });
    return;
  }
  progress.startAt = snapshot.nodes.length === 0 ? 0 : (progress.startAt + placement.examined) % snapshot.nodes.length;
  if (placement.node === undefined) {
    tell('unschedulable');
    giveUp(pod, placement, { state, working }).catch((error: unknown) =>
      platform.report({ component: profile.name, message: `cannot report on pod ${pod.key}`, error }),
    );
    return;
  }
  void bindTo(placement, pod, { state, working, bindings: progress }).then(tell, () => undefined);
}

/** A rule cannot tell: as after anything else that went wrong the pod is tried again, and others are not kept waiting. */
function stumble(pod: PodView, error: PluginError, { state, working }: Turn): void {
  const { platform, queue } = state;
  platform.report({ component: working.profile.name, message: `cannot decide about pod ${pod.key}`, error });
  working.memory.forget();
  queue.failed(pod);
  void tellError(pod, error.message, { state, working });
}

async function giveUp(pod: PodView, unplaced: Unplaced, { state, working }: Turn): Promise<void> {
  const { snapshot, queue, random, budgets } = state;
  const { outcomes, profile } = working;
  const { cycle, alike: memory } = unplaced;
  const limits = profile.preemption;
  const preemption = orFault(
    () =>
      limits &&
      (cycle === undefined
        ? preemptNowhere(pod, snapshot.nodes.length)
        : preempt(cycle, unplaced, { random, budgets, memory, limits })),
  );
  if (preemption instanceof PluginError) {
    stumble(pod, preemption, { state, working });
    return;
  }
  const message = unplacedMessage(unplaced, { nodeCount: snapshot.nodes.length, preemption });
  const nominatedNode =
    preemption?.outcome === 'makesRoom' || preemption?.outcome === 'waits' ? preemption.node : undefined;
  queue.unplaced(pod, nominatedNode === undefined ? unplaced.wakes : promised(unplaced.wakes));
  const outdone = preemption?.outcome === 'makesRoom' ? lesserNominated(pod, { node: preemption.node, snapshot }) : [];
  if (nominatedNode === undefined) snapshot.denominate(pod.uid);
  else snapshot.nominate(pod, nominatedNode);
  for (const { uid } of outdone) {
    snapshot.denominate(uid);
    queue.stir(uid);
  }
  tellReleased(state);
  // As upstream, which clears the node beside what it says of the pod: nobody waits for the disk twice.
  await Promise.all([
    outcomes.reportUnplaced(pod, { reason: 'Unschedulable', message, nominatedNode }),
    preemption?.outcome === 'makesRoom' && outcomes.evict(pod, asTheyAre(preemption, snapshot)),
    ...outdone.map((each) => outcomes.denominate(each)),
  ]);
}

const promisedGroup = joining();

/** In a group of their own: what helps others need not help them. */
function promised(wakes: Wakes): Wakes {
  return { ...fresh, ...wakes, group: promisedGroup('promised', wakes.group), unpromised: wakes };
}

/** What was found out about a node holds for newer versions of its pods: it is these that go. */
function asTheyAre(preemption: MakesRoom, snapshot: Snapshot): MakesRoom {
  const pods = snapshot.node(preemption.node)?.pods;
  return { ...preemption, victims: preemption.victims.map((victim) => pods?.get(victim.uid) ?? victim) };
}

/** Pods of lower priority to whom the node was promised: they have to look for another one. */
function lesserNominated(
  { priority }: PodView,
  { node, snapshot }: { readonly node: string; readonly snapshot: Snapshot },
): readonly PodView[] {
  return snapshot.nominatedTo(node).filter((each) => each.priority < priority);
}
