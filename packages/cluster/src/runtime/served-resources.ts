import { type ResourceType, resourceId, resourceName } from '../api/gvk.ts';
import type { KubeObject } from '../api/meta.ts';
import type { CacheEvent } from '../client/cache.ts';
import type { Platform } from './component.ts';

/** What the API serves at the moment: changes with every custom resource that comes or goes. */
export interface ServedResources {
  /** Everything that can be listed, watched and deleted now. Several versions of one resource may be among it. */
  resources(): readonly ResourceType[];
  /** Calls `wake` whenever the list may have changed. Returns how to stop. */
  onChange(wake: () => void): () => void;
}

export interface Following {
  readonly served: ServedResources;
  wants(type: ResourceType): boolean;
  /** Called synchronously for what is cached and for every change after it. */
  handle(type: ResourceType, event: CacheEvent<KubeObject>): void;
  /** Called after the resources changed and the new ones are followed. */
  changed(): void;
  readonly signal: AbortSignal;
}

/**
 * Follows every wanted resource once, in whatever version the process follows already, also those that appear later.
 * Resolves when all that are served now are in the caches and handled. A resource that goes away stays followed: its
 * informer empties the cache, and fills it again if the resource comes back. Returns how to stop.
 */
export async function followServed(platform: Platform, following: Following): Promise<() => void> {
  const { informers } = platform;
  const { served, wants, handle, changed, signal } = following;
  const followed = new Set<string>();
  const stops: (() => void)[] = [];

  const followNew = async (): Promise<void> => {
    const wanted = distinctResources(served.resources(), informers.has).filter(wants);
    const fresh = wanted.filter((type) => !followed.has(resourceName(type)));
    for (const type of fresh) followed.add(resourceName(type));
    // Those followed before may have been away and be back. One that goes before its first list came is not waited for: there is
    // nothing of it, and whoever starts now has other work.
    await informers.sync(wanted, { signal, unserved: 'skip' });
    for (const type of fresh) stops.push(informers.listen(type, (event) => handle(type, event)));
  };

  await followNew();
  const woken = async (): Promise<void> => {
    try {
      await followNew();
      if (!signal.aborted) changed();
    } catch (error) {
      if (!signal.aborted)
        platform.report({ component: 'served-resources', message: 'cannot follow a resource', error });
    }
  };
  stops.push(served.onChange(() => void woken()));
  return () => {
    for (const stop of stops) stop();
  };
}

/** One version of each resource: the preferred one if there is any, else the first. */
export function distinctResources(
  types: readonly ResourceType[],
  isPreferred: (type: ResourceType) => boolean = () => false,
): readonly ResourceType[] {
  const chosen = new Map<string, ResourceType>();
  for (const type of types) {
    const name = resourceName(type);
    const before = chosen.get(name);
    if (before === undefined || (!isPreferred(before) && isPreferred(type) && resourceId(before) !== resourceId(type)))
      chosen.set(name, type);
  }
  return [...chosen.values()];
}
