import { type ResourceType, resourceId, resourceName } from '../api/gvk.ts';
import { assert } from '../base/assert.ts';
import type { Caches } from '../client/cache.ts';
import type { ClusterEvent, SchedulerPlugin, Wakes } from './plugin.ts';

/** What the plugins read besides nodes and pods, each once. */
export function readsOf(plugins: readonly SchedulerPlugin[]): readonly ResourceType[] {
  const types = plugins.flatMap(({ reads = [] }) => reads);
  return [...new Map(types.map((type) => [resourceId(type), type])).values()];
}

/** What they look up besides: needed, but nothing that happens there is listened to. */
export function consultsOf(plugins: readonly SchedulerPlugin[]): readonly ResourceType[] {
  const types = plugins.flatMap(({ consults = [] }) => consults);
  return [...new Map(types.map((type) => [resourceId(type), type])).values()];
}

/** The caches of what the plugins have said that they read, and of nothing else. */
export function cachesOf(plugins: readonly SchedulerPlugin[], caches: Caches): Caches {
  const declared = new Set([...readsOf(plugins), ...consultsOf(plugins)].map(resourceId));
  return {
    of(type) {
      assert(declared.has(resourceId(type)), 'a plugin names what it reads', { resource: resourceName(type) });
      return caches.of(type);
    },
  };
}

export function changeOf(type: ResourceType): ClusterEvent {
  return `${resourceName(type)}/changed`;
}

/** What could change the mind of at least one of the plugins. */
export function wakesOf(plugins: Iterable<SchedulerPlugin>): Wakes {
  const on = new Set<ClusterEvent>();
  let from: Wakes['from'] = 'pinnedNodes';
  for (const { wakesOn, wakesFrom, reads = [] } of plugins) {
    for (const event of wakesOn) on.add(event);
    for (const type of reads) on.add(changeOf(type));
    if (wakesFrom === 'anywhere') from = 'anywhere';
  }
  return { on, from };
}
