import type { ResourceType } from '../api/gvk.ts';
import type { KubeObject } from '../api/meta.ts';
import { sleep } from '../base/clock.ts';
import { onAbort } from '../base/signal.ts';
import type { CacheEvent } from '../client/cache.ts';
import type { Informers } from '../client/informers.ts';
import type { Component, Platform } from './component.ts';
import { planRestart } from './restart-plan.ts';

/**
 * Keeps the parts of the plane alive. A part that dies, or ends before it is told to, is made anew after a pause and finds
 * its work in the caches; one that dies again and again is given up, and `failed` says so. Nothing of a life outlasts it:
 * its signal aborts and its listeners go, whatever it left behind.
 */
export interface Supervisor {
  /** Every part with why it does not work now, in the order in which they were given. */
  readonly states: readonly PartState[];
  /** Resolves when a part was given up, never otherwise. The others go on. */
  readonly failed: Promise<GivenUp>;
  /** Runs all parts until the signal aborts. */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
}

export interface PartState {
  readonly name: string;
  readonly is: 'running' | 'restarting' | 'failed';
  /** Why it died last; undefined while it runs. */
  readonly reason: string | undefined;
}

export interface GivenUp {
  readonly component: string;
  /** One sentence: how often it died, and of what. */
  readonly message: string;
  readonly error: unknown;
}

/** Makes a part on the platform of one life of it. */
export type CreateComponent = (platform: Platform) => Component;

export function createSupervisor(parts: readonly CreateComponent[], platform: Platform): Supervisor {
  let giveUp: (given: GivenUp) => void = () => undefined;
  const failed = new Promise<GivenUp>((resolve) => {
    giveUp = resolve;
  });
  const kept = parts.map((create): Kept => {
    const life = beginLife(platform, 0);
    return { create, life, component: create(life.platform), state: undefined, deathsMs: [] };
  });
  return {
    get states() {
      return kept.map(({ component: { name }, state }) => ({ name, ...(state ?? alive) }));
    },
    failed,
    async run({ signal }) {
      await Promise.all(kept.map((part) => keepAlive(part, { platform, signal, giveUp })));
    },
  };
}

const alive: Pick<PartState, 'is' | 'reason'> = { is: 'running', reason: undefined };

interface Kept {
  readonly create: CreateComponent;
  life: Life;
  component: Component;
  /** Undefined while it runs. */
  state: Pick<PartState, 'is' | 'reason'> | undefined;
  deathsMs: readonly number[];
}

interface Keeping {
  readonly platform: Platform;
  readonly signal: AbortSignal;
  giveUp(given: GivenUp): void;
}

async function keepAlive(part: Kept, { platform, signal, giveUp }: Keeping): Promise<void> {
  const { clock } = platform;
  let unborn: { readonly error: unknown } | undefined;
  for (let lives = 1; ; lives++) {
    const error = unborn === undefined ? await live(part, signal) : unborn.error;
    if (signal.aborted) return;
    const { name } = part.component;
    const nowMs = clock.nowMs();
    part.deathsMs = [...part.deathsMs.slice(-deathsKept), nowMs];
    const next = planRestart(part.deathsMs, { nowMs, random: platform.random.fork(`${name} ${lives}`) });
    const reason = error instanceof Error ? error.message : String(error);
    if (next.do === 'giveUp') {
      const message = `${name} died ${next.deaths} times within ten minutes and is given up`;
      part.state = { is: 'failed', reason: `${message}: ${reason}` };
      platform.report({ component: name, message, error });
      giveUp({ component: name, message: `${message}: ${reason}`, error });
      return;
    }
    part.state = { is: 'restarting', reason };
    platform.report({ component: name, message: `${name} died and starts again in ${next.inMs} ms`, error });
    try {
      await sleep(clock, next.inMs, { signal });
    } catch {
      return;
    }
    unborn = revive(part, beginLife(platform, lives));
  }
}

/** What it died of before it was born. */
function revive(part: Kept, life: Life): { readonly error: unknown } | undefined {
  try {
    part.component = part.create(life.platform);
    part.life = life;
    part.state = undefined;
    return undefined;
  } catch (error) {
    return { error };
  }
}

const deathsKept = 10;

/** Resolves with what it died of, once everything of this life has ended. */
async function live({ component, life }: Kept, signal: AbortSignal): Promise<unknown> {
  const stop = onAbort(signal, () => life.end(signal.reason));
  if (signal.aborted) life.end(signal.reason);
  const running = component.run({ signal: life.signal });
  const died = await Promise.race([
    running.then(
      () => new Error('it ended by itself'),
      (error: unknown) => error ?? new Error('it died'),
    ),
    life.broken,
  ]);
  stop();
  life.end(died);
  await running.catch(() => undefined);
  return died;
}

interface Life {
  readonly signal: AbortSignal;
  /** What the part is given instead of the shared one. */
  readonly platform: Platform;
  /** Resolves with what a listener threw. */
  readonly broken: Promise<unknown>;
  end(reason: unknown): void;
}

function beginLife(platform: Platform, number: number): Life {
  const controller = new AbortController();
  const stops = new Set<() => void>();
  let fail: (error: unknown) => void = () => undefined;
  const broken = new Promise<unknown>((resolve) => {
    fail = resolve;
  });
  const informers: Informers = {
    ...platform.informers,
    listen<T extends KubeObject>(type: ResourceType<T>, handle: (event: CacheEvent<T>) => void) {
      // What a listener throws is its part's death: not the informer's, and not a lost event for all who listen after it.
      const guarded = (event: CacheEvent<T>): void => {
        try {
          handle(event);
        } catch (error) {
          fail(error);
        }
      };
      const stopListening = platform.informers.listen(type, guarded);
      const stop = (): void => {
        stops.delete(stop);
        stopListening();
      };
      stops.add(stop);
      return stop;
    },
  };
  // The first life draws as if there were no other, so that a supervised plane is the same plane.
  const random = number === 0 ? platform.random : platform.random.fork(`life ${number}`);
  return {
    signal: controller.signal,
    platform: { ...platform, informers, random },
    broken,
    end(reason) {
      controller.abort(reason);
      for (const stop of stops) stop();
    },
  };
}
