import {
  type CacheEvent,
  customresourcedefinitions,
  equal,
  type Key,
  type KubeObject,
  keyOf,
  mapped,
  primary,
  type ResourceType,
  resourceId,
  resourceName,
  type Watch,
} from '@signalbox/cluster';
import type { WakeIndex } from '../world/wakes.ts';
import type { World } from '../world/world.ts';
import type { RootComponent } from './component.ts';

/** What wakes the roots of a component: themselves, what they own, and whatever of the rest they have looked at. */
export function watchesOf(
  component: RootComponent,
  { index, world }: { readonly index: WakeIndex; readonly world: World },
): readonly Watch[] {
  const types = new Map<string, ResourceType>();
  for (const type of [...component.reads, ...component.owns]) types.set(resourceId(type), type);
  const owned = new Set(component.owns.map(resourceId));
  const monitors = new Set(component.collects.map(resourceId));
  return [
    primary(component.rootType),
    // Whether a root can hold a status stands in its definition, which the cache may show later than the root.
    mapped(customresourcedefinitions, ({ object }, caches) =>
      object.metadata.name === resourceName(component.rootType)
        ? Array.from(caches.of(component.rootType).values(), keyOf)
        : [],
    ),
    ...[...types.values()].map((type) =>
      mapped(type, function* (event): Iterable<Key> {
        if (monitors.has(resourceId(type)) && isOfStatus(event)) return;
        const woken = new Set(index.rootsOf(type, event, world));
        if (owned.has(resourceId(type)))
          for (const key of ownersOf(component.rootType, [event.object, event.previous])) woken.add(key);
        yield* woken;
      }),
    ),
  ];
}

/** Nothing changed but what we, or others, say of it. */
function isOfStatus({ type, object, previous }: CacheEvent): boolean {
  if (type !== 'updated' || previous === undefined) return false;
  const { generation, labels, annotations, deletionTimestamp, uid } = object.metadata;
  const before = previous.metadata;
  return (
    generation !== undefined &&
    generation === before.generation &&
    uid === before.uid &&
    deletionTimestamp === before.deletionTimestamp &&
    equal(labels, before.labels) &&
    equal(annotations, before.annotations)
  );
}

/** Also owners that do not control: the Agent Operator's Secrets named their root without. */
function ownersOf(type: ResourceType, objects: readonly (KubeObject | undefined)[]): readonly Key[] {
  return objects.flatMap((object) =>
    (object?.metadata.ownerReferences ?? [])
      .filter(({ kind, apiVersion }) => kind === type.kind && apiVersion.startsWith(`${type.group}/`))
      .map(({ name }) => `${object?.metadata.namespace}/${name}`),
  );
}
