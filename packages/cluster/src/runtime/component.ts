import type { ResourceType } from '../api/gvk.ts';
import type { KubeObject } from '../api/meta.ts';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { Cache, CacheEvent, Caches } from '../client/cache.ts';
import type { Transport } from '../client/transport.ts';

/** What every long-running part of the plane is given. */
export interface Platform {
  readonly transport: Transport;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  /** Called with what went wrong and was survived; never with a secret's value. */
  report(problem: Problem): void;
}

export interface Problem {
  readonly component: string;
  readonly message: string;
  readonly error?: unknown;
}

/** A part of the plane that runs until its signal aborts. */
export interface Component {
  readonly name: string;
  /** Resolves after the signal aborts and everything that it started has ended. */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
}

/** One shared informer per resource for the whole process. */
export interface Informers extends Caches {
  /** Starts the informer on first use and waits until its cache holds the first full list. */
  sync(types: readonly ResourceType[], options: { readonly signal: AbortSignal }): Promise<void>;
  /** Calls `handle` synchronously after each change of the cache, first with what is there already. Returns how to stop. */
  listen<T extends KubeObject>(type: ResourceType<T>, handle: (event: CacheEvent<T>) => void): () => void;
  /** Waits until the cache has seen `resourceVersion` of its resource: how to read one's own writes. */
  reach(type: ResourceType, resourceVersion: string, options: { readonly signal: AbortSignal }): Promise<void>;
  of<T extends KubeObject>(type: ResourceType<T>): Cache<T>;
}
