import type { ResourceType } from '../api/gvk.ts';
import { type Key, type KubeList, type KubeObject, keyOf } from '../api/meta.ts';
import type { WatchEvent } from '../api/operation.ts';
import { isStatusError, StatusError } from '../api/status.ts';
import { type Backoff, backoffMs } from '../base/backoff.ts';
import { type Clock, sleep } from '../base/clock.ts';
import { readyOf } from '../base/eager.ts';
import type { Random } from '../base/random.ts';
import type { Cache, CacheEvent } from './cache.ts';
import type { Client } from './client.ts';
import { createObjectCache, type ObjectCache } from './object-cache.ts';
import { hasReached } from './resource-version.ts';

/**
 * Keeps a cache equal to one resource of the API: list, then watch from the list's version, and list again when the
 * server has forgotten that version. A new list replaces the cache at once: what is missing from it counts as deleted.
 * Limited to some namespaces, it does so for each of them, and all feed one cache.
 */
export interface Informer<T extends KubeObject = KubeObject> {
  readonly cache: Cache<T>;
  /** Whether the first lists have arrived. */
  readonly isSynced: boolean;
  /** Whether the API knew the resource when it was asked last. */
  readonly isServed: boolean;
  /**
   * Whether the cache has seen this version, as far as objects in `namespace` go; undefined: all objects. A namespace
   * that nobody follows has nothing to wait for.
   */
  hasReached(resourceVersion: string, namespace: string | undefined): boolean;
  run(options: { readonly signal: AbortSignal }): Promise<void>;
  /** Calls `handle` with what is cached, then synchronously after each change. Returns how to stop. */
  listen(handle: (event: CacheEvent<T>) => void): () => void;
  /** Called after each step forward: an event, a bookmark, a list, and news that there is no such resource. Returns how to stop. */
  onProgress(check: () => void): () => void;
  /** Ends a pause after a failure: there is reason to believe that the next try goes better. */
  retryNow(): void;
}

export interface InformerOptions<T extends KubeObject> {
  readonly client: Client;
  readonly type: ResourceType<T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (message: string, error: unknown) => void;
  /** Only these namespaces; absent for all. */
  readonly namespaces?: readonly string[] | undefined;
  /** Only what this selects; absent for all. */
  readonly fieldSelector?: string | undefined;
  /** What the cache keeps of an object: everything when absent. Name, namespace, uid and version have to stay. */
  readonly trim?: ((object: T) => T) | undefined;
}

const backoff: Backoff = { initialMs: 800, maxMs: 30_000, factor: 2, jitter: 1 };
/** A watch that lived this long was healthy: the next failure starts from the shortest wait. */
const healthyMs = 120_000;
const pageSize = 500;
const relistSpreadMs = 100;

/** What is listed and watched as one: all namespaces, or one of them. */
interface Source {
  readonly namespace: string | undefined;
  version: string;
  isSynced: boolean;
  /** The last answer was not that there is no such resource. */
  isServed: boolean;
  pause: AbortController;
}

export function createInformer<T extends KubeObject>(options: InformerOptions<T>): Informer<T> {
  const { type, namespaces } = options;
  const cache = createObjectCache<T>(type);
  const handlers = new Set<(event: CacheEvent<T>) => void>();
  const checks = new Set<() => void>();
  const sources = (namespaces === undefined ? [undefined] : [...new Set(namespaces)]).map(
    (namespace): Source => ({ namespace, version: '0', isSynced: false, isServed: true, pause: new AbortController() }),
  );
  const feed: Feed<T> = {
    tell: (event) => {
      for (const handle of handlers) handle(event);
    },
    progress(source, version) {
      source.version = version;
      for (const check of checks) check();
    },
    missing(source) {
      source.isServed = false;
      for (const check of checks) check();
    },
  };
  return {
    cache,
    get isSynced() {
      return sources.every((source) => source.isSynced);
    },
    get isServed() {
      return sources.every((source) => source.isServed);
    },
    hasReached(resourceVersion, namespace) {
      // All who wait ask at every step, so no list is made for it.
      return sources.every((source) => !isFollowing(source, namespace) || hasReached(source.version, resourceVersion));
    },
    listen(handle) {
      for (const object of cache.values()) handle({ type: 'added', object, previous: undefined });
      handlers.add(handle);
      return () => handlers.delete(handle);
    },
    onProgress(check) {
      checks.add(check);
      return () => checks.delete(check);
    },
    retryNow() {
      for (const source of sources) source.pause.abort();
    },
    async run({ signal }) {
      await Promise.all(sources.map((source) => follow(options, { source, cache, feed, signal })));
    },
  };
}

function isFollowing(source: Source, namespace: string | undefined): boolean {
  return namespace === undefined || source.namespace === undefined || source.namespace === namespace;
}

interface Following<T extends KubeObject> {
  readonly source: Source;
  readonly cache: ObjectCache<T>;
  readonly feed: Feed<T>;
  readonly signal: AbortSignal;
}

async function follow<T extends KubeObject>(options: InformerOptions<T>, following: Following<T>): Promise<void> {
  const { clock, random, type, report } = options;
  const { source, cache, feed, signal } = following;
  for (let attempt = 0; !signal.aborted; ) {
    const startedMs = clock.nowMs();
    try {
      const list = await listAll(options, following);
      replace(cache, list.items, following);
      source.isSynced = true;
      source.isServed = true;
      feed.progress(source, list.metadata.resourceVersion ?? '0');
      await watchOn(options, following);
      attempt = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (isStatusError(error) && error.code === 410) {
        // Everyone who followed the forgotten version lists again now: not all at the same moment.
        await rest(random.below(relistSpreadMs), { clock, source, signal });
        continue;
      }
      if (clock.nowMs() - startedMs > healthyMs) attempt = 0;
      attempt++;
      // A resource that is not served (a deleted custom one) is worth one line. The cache stays: while an API server
      // starts, such an answer does not mean that the objects are gone.
      if (source.isServed) report(`cannot follow ${type.resource}`, error);
      if (isStatusError(error, 'NotFound')) feed.missing(source);
      else source.isServed = true;
      await rest(backoffMs(backoff, { attempt, random }), { clock, source, signal });
    }
  }
}

interface Resting {
  readonly clock: Clock;
  readonly source: Source;
  readonly signal: AbortSignal;
}

async function rest(delayMs: number, { clock, source, signal }: Resting): Promise<void> {
  source.pause = new AbortController();
  await sleep(clock, delayMs, { signal: AbortSignal.any([signal, source.pause.signal]) }).catch(() => undefined);
}

interface Feed<T extends KubeObject> {
  tell(event: CacheEvent<T>): void;
  progress(source: Source, version: string): void;
  missing(source: Source): void;
}

/** All pages of one consistent list. */
async function listAll<T extends KubeObject>(
  { client, type, clock, fieldSelector, trim }: InformerOptions<T>,
  { source: { namespace }, signal }: Following<T>,
): Promise<KubeList<T>> {
  const items: T[] = [];
  let next: string | undefined;
  for (;;) {
    const page = await client.list(type, {
      signal,
      namespace,
      limit: pageSize,
      ...(fieldSelector !== undefined && { fieldSelector }),
      ...(next !== undefined && { continue: next }),
    });
    items.push(...(trim === undefined ? page.items : page.items.map(trim)));
    next = page.metadata.continue;
    if (next === undefined || next === '') return { ...page, items };
    // In process a page takes no turn of the event loop: hundreds of them would let nobody else be answered meanwhile.
    await clock.turn();
  }
}

/** Puts the list in the place of what the cache has of its source. */
function replace<T extends KubeObject>(
  cache: ObjectCache<T>,
  items: readonly T[],
  { source: { namespace }, feed }: Following<T>,
): void {
  const gone = new Set<Key>(namespace === undefined ? cache.keys() : cache.inNamespace(namespace).map(keyOf));
  for (const object of items) {
    gone.delete(keyOf(object));
    put(cache, object, feed);
  }
  for (const key of gone) remove(cache, key, { last: undefined, feed });
}

function put<T extends KubeObject>(cache: ObjectCache<T>, object: T, feed: Feed<T>): void {
  const key = keyOf(object);
  const current = cache.get(key);
  if (current !== undefined && current.metadata.resourceVersion === object.metadata.resourceVersion) return;
  // Another uid under the same name is another object: the old one's end must not go unnoticed.
  const isOther = current !== undefined && current.metadata.uid !== object.metadata.uid;
  if (isOther) remove(cache, key, { last: undefined, feed });
  const previous = isOther ? undefined : current;
  cache.put(object, { key, previous });
  feed.tell(previous === undefined ? { type: 'added', object, previous } : { type: 'updated', object, previous });
}

function remove<T extends KubeObject>(
  cache: ObjectCache<T>,
  key: Key,
  { last, feed }: { readonly last: T | undefined; readonly feed: Feed<T> },
): void {
  const previous = cache.remove(key);
  if (previous !== undefined) feed.tell({ type: 'deleted', object: last ?? previous, previous });
}

/** Watches, again and again, from where it left off; throws when the server has forgotten that place or fails. */
async function watchOn<T extends KubeObject>(
  { client, type, clock, fieldSelector, trim = (object) => object }: InformerOptions<T>,
  { source, cache, feed, signal }: Following<T>,
): Promise<void> {
  const { namespace } = source;
  while (!signal.aborted) {
    const startedMs = clock.nowMs();
    const events = client.watch(type, {
      signal,
      namespace,
      resourceVersion: source.version,
      allowWatchBookmarks: true,
      // Where objects are chosen by their fields, a write that is waited for may be one that does not show here.
      onlyLastBookmark: fieldSelector === undefined,
      ...(fieldSelector !== undefined && { fieldSelector }),
    });
    const iterator = events[Symbol.asyncIterator]();
    let isEmpty = true;
    for await (const first of { [Symbol.asyncIterator]: () => iterator }) {
      isEmpty = false;
      let version = source.version;
      // Of a burst of writes all but the first are there already.
      for (let event: WatchEvent<T> | undefined = first; event !== undefined; event = readyOf(iterator)) {
        if (event.type === 'ERROR') throw new StatusError(event.object);
        const { object } = event;
        if (event.type === 'DELETED') remove(cache, keyOf(object), { last: trim(object), feed });
        else if (event.type !== 'BOOKMARK') put(cache, trim(object), feed);
        version = object.metadata.resourceVersion;
      }
      feed.progress(source, version);
    }
    if (isEmpty && !signal.aborted && clock.nowMs() - startedMs < 1000)
      throw new Error('the watch ended within a second and without an event');
  }
}
