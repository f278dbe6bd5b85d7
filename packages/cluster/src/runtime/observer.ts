import { type ResourceType, resourceId } from '../api/gvk.ts';
import type { Key } from '../api/meta.ts';
import type { Clock } from '../base/clock.ts';
import type { CacheEvent } from '../client/cache.ts';
import type { Written } from './executor.ts';
import type { Action } from './plan.ts';

/**
 * Is told what loops and their executors do, as they do it: for metrics and logs. It only looks, and must not throw. Where
 * nobody looks nothing is noted.
 */
export interface RuntimeObserver {
  /** A part has its caches and works off its queue, until what is returned is called. */
  works(component: string, queue: QueueFigures): () => void;
  /** A run for one key has ended. */
  ran(run: EndedRun): void;
  /** Something is about to be done; what is returned is called once it was, with the refusal if it was refused. */
  acts(run: Run, action: Action): (refusal?: unknown) => void;
}

/** A queue as it is whenever it is looked at. */
export interface QueueFigures {
  /** Keys that wait for a run. */
  readonly size: number;
  /** Since when the first of them waits; undefined: none does. */
  readonly oldestMs: number | undefined;
  /** Keys whose last run failed. */
  readonly failing: number;
}

export interface Run {
  readonly component: string;
  readonly key: Key;
  readonly cause: Cause;
}

export interface EndedRun extends Run {
  /** `outrun`: what was written had changed meanwhile; it runs again. */
  readonly result: 'failed' | 'outrun' | 'succeeded';
  readonly startedMs: number;
  readonly endedMs: number;
}

/** What made a key run, as far as it is known: the first of what came while it waited, but for what it wrote itself. */
export type Cause =
  /** Everything is looked at once. */
  | { readonly by: 'start' }
  | {
      readonly by: 'change';
      readonly change: CacheEvent['type'];
      readonly type: ResourceType;
      readonly key: Key;
      /** The version that came of it. */
      readonly version: string;
      /** How many changes came after it, before the run. */
      readonly others: number;
    }
  /** Nothing but what the run before has written. */
  | { readonly by: 'own' }
  /** Something that is no object of the API, e.g. an agent's answer. */
  | { readonly by: 'word' }
  /** The plan before asked for another look. */
  | { readonly by: 'time' };

/** Everything is told to each of them. */
export function observedByAll(observers: readonly RuntimeObserver[]): RuntimeObserver {
  return {
    works(component, queue) {
      const stops = observers.map((observer) => observer.works(component, queue));
      return () => {
        for (const stop of stops) stop();
      };
    },
    ran(run) {
      for (const observer of observers) observer.ran(run);
    },
    acts(run, action) {
      const ends = observers.map((observer) => observer.acts(run, action));
      return (refusal) => {
        for (const end of ends) end(refusal);
      };
    },
  };
}

/** What a loop tells of its runs; undefined in its place: nobody looks. */
export interface RunWatch {
  /** Why a key is about to run. The first reason stays. */
  wakes(key: Key, cause: Cause): void;
  begins(key: Key): WatchedRun;
}

export interface WatchedRun {
  readonly acts: (action: Action) => (refusal?: unknown) => void;
  /** The caches show all of it. */
  wrote(written: readonly Written[]): void;
  ended(result: EndedRun['result']): void;
}

export interface WatchRunsOptions {
  readonly component: string;
  readonly clock: Clock;
  readonly observer: RuntimeObserver;
}

/** Of one key; what comes beyond is counted. */
const causesMax = 16;

interface Noted {
  readonly causes: readonly Cause[];
  readonly more: number;
}

export function watchRuns({ component, clock, observer }: WatchRunsOptions): RunWatch {
  const noted = new Map<Key, Noted>();
  const wakes = (key: Key, cause: Cause): void => {
    const { causes, more } = noted.get(key) ?? { causes: [], more: 0 };
    noted.set(key, causes.length < causesMax ? { causes: [...causes, cause], more } : { causes, more: more + 1 });
  };
  return {
    wakes,
    begins(key) {
      const run: Run = { component, key, cause: firstOf(noted.get(key)) };
      const startedMs = clock.nowMs();
      noted.delete(key);
      return {
        acts: (action) => observer.acts(run, action),
        wrote(written) {
          const woken = noted.get(key);
          if (woken !== undefined) noted.set(key, withoutOwn(woken, written));
        },
        ended(result) {
          observer.ran({ ...run, result, startedMs, endedMs: clock.nowMs() });
          // It runs again for what it ran for.
          if (result === 'succeeded') return;
          const { causes, more } = noted.get(key) ?? { causes: [], more: 0 };
          noted.set(key, { causes: [run.cause, ...causes], more });
        },
      };
    },
  };
}

function firstOf({ causes, more }: Noted = { causes: [], more: 0 }): Cause {
  const [first = { by: 'time' as const }, ...rest] = causes;
  if (first.by !== 'change') return first;
  return { ...first, others: first.others + more + rest.filter(({ by }) => by === 'change').length };
}

function withoutOwn({ causes, more }: Noted, written: readonly Written[]): Noted {
  const others = causes.filter((cause) => cause.by !== 'change' || !written.some((each) => isOf(each, cause)));
  return others.length === 0 ? { causes: [{ by: 'own' }], more } : { causes: others, more };
}

function isOf(written: Written, { type, key, version, change }: Extract<Cause, { readonly by: 'change' }>): boolean {
  if (resourceId(written.type) !== resourceId(type)) return false;
  return written.kind === 'version' ? written.resourceVersion === version : change === 'deleted' && written.key === key;
}
