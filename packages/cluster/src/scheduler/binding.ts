import { isStatusError } from '../api/status.ts';
import { type Backoff, backoffMs } from '../base/backoff.ts';
import { sleep } from '../base/clock.ts';
import { onAbort } from '../base/signal.ts';
import type { AttemptResult } from '../runtime/plane-figures.ts';
import { caughtUp } from '../runtime/runner.ts';
import type { Groundwork } from './groundwork.ts';
import { giveBack, tellReleased } from './intake.ts';
import type { PodView } from './pod-view.ts';
import type { Placed } from './schedule.ts';
import type { State, Working } from './state.ts';

/** One pod's turn, by the profile that it asks for. */
export interface Turn {
  readonly state: State;
  readonly working: Working;
}

/** How many bindings the API has not answered yet. */
export interface Bindings {
  bindings: number;
}

const askAgain: Backoff = { initialMs: 200, maxMs: 10_000, factor: 2, jitter: 0.5 };

/** Takes the pod's place at once, and has it bound in the background, when all that it needs there is. */
export async function bindTo(
  { node, groundwork }: Placed,
  pod: PodView,
  { state, working, bindings }: Turn & { readonly bindings: Bindings },
): Promise<AttemptResult> {
  state.snapshot.assume(pod, node);
  tellReleased(state);
  if (groundwork.length > 0 && !(await isPrepared(pod, { node, groundwork, turn: { state, working } }))) return 'error';
  bindings.bindings++;
  try {
    return await bindNow(pod, node, { state, working });
  } finally {
    bindings.bindings--;
    state.snapshot.volumes.release(pod.uid);
  }
}

async function bindNow(pod: PodView, node: string, { state, working }: Turn): Promise<AttemptResult> {
  const { queue, platform, signal } = state;
  const { outcomes, profile } = working;
  try {
    await outcomes.bind(pod, node);
    return 'scheduled';
  } catch (error) {
    if (signal.aborted) return 'error';
    if (!isStatusError(error))
      platform.report({ component: profile.name, message: `cannot bind pod ${pod.key} to ${node}`, error });
    // The room stays taken until it is certain that nobody has it: an answer may get lost after the pod was bound.
    const place = isRefusal(error) ? '' : await findPlace(pod, { state, working });
    if (place === node) return 'scheduled';
    const isToTry = place === '' && !isStatusError(error, 'NotFound');
    if (isToTry) queue.failed(pod);
    else queue.remove(pod.uid);
    giveBack(pod, { node, state });
    if (isToTry) await tellError(pod, `running Bind plugin "DefaultBinder": ${textOf(error)}`, { state, working });
    return 'error';
  }
}

/** What went wrong is said on the pod, and in an event: whoever waits for it asks there. */
export async function tellError(pod: PodView, message: string, { state, working }: Turn): Promise<void> {
  const { outcomes, profile } = working;
  await outcomes
    .reportUnplaced(pod, { reason: 'SchedulerError', message, nominatedNode: undefined })
    .catch((error: unknown) => {
      if (state.signal.aborted) return;
      state.platform.report({ component: profile.name, message: `cannot report on pod ${pod.key}`, error });
    });
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether the API said that it did nothing. A conflict may come from an earlier attempt that did take effect. */
function isRefusal(error: unknown): boolean {
  return isStatusError(error) && error.code < 500 && error.reason !== 'Conflict';
}

/** Asks until the API tells where the pod is. */
async function findPlace(pod: PodView, { state, working }: Turn): Promise<string | undefined> {
  const { platform, random, signal } = state;
  for (let attempt = 1; ; attempt++) {
    try {
      return await working.outcomes.place(pod);
    } catch {
      await sleep(platform.clock, backoffMs(askAgain, { attempt, random }), { signal });
    }
  }
}

interface Preparing {
  readonly node: string;
  readonly groundwork: readonly Groundwork[];
  readonly turn: Turn;
}

/** Has done what the pod needs besides its place; where that goes wrong the place is free again and the pod is told why. */
async function isPrepared(pod: PodView, { node, groundwork, turn }: Preparing): Promise<boolean> {
  const { snapshot, queue, signal, platform, underWay } = turn.state;
  const { profile } = turn.working;
  snapshot.volumes.hold(
    pod.uid,
    groundwork.flatMap(({ holds }) => holds),
  );
  const leaving = new AbortController();
  underWay.set(pod.uid, () => leaving.abort(new Error('the pod is gone')));
  const until = AbortSignal.any([signal, leaving.signal]);
  let problem: string | undefined;
  try {
    for (const each of groundwork) {
      const failure = problem === undefined ? await lay(each, { turn, until }) : undefined;
      if (failure !== undefined) problem = `running PreBind plugin "${each.by}": ${each.doing}: ${failure}`;
    }
  } catch (error) {
    if (!until.aborted)
      platform.report({ component: profile.name, message: `cannot prepare pod ${pod.key} for ${node}`, error });
    problem = textOf(error);
  } finally {
    underWay.delete(pod.uid);
  }
  if (problem === undefined || signal.aborted) return problem === undefined;
  queue.failed(pod);
  giveBack(pod, { node, state: turn.state });
  if (!until.aborted) await tellError(pod, problem, turn);
  return false;
}

/** Resolves with what went wrong. */
async function lay(
  { actions, standing, limitMs }: Groundwork,
  { turn, until }: { readonly turn: Turn; readonly until: AbortSignal },
): Promise<string | undefined> {
  const { platform, attentive } = turn.state;
  const { written, failures } = await turn.working.outcomes.perform(actions);
  const [failure] = failures;
  if (failure !== undefined) return failure.message;
  await caughtUp(written, platform.informers, until);
  until.throwIfAborted();
  return new Promise((resolve, reject) => {
    const look = (): void => {
      try {
        const now = standing(platform.informers);
        if (now !== 'waits') end(() => resolve(now === 'done' ? undefined : now.failed));
      } catch (error) {
        // Whoever calls is told of changes, and has others to tell.
        end(() => reject(error as Error));
      }
    };
    const stops = [
      platform.clock.after(limitMs, () => end(() => resolve('context deadline exceeded'))),
      onAbort(until, () => end(() => reject(until.reason as Error))),
      () => attentive.delete(look),
    ];
    const end = (settle: () => void): void => {
      for (const stop of stops) stop();
      settle();
    };
    attentive.add(look);
    look();
  });
}
