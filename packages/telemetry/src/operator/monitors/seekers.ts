import {
  type CacheEvent,
  type Caches,
  type Clock,
  type EndpointSlice,
  endpointslices,
  equal,
  type Informers,
  type Ingress,
  ingresses,
  type Key,
  type KubeObject,
  keyOf,
  type Pod,
  pods,
  type ResourceType,
  resourceId,
  type Service,
  services,
} from '@signalbox/cluster';
import { serviceNameLabel } from '../../scrape/pod-ports.ts';
import type { Told } from './ledger.ts';
import { type Reach, reachedTypes, reachOf } from './reach.ts';
import { pairOf, pairsOf, sightOf } from './sight.ts';

/**
 * What monitors find, and whom a change concerns: a monitor that finds something is filed under what it found, one that finds
 * nothing under a label that it waits for. So a change among ten thousand monitors is a few look-ups.
 */
export interface Seekers {
  /** What the monitor finds for each root that was told. From now on it is woken when that may be otherwise. */
  look(monitor: KubeObject, told: readonly Told[]): readonly Reach[];
  forget(kind: string, key: Key): void;
  listen(changed: (kind: string, key: Key) => void): () => void;
}

export interface SeekersOptions {
  readonly informers: Informers;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A rollout changes one after the other. */
const debounceMs = 1_000;

const unknown: Reach = { finds: 'unknown' };
const pending: Reach = { finds: 'pending' };

export function createSeekers(options: SeekersOptions): Seekers {
  const files = createFiles();
  const wakes = createWakes(options);
  const synced = createSynced(options, {
    changed: (type, event, caches) => {
      for (const place of placesOf(type, event, caches)) for (const id of files.under(place)) wakes.add(id);
    },
    arrived: () => {
      for (const id of files.under(waitingPlace)) wakes.add(id);
    },
  });
  const sight = sightOf(options.informers);
  return {
    look(monitor, told) {
      const id = idOf(monitor.kind, keyOf(monitor));
      const asked = told.filter(({ refusal }) => refusal === '');
      if (asked.length === 0) {
        files.move(id, []);
        return told.map(() => unknown);
      }
      // Of kinds that nobody looks for nothing is fetched.
      if (!reachedTypes(monitor).map(synced.has).every(Boolean)) {
        files.move(id, [waitingPlace]);
        return told.map(() => pending);
      }
      const reaches = told.map(({ refusal, looks }) => (refusal === '' ? reachOf(monitor, { sight, looks }) : unknown));
      files.move(id, reaches.flatMap(placesIn));
      return reaches;
    },
    forget: (kind, key) => files.move(idOf(kind, key), []),
    listen: wakes.listen,
  };
}

const waitingPlace = 'waiting';

function idOf(kind: string, key: Key): string {
  return `${kind} ${key}`;
}

/** Under what a monitor is filed: what it found, or what it waits for. */
function placesIn(reach: Reach): readonly string[] {
  if (reach.finds === 'something') return reach.by.map(({ type, object }) => foundPlace(type, object));
  if (reach.finds !== 'nothing') return [];
  const { type, selector, namespaces = [everywhere] } = reach.waits;
  return namespaces.map((namespace) => waitPlace(type, { namespace, pair: pairOf(selector) ?? anything }));
}

const everywhere = '*';
const anything = '*';

function foundPlace(type: ResourceType, object: KubeObject): string {
  return `found ${resourceId(type)} ${keyOf(object)}`;
}

function waitPlace(
  type: ResourceType,
  { namespace, pair }: { readonly namespace: string; readonly pair: string },
): string {
  return `wait ${resourceId(type)} ${namespace} ${pair}`;
}

function* placesOf(type: ResourceType, event: CacheEvent, caches: Caches): Iterable<string> {
  const { object, previous } = event;
  if (event.type !== 'added' && isMissed(type, event)) yield foundPlace(type, object);
  if (event.type === 'deleted' || (type === pods && !isMissed(type, event))) return;
  // Endpoints are waited for by who waits for their Service.
  const isSlice = type === endpointslices;
  const waited = isSlice ? serviceOf(object, caches) : object;
  if (waited === undefined) return;
  const awaited: ResourceType = isSlice ? services : type;
  const pairs = new Set([
    anything,
    ...pairsOf(waited),
    ...(previous === undefined || isSlice ? [] : pairsOf(previous)),
  ]);
  for (const namespace of [everywhere, object.metadata.namespace ?? ''])
    for (const pair of pairs) yield waitPlace(awaited, { namespace, pair });
}

function serviceOf({ metadata }: KubeObject, caches: Caches): Service | undefined {
  return caches.of(services).get(`${metadata.namespace}/${metadata.labels?.[serviceNameLabel] ?? ''}`);
}

/** Whoever found the object as it was may not find it as it is. */
function isMissed(type: ResourceType, { type: what, object, previous }: CacheEvent): boolean {
  if (what !== 'updated' || previous === undefined) return true;
  if (object.metadata.uid !== previous.metadata.uid || !equal(object.metadata.labels, previous.metadata.labels))
    return true;
  switch (type) {
    case pods: {
      const [after, before] = [(object as Pod).status, (previous as Pod).status];
      return after?.podIP !== before?.podIP || after?.phase !== before?.phase;
    }
    case endpointslices: {
      const [after, before] = [object as EndpointSlice, previous as EndpointSlice];
      return after.endpoints.length !== before.endpoints.length || !equal(after.ports, before.ports);
    }
    case ingresses:
      return !equal((object as Ingress).spec?.rules, (previous as Ingress).spec?.rules);
    default:
      return false;
  }
}

interface Files {
  /** Replaces the places under which it is filed. */
  move(id: string, places: readonly string[]): void;
  under(place: string): Iterable<string>;
}

function createFiles(): Files {
  const byPlace = new Map<string, Set<string>>();
  const byId = new Map<string, readonly string[]>();
  return {
    move(id, places) {
      for (const place of byId.get(id) ?? []) {
        const ids = byPlace.get(place);
        ids?.delete(id);
        if (ids?.size === 0) byPlace.delete(place);
      }
      if (places.length === 0) byId.delete(id);
      else byId.set(id, places);
      for (const place of places) byPlace.set(place, (byPlace.get(place) ?? new Set()).add(id));
    },
    under: (place) => byPlace.get(place) ?? [],
  };
}

interface Wakes {
  add(id: string): void;
  listen: Seekers['listen'];
}

/** Wakes everybody once, however much changes within a second. */
function createWakes({ clock, signal }: SeekersOptions): Wakes {
  const listeners = new Set<(kind: string, key: Key) => void>();
  const pending = new Set<string>();
  const tell = (): void => {
    const ids = [...pending];
    pending.clear();
    if (signal.aborted) return;
    for (const id of ids) {
      const space = id.indexOf(' ');
      for (const listener of listeners) listener(id.slice(0, space), id.slice(space + 1));
    }
  };
  return {
    add(id) {
      if (pending.size === 0) clock.after(debounceMs, tell);
      pending.add(id);
    },
    listen(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
  };
}

interface Synced {
  /** Whether the cache of a kind is there; it is fetched otherwise. */
  has(type: ResourceType): boolean;
}

interface Heard {
  readonly changed: (type: ResourceType, event: CacheEvent, caches: Caches) => void;
  readonly arrived: () => void;
}

/** Nothing waits for these caches: whoever may not read Pods still learns who selects a monitor. */
function createSynced({ informers, signal }: SeekersOptions, { changed, arrived }: Heard): Synced {
  const states = new Map<string, 'asked' | 'there'>();
  const stops: (() => void)[] = [];
  signal.addEventListener('abort', () => {
    for (const stop of stops.splice(0)) stop();
  });
  const follow = (type: ResourceType): void => {
    if (signal.aborted) return;
    states.set(resourceId(type), 'there');
    stops.push(informers.listen(type, (event) => changed(type, event, informers)));
    arrived();
  };
  return {
    has(type) {
      const id = resourceId(type);
      if (!states.has(id)) {
        states.set(id, 'asked');
        // It ends with the signal, or comes.
        informers.sync([type], { signal }).then(
          () => follow(type),
          () => undefined,
        );
      }
      return states.get(id) === 'there';
    },
  };
}
