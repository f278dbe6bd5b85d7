import { parseApiVersion, type ResourceType } from '../../api/gvk.ts';
import type { Key, KubeObject, OwnerReference } from '../../api/meta.ts';
import { ifFound } from '../../api/status.ts';
import type { Index } from '../../client/cache.ts';
import type { Client } from '../../client/client.ts';
import type { Informers } from '../../client/informers.ts';
import { collectingOf, isBeingDeleted } from './finalizers.ts';
import type { Graph, Place } from './graph.ts';
import type { Dependent, Judged, Observed, Owned, Standing } from './plan.ts';

/** How the collector finds the object that a reference means. */
export interface Finder {
  /** Undefined when nothing serves the kind now. */
  typeOf(reference: { readonly apiVersion: string; readonly kind: string }): ResourceType | undefined;
  /** The object of that uid in the place that the reference names, as far as the caches know. */
  cached(reference: OwnerReference, dependent: KubeObject): KubeObject | undefined;
}

/** Any served version of the kind will do: the objects are the same. */
export function createFinder(informers: Informers, resources: () => readonly ResourceType[]): Finder {
  let byKind = new Map<string, ResourceType>();
  const typeOf: Finder['typeOf'] = ({ apiVersion, kind }) => {
    const name = `${parseApiVersion(apiVersion).group}/${kind}`;
    // Looked up anew only for what is not known: a kind that went away answers for itself, by not having the object.
    if (!byKind.has(name)) byKind = kinds(resources(), informers);
    return byKind.get(name);
  };
  return {
    typeOf,
    cached(reference, { metadata }) {
      const type = typeOf(reference);
      if (type === undefined || !informers.has(type)) return undefined;
      if (type.namespaced && metadata.namespace === undefined) return undefined;
      const found = informers.of(type).get(keyIn(type, reference, metadata.namespace));
      return found?.metadata.uid === reference.uid ? found : undefined;
    },
  };
}

/** Of several versions, the one that is followed. */
function kinds(types: readonly ResourceType[], informers: Informers): Map<string, ResourceType> {
  const found = new Map<string, ResourceType>();
  for (const type of types) {
    const name = `${type.group}/${type.kind}`;
    if (!found.has(name) || informers.has(type)) found.set(name, type);
  }
  return found;
}

function keyIn(type: ResourceType, { name }: OwnerReference, namespace: string | undefined): Key {
  return type.namespaced ? `${namespace}/${name}` : name;
}

export interface Observing {
  readonly graph: Graph;
  readonly finder: Finder;
  readonly informers: Informers;
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** Everything that matters for the dependents of one owner. Asks the API about owners that the caches do not hold. */
export async function observe(uid: string, observing: Observing): Promise<Observed> {
  const { graph } = observing;
  const judge = createJudge(observing);
  const place = graph.collecting(uid);
  const dependents: Dependent[] = [];
  for (const each of graph.dependentsOf(uid)) {
    const owned = objectAt(each, observing);
    if (owned === undefined) continue;
    const references = owned.object.metadata.ownerReferences ?? [];
    const owners: Judged[] = [];
    // One that goes anyway is not judged.
    if (!isBeingDeleted(owned.object))
      for (const reference of references) owners.push({ reference, standing: await judge(reference, owned.object) });
    dependents.push({ ...owned, owners, ...relations(owned.object, { uid, observing }) });
  }
  return { uid, owner: place && objectAt(place, observing), dependents };
}

function objectAt(place: Place, { informers }: Observing): Owned | undefined {
  const object = informers.of(place.type).get(place.key);
  return object?.metadata.uid === place.uid ? { type: place.type, object } : undefined;
}

function relations(
  { metadata }: KubeObject,
  { uid, observing }: { readonly uid: string; readonly observing: Observing },
): Pick<Dependent, 'hasDependents' | 'collectingDependents' | 'isAlsoOwner'> {
  const { graph } = observing;
  if (graph.dependentCount(metadata.uid) === 0)
    return { hasDependents: false, collectingDependents: [], isAlsoOwner: false };
  const collecting = [...graph.dependentsOf(metadata.uid)].filter((each) => graph.collecting(each.uid) !== undefined);
  const waits = graph.collecting(metadata.uid) !== undefined;
  return {
    hasDependents: true,
    collectingDependents: collecting.flatMap((each) => objectAt(each, observing) ?? []),
    isAlsoOwner: waits && descends(uid, { from: metadata.uid, graph }),
  };
}

/** Whether `uid` depends on `from` through objects that all wait for the collector. */
function descends(uid: string, { from, graph }: { readonly from: string; readonly graph: Graph }): boolean {
  const seen = new Set<string>([from]);
  for (const next of seen)
    for (const dependent of graph.dependentsOf(next)) {
      if (dependent.uid === uid) return true;
      if (graph.collecting(dependent.uid) !== undefined) seen.add(dependent.uid);
    }
  return false;
}

type Judge = (reference: OwnerReference, dependent: KubeObject) => Promise<Standing>;

/** Answers each question once: five thousand pods of one owner cost one look at the API. */
function createJudge(observing: Observing): Judge {
  const answers = new Map<string, Promise<Standing>>();
  return (reference, dependent) => {
    const { apiVersion, kind, name, uid } = reference;
    const question = [apiVersion, kind, dependent.metadata.namespace, name, uid].join('|');
    const known = answers.get(question);
    if (known !== undefined) return known;
    const answer = judgeLive(reference, dependent, observing);
    answers.set(question, answer);
    return answer;
  };
}

async function judgeLive(
  reference: OwnerReference,
  dependent: KubeObject,
  { finder, graph, informers, client, signal }: Observing,
): Promise<Standing> {
  const type = finder.typeOf(reference);
  if (type === undefined) return graph.hasEnded(reference.uid) ? 'absent' : 'unknown';
  const { namespace } = dependent.metadata;
  if (type.namespaced && namespace === undefined) return 'misplaced';
  const cached = finder.cached(reference, dependent);
  if (cached !== undefined) return standingOf(cached);
  const place = { ...(type.namespaced && { namespace }), name: reference.name };
  const live = await ifFound(client.get(type, { ...place, signal }));
  if (live?.metadata.uid === reference.uid) return standingOf(live);
  return type.namespaced && isElsewhere(type, reference, informers) ? 'elsewhere' : 'absent';
}

function standingOf(owner: KubeObject): Standing {
  return collectingOf(owner) === 'foreground' ? 'waiting' : 'solid';
}

const uids: Index<KubeObject> = { name: 'metadata.uid', valuesOf: ({ metadata }) => [metadata.uid] };

function isElsewhere(type: ResourceType, reference: OwnerReference, informers: Informers): boolean {
  return informers.has(type) && informers.of(type).by(uids, reference.uid).length > 0;
}
