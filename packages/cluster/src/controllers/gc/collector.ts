import { events, eventsEvents } from '../../api/generated/kinds.ts';
import { isSameResource, type ResourceType } from '../../api/gvk.ts';
import { controllerUser } from '../../api/system-identities.ts';
import type { Component, Platform } from '../../runtime/component.ts';
import { createKeyedWork } from '../../runtime/keyed-work.ts';
import { followServed, type ServedResources } from '../../runtime/served-resources.ts';
import { createGraph } from './graph.ts';
import { createFinder, observe } from './observe.ts';
import { plan } from './plan.ts';

const name = 'generic-garbage-collector';

/**
 * Deletes what nobody owns any more. Background: dependents of an owner that is gone. Foreground: dependents first, then
 * the owner. Orphan: dependents lose their owner and stay. Follows every served resource, also those that appear later.
 *
 * One run deals with all dependents of one owner. An owner counts as gone only when the API, asked at that moment, does
 * not have it under this uid; a dependent is deleted only in the version in which it was judged.
 */
export function createGarbageCollector(platform: Platform, options: ServedResources): Component {
  const { informers } = platform;
  const finder = createFinder(informers, options.resources);
  const graph = createGraph({ isCached: (reference, dependent) => finder.cached(reference, dependent) !== undefined });
  /** Owners of kinds that nothing serves now. */
  const unresolved = new Set<string>();
  const work = createKeyedWork({
    name,
    source: 'garbage-collector-controller',
    user: controllerUser(name),
    platform,
    workers: 4,
    async handle(uid, { signal, client, perform }) {
      const observed = await observe(uid, { graph, finder, informers, client, signal });
      const isUnresolved = observed.dependents.some(({ owners }) =>
        owners.some(({ standing }) => standing === 'unknown'),
      );
      if (isUnresolved) unresolved.add(uid);
      for (const actions of plan(observed)) await perform(actions);
      return undefined;
    },
  });
  return {
    name,
    async run({ signal }) {
      const stop = await followServed(platform, {
        served: options,
        wants: isCollected,
        handle: (type, event) => {
          for (const uid of graph.apply(type, event)) work.add(uid);
        },
        changed: () => {
          for (const uid of unresolved) work.add(uid);
          unresolved.clear();
        },
        signal,
      });
      await work.run({ signal }).finally(stop);
    },
  };
}

/** Events are many, own nothing and expire by themselves. */
function isCollected(type: ResourceType): boolean {
  return !isSameResource(type, events) && !isSameResource(type, eventsEvents);
}
