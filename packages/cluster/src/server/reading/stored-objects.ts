import { type GroupVersionResource, resourceName } from '../../api/gvk.ts';
import type { ServerContext } from '../context/context.ts';

/** How many objects of each resource are stored, versions of one resource counted once. */
export function* storedObjects({
  registry,
  store,
}: Pick<ServerContext, 'registry' | 'store'>): Iterable<readonly [resource: string, count: number]> {
  const seen = new Set<string>();
  for (const { definition, prefix, traits } of registry.all()) {
    if (seen.has(prefix) || definition.storedAs !== undefined || !traits.verbs.includes('create') || traits.isQuestion)
      continue;
    seen.add(prefix);
    const count = store.count(prefix);
    if (typeof count === 'number') yield [resourceName(definition), count];
  }
}

/** How many there are of one. What is not stored is nothing. */
export function storedOf(
  { registry, store }: Pick<ServerContext, 'registry' | 'store'>,
  resource: GroupVersionResource,
): number {
  const served = registry.find(resource);
  const count = served === undefined ? 0 : store.count(served.prefix);
  return typeof count === 'number' ? count : 0;
}
