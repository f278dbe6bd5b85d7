import { type KubeObject, keyOf } from '@signalbox/cluster';
import type { History } from '../backend.ts';
import type { Watched } from '../observer.ts';
import type { Finding, World } from '../world.ts';

/** Holds always: revisions only grow, from batch to batch and from change to change. */
export function* revisions({ batches, changes }: History): Iterable<Finding> {
  for (const [index, revision] of batches.entries())
    if (index > 0 && revision <= (batches[index - 1] ?? 0)) yield `batch ${index} repeats revision ${revision}`;
  const seen = new Set<number>();
  for (const { kind, revision, key } of changes) {
    if (kind !== 'put') continue;
    if (seen.has(revision)) yield `${key} got the revision ${revision}, which was given before`;
    seen.add(revision);
  }
}

/** Holds always: a watch tells each change once, in order, and leads to what a list shows. */
export function* watches(watched: readonly Watched[], world: World): Iterable<Finding> {
  for (const { id, events, initial, failure } of watched) {
    if (failure !== undefined) yield `the watch of ${id} failed: ${failure}`;
    const objects = new Map<string, KubeObject>(initial.map((object) => [keyOf(object), object]));
    let last = 0;
    for (const { type, object } of events) {
      const revision = Number(object.metadata.resourceVersion);
      if (revision <= last) yield `the watch of ${id} tells ${keyOf(object)} at ${revision} after ${last}`;
      last = revision;
      const known = objects.get(keyOf(object));
      if (type === 'ADDED' && known !== undefined) yield `the watch of ${id} adds ${keyOf(object)} twice`;
      if (type !== 'ADDED' && known === undefined) yield `the watch of ${id} tells ${type} of unknown ${keyOf(object)}`;
      if (type === 'DELETED') objects.delete(keyOf(object));
      else objects.set(keyOf(object), object);
    }
    yield* same(`the watch of ${id}`, [...objects.values()], world.byResource.get(id) ?? []);
  }
}

/** Two collections hold the same versions of the same objects. */
export function* same(who: string, shown: readonly KubeObject[], actual: readonly KubeObject[]): Iterable<Finding> {
  const version = ({ metadata }: KubeObject): string => `${metadata.uid} ${metadata.resourceVersion}`;
  const truth = new Map(actual.map((object) => [keyOf(object), object]));
  for (const object of shown) {
    const real = truth.get(keyOf(object));
    if (real === undefined) yield `${who} still shows ${keyOf(object)}`;
    else if (version(real) !== version(object)) yield `${who} shows an old ${keyOf(object)}`;
    truth.delete(keyOf(object));
  }
  for (const key of truth.keys()) yield `${who} does not show ${key}`;
}
