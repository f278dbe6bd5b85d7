import type { ResourceQuota } from '../../api/generated/core-v1.ts';
import { resourcequotas } from '../../api/generated/kinds.ts';
import { type ResourceType, resourceName } from '../../api/gvk.ts';
import { type Key, type KubeObject, keyOf } from '../../api/meta.ts';
import { controllerUser } from '../../api/system-identities.ts';
import { equal } from '../../base/equal.ts';
import type { CacheEvent } from '../../client/cache.ts';
import { sameMeasures } from '../../resources/core/quota/measures.ts';
import { countedResource } from '../../resources/core/quota/names.ts';
import { usageOf } from '../../resources/core/quota/usage.ts';
import type { Component, Platform } from '../../runtime/component.ts';
import { createKeyedWork, type RunContext } from '../../runtime/keyed-work.ts';
import { distinctResources, type ServedResources } from '../../runtime/served-resources.ts';
import { plan } from './plan.ts';

const name = 'resourcequota';
/** What nobody tells: pods whose nodes are lost, charges for writes that came to nothing. */
const lookAgainMs = 5 * 60_000;
/** Ends of many objects are counted together. */
const gatherMs = 50;
/** What is new was charged by the API when it came; this only makes sure. */
const confirmMs = 1_000;

/**
 * Counts what is used of quotas, and gives back what objects leave that end. It follows the kinds that some quota counts, and
 * nothing where there is none.
 */
export function createQuotaController(platform: Platform, served: ServedResources): Component {
  const { informers, clock } = platform;
  const byNamespace = new Map<string, Set<Key>>();
  const followed = new Map<string, () => void>();
  const work = createKeyedWork({ name, user: controllerUser(name), platform, workers: 2, handle: count });

  async function count(key: Key, { signal, perform }: RunContext): Promise<number | undefined> {
    const quota = informers.of(resourcequotas).get(key);
    if (quota === undefined) return undefined;
    const types = countedBy(quota, distinctResources(served.resources(), informers.has));
    await informers.sync(types, { signal, unserved: 'skip' });
    for (const type of types) follow(type);
    const namespace = quota.metadata.namespace ?? '';
    const objects = types.map((type) => [type, informers.of(type).inNamespace(namespace)] as const);
    await perform(plan({ quota, objects }, clock.nowMs()));
    return lookAgainMs;
  }

  function follow(type: ResourceType): void {
    const resource = resourceName(type);
    if (followed.has(resource)) return;
    followed.set(resource, () => undefined);
    followed.set(
      resource,
      informers.listen(type, (event) => changed(type, event)),
    );
  }

  function changed(type: ResourceType, { type: what, object, previous }: CacheEvent<KubeObject>): void {
    const keys = byNamespace.get(object.metadata.namespace ?? '');
    if (keys === undefined) return;
    const nowMs = clock.nowMs();
    if (what === 'updated' && sameMeasures(usageOf(type, object, nowMs), usageOf(type, previous, nowMs))) return;
    for (const key of keys) work.addAfter(key, what === 'added' ? confirmMs : gatherMs);
  }

  function quotaChanged({ type, object, previous }: CacheEvent<ResourceQuota>): void {
    const { namespace = '' } = object.metadata;
    const key = keyOf(object);
    const keys = byNamespace.get(namespace) ?? new Set();
    if (type === 'deleted') keys.delete(key);
    else keys.add(key);
    if (keys.size === 0) byNamespace.delete(namespace);
    else byNamespace.set(namespace, keys);
    // What was charged meanwhile changes the status alone.
    if (type === 'added' || (type === 'updated' && !equal(object.spec, previous.spec))) work.add(key);
  }

  return {
    name,
    async run({ signal }) {
      await informers.sync([resourcequotas], { signal });
      const stops = [
        informers.listen(resourcequotas, quotaChanged),
        served.onChange(() => {
          for (const keys of byNamespace.values()) for (const key of keys) work.add(key);
        }),
      ];
      await work.run({ signal }).finally(() => {
        for (const stop of [...stops, ...followed.values()]) stop();
      });
    },
  };
}

function countedBy({ spec }: ResourceQuota, types: readonly ResourceType[]): readonly ResourceType[] {
  const wanted = new Set(Object.keys(spec?.hard ?? {}).map(countedResource));
  return types.filter((type) => type.namespaced && wanted.has(resourceName(type)));
}
