import type { ResourceType } from '../api/gvk.ts';
import { resourceId, resourceName } from '../api/gvk.ts';
import type { Key, KubeObject } from '../api/meta.ts';
import { InvariantError } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { onAbort } from '../base/signal.ts';
import type { Cache, CacheEvent, Caches } from './cache.ts';
import type { Client } from './client.ts';
import { createInformer, type Informer } from './informer.ts';

/** One shared informer per resource for a whole process. */
export interface Informers extends Caches {
  /**
   * Starts the informers on first use and waits until each cache holds its first full list. Those that pause after a
   * failure try again at once.
   */
  sync(types: readonly ResourceType[], options: SyncOptions): Promise<void>;
  /** Calls `handle` with what is cached, then synchronously after each change of the cache. Returns how to stop. */
  listen<T extends KubeObject>(type: ResourceType<T>, handle: (event: CacheEvent<T>) => void): () => void;
  /** Whether anybody in this process follows the resource. */
  has(type: ResourceType): boolean;
  /**
   * Waits until the cache has seen `resourceVersion` of its resource: how to read one's own writes. `namespace` is that
   * of the object that has this version; without it every namespace that is followed has to have come that far.
   */
  reach(
    type: ResourceType,
    resourceVersion: string,
    options: { readonly signal: AbortSignal; readonly namespace?: string | undefined },
  ): Promise<void>;
  /** Waits until the cached object (undefined: there is none) satisfies `holds`. */
  until<T extends KubeObject>(
    type: ResourceType<T>,
    key: Key,
    options: { readonly signal: AbortSignal; readonly holds: (object: T | undefined) => boolean },
  ): Promise<void>;
  /** Every resource that is followed, by name. */
  followed(): readonly Followed[];
  /** Resources that are followed and served, and whose first list has not come. */
  unsynced(): readonly string[];
  /** Ends all informers; afterwards caches stand still. */
  close(): void;
}

export interface SyncOptions {
  readonly signal: AbortSignal;
  /** Whether to wait for a resource that the API does not know until it does; the default is to wait. */
  readonly unserved?: 'wait' | 'skip';
}

/** How it stands with one resource that is followed. */
export interface Followed {
  /** `statefulsets.apps` */
  readonly resource: string;
  /** Its first list has come. */
  readonly isSynced: boolean;
  /** How many objects the cache has. */
  readonly objects: number;
}

export interface InformersOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (message: string, error: unknown) => void;
  /** Limits every namespaced resource to these namespaces: one list and watch for each; absent for all. */
  readonly namespaces?: readonly string[] | undefined;
  /** What caches keep of the objects of a resource; undefined: everything. */
  readonly trim?: (type: ResourceType) => ((object: KubeObject) => KubeObject) | undefined;
  /** Limits a resource to some of its objects, as who runs a single node needs; undefined for all of them. */
  readonly only?: (type: ResourceType) => InformerScope | undefined;
}

export interface InformerScope {
  readonly namespaces?: readonly string[];
  readonly fieldSelector?: string;
}

/**
 * How long to wait for a cache to show what the API has already answered. In process it takes microseconds; a minute means
 * that the watch is broken, and the waiter had better try again on what it sees.
 */
const reachTimeoutMs = 60_000;

export function createInformers(options: InformersOptions): Informers {
  const { client, clock, random, report, namespaces, only = () => undefined, trim } = options;
  const informers = new Map<string, Informer>();
  /** The same by their types, which are constants: caches are asked for at every event. */
  const byType = new WeakMap<ResourceType, Informer>();
  const ending = new AbortController();
  const limit = { clock, ms: reachTimeoutMs };

  const informerOf = <T extends KubeObject>(type: ResourceType<T>): Informer<T> => {
    const informer = byType.get(type) ?? informers.get(resourceId(type));
    if (informer === undefined)
      throw new InvariantError('the resource is declared as watched or read', { resource: resourceName(type) });
    byType.set(type, informer);
    return informer as unknown as Informer<T>;
  };

  const start = (type: ResourceType): Informer => {
    const existing = informers.get(resourceId(type));
    if (existing !== undefined) {
      existing.retryNow();
      return existing;
    }
    const informer = createInformer({
      client,
      type,
      clock,
      random: random.fork(resourceId(type)),
      report,
      namespaces: type.namespaced ? namespaces : undefined,
      trim: trim?.(type),
      ...only(type),
    });
    informers.set(resourceId(type), informer);
    informer
      .run({ signal: ending.signal })
      .catch((error) => report(`the informer of ${resourceName(type)} ended`, error));
    return informer;
  };

  return {
    of: <T extends KubeObject>(type: ResourceType<T>): Cache<T> => informerOf(type).cache,
    has: (type) => informers.has(resourceId(type)),
    async sync(types, { signal, unserved = 'wait' }) {
      const started = types.map(start);
      const holds = ({ isSynced, isServed }: Informer): boolean => isSynced || (unserved === 'skip' && !isServed);
      await Promise.all(started.map((informer) => waitFor(informer, { signal, holds: () => holds(informer) })));
    },
    listen: <T extends KubeObject>(type: ResourceType<T>, handle: (event: CacheEvent<T>) => void) =>
      informerOf(type).listen(handle),
    reach(type, resourceVersion, { signal, namespace }) {
      const informer = informerOf(type);
      const holds = (): boolean => informer.hasReached(resourceVersion, namespace);
      return waitFor(informer, { signal, holds, limit });
    },
    until<T extends KubeObject>(
      type: ResourceType<T>,
      key: Key,
      { signal, holds }: { readonly signal: AbortSignal; readonly holds: (object: T | undefined) => boolean },
    ) {
      const informer = informerOf(type);
      return waitFor(informer as unknown as Informer, { signal, holds: () => holds(informer.cache.get(key)), limit });
    },
    followed: () => [...informers.values()].map(followedBy),
    unsynced: () =>
      [...informers.values()]
        .filter(({ isSynced, isServed }) => isServed && !isSynced)
        .map(({ cache }) => resourceName(cache.type)),
    close: () => ending.abort(new Error('the informers were closed')),
  };
}

function followedBy({ cache, isSynced }: Informer): Followed {
  return { resource: resourceName(cache.type), isSynced, objects: cache.size };
}

interface Wait {
  readonly signal: AbortSignal;
  readonly holds: () => boolean;
  /** Absent: as long as it takes. */
  readonly limit?: { readonly clock: Clock; readonly ms: number };
}

function waitFor(informer: Informer, { signal, holds, limit }: Wait): Promise<void> {
  return new Promise((resolve, reject) => {
    if (holds()) {
      resolve();
      return;
    }
    const end = (settle: () => void): void => {
      stopChecking();
      stopListening();
      cancel?.();
      settle();
    };
    const late = (): void =>
      end(() =>
        reject(new Error(`the cache of ${informer.cache.type.resource} did not catch up within ${limit?.ms} ms`)),
      );
    const stopChecking = informer.onProgress(() => holds() && end(resolve));
    const stopListening = onAbort(signal, () => end(() => reject(signal.reason)));
    const cancel = limit?.clock.after(limit.ms, late);
    if (signal.aborted) end(() => reject(signal.reason));
  });
}
