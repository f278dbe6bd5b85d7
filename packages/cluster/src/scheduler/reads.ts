import { type ResourceType, resourceId, resourceName } from '../api/gvk.ts';
import { assert } from '../base/assert.ts';
import type { Caches } from '../client/cache.ts';
import type { Step } from './cycle.ts';
import { demandsOf, wordsOf } from './demands.ts';
import type { ClusterEvent, SchedulerPlugin, Wakes } from './plugin.ts';
import type { PodView } from './pod-view.ts';

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

export interface Refusal {
  readonly by: Iterable<SchedulerPlugin>;
  /** Of the turn that it ended; undefined where the pod was rejected for all nodes. */
  readonly filters: readonly Step[] | undefined;
}

/** What could change the mind of at least one of the plugins. */
export function wakesOf(pod: PodView, { by, filters }: Refusal): Wakes {
  const plugins = [...by];
  const on = new Map<ClusterEvent, SchedulerPlugin[]>();
  let from: Wakes['from'] = 'pinnedNodes';
  for (const plugin of plugins) {
    const { wakesOn, wakesFrom, reads = [] } = plugin;
    for (const event of [...wakesOn, ...reads.map(changeOf)]) on.set(event, [...(on.get(event) ?? []), plugin]);
    if (wakesFrom === 'anywhere') from = 'anywhere';
  }
  const isAboutDemands = plugins.every(({ looksAt }) => looksAt === 'demands');
  const names = plugins.map(({ name }) => name).join(' ');
  return {
    on,
    from,
    group: groupOf(`${names} ${pod.pod.spec.preemptionPolicy}`, isAboutDemands ? demandsOf(pod) : wordsOf(pod)),
    filters: isAboutDemands ? filters?.filter(({ plugin }) => plugin.looksAt === 'demands') : undefined,
  };
}

const groupOf = joining();

/** Long texts of two parts; the same value as the last time where the parts are the same. */
export function joining(): (first: string, second: string) => string {
  let last = { first: '', second: '', both: ' ' };
  return (first, second) => {
    if (first !== last.first || second !== last.second) last = { first, second, both: `${first} ${second}` };
    return last.both;
  };
}
