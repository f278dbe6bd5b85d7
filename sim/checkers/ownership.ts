import type { KubeObject } from '@signalbox/cluster';
import { type Finding, nameOf, type World } from '../world.ts';

/** Holds at rest: whoever has an owner has one that exists; nothing is on its way out; nothing stands in no namespace. */
export function* ownership(world: World): Iterable<Finding> {
  const uids = new Set(world.objects.map(({ metadata }) => metadata.uid));
  const kinds = new Set(world.objects.map(kindOf));
  const namespaces = new Set(
    world.objects.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name),
  );
  for (const object of world.objects) {
    if (object.kind === 'Event') continue;
    const { namespace, deletionTimestamp, ownerReferences = [] } = object.metadata;
    if (deletionTimestamp !== undefined && object.kind !== 'Pod') yield `${nameOf(object)} is still being deleted`;
    if (namespace !== undefined && !namespaces.has(namespace)) yield `${nameOf(object)} is in a namespace that is gone`;
    // Nothing can be said about owners of a kind that nobody serves any more.
    for (const reference of ownerReferences)
      if (!uids.has(reference.uid) && (kinds.has(kindOf(reference)) || isBuiltIn(reference)))
        yield `${nameOf(object)} outlives its owner ${reference.kind} ${reference.name}`;
  }
}

function kindOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  return `${apiVersion} ${kind}`;
}

function isBuiltIn({ apiVersion }: { readonly apiVersion: string }): boolean {
  return !apiVersion.includes('example.com');
}

/** Holds at rest: every namespace has what each is given. */
export function* namespaces(world: World): Iterable<Finding> {
  const accounts = new Set(
    (world.byResource.get('/v1/serviceaccounts') ?? []).map(({ metadata }: KubeObject) => nameOfPlace(metadata)),
  );
  for (const { metadata } of world.byResource.get('/v1/namespaces') ?? [])
    if (!accounts.has(`${metadata.name}/default`)) yield `namespace ${metadata.name} has no default service account`;
}

function nameOfPlace({ namespace, name }: KubeObject['metadata']): string {
  return `${namespace ?? ''}/${name}`;
}
