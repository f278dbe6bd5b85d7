import type { DaemonSet } from '../api/generated/apps-v1.ts';
import type { Node, Pod, Taint } from '../api/generated/core-v1.ts';
import { nodes, pods } from '../api/generated/kinds.ts';
import { type ResourceType, resourceId } from '../api/gvk.ts';
import { controllerOf, type Key, type KubeObject, keyOf, type ObjectMeta } from '../api/meta.ts';
import { applyMergePatch } from '../api/patch/merge.ts';
import type { JsonObject } from '../api/record.ts';
import { toTimestamp } from '../base/clock.ts';
import { equal } from '../base/equal.ts';
import { freeze } from '../base/freeze.ts';
import type { Cache, Caches } from '../client/cache.ts';
import { createJournal, type Journal } from '../client/journal.ts';
import type { Controller } from '../runtime/controller.ts';
import type { Action, Patch } from '../runtime/plan.ts';

/** A tiny API for tests of plans: takes actions in, shows caches. Objects are gone the moment they are deleted. */
export interface World extends Caches {
  nowMs: number;
  /** Deleted pods stay with a deletionTimestamp until {@link World.remove}. */
  graceful: boolean;
  put<T extends KubeObject>(type: ResourceType<T>, object: T): T;
  remove(type: ResourceType, object: KubeObject): void;
  list<T extends KubeObject>(type: ResourceType<T>): readonly T[];
  apply(action: Action): void;
}

export const startMs: number = Date.UTC(2024, 0, 1);

export function createWorld(): World {
  const stores = new Map<string, Map<Key, KubeObject>>();
  const journals = new Map<string, Journal>();
  let version = 0;
  const storeOf = (type: ResourceType): Map<Key, KubeObject> => {
    const id = resourceId(type);
    const store = stores.get(id) ?? new Map<Key, KubeObject>();
    stores.set(id, store);
    return store;
  };
  const journalOf = (type: ResourceType): Journal => {
    const id = resourceId(type);
    const journal = journals.get(id) ?? createJournal(() => storeOf(type).size);
    journals.set(id, journal);
    return journal;
  };
  const world: World = {
    nowMs: startMs,
    graceful: false,
    put(type, object) {
      const resourceVersion = String(++version);
      const stored = freeze({ ...object, metadata: { ...object.metadata, resourceVersion } });
      storeOf(type).set(keyOf(stored), stored);
      journalOf(type).note(keyOf(stored));
      return stored;
    },
    remove(type, object) {
      storeOf(type).delete(keyOf(object));
      journalOf(type).note(keyOf(object));
    },
    list: <T extends KubeObject>(type: ResourceType<T>) => [...storeOf(type).values()] as unknown as readonly T[],
    of: <T extends KubeObject>(type: ResourceType<T>) =>
      cacheOf(type, { store: storeOf(type) as Map<Key, unknown> as Map<Key, T>, journal: journalOf(type) }),
    apply(action) {
      const store = 'type' in action && typeof action.type === 'object' ? storeOf(action.type) : new Map();
      perform(action, { world, store, uid: () => `uid-${++version}` });
    },
  };
  return world;
}

interface Performing {
  readonly world: World;
  readonly store: Map<Key, KubeObject>;
  readonly uid: () => string;
}

function perform(action: Action, { world, store, uid }: Performing): void {
  switch (action.do) {
    case 'create': {
      const { metadata } = action.object;
      const id = uid();
      const name = metadata.name ?? `${metadata.generateName ?? ''}${id.slice(4).padStart(5, '0')}`;
      const stored = { ...metadata, name, uid: id, resourceVersion: '', creationTimestamp: toTimestamp(world.nowMs) };
      const pending = action.type === pods ? { status: { phase: 'Pending' } } : {};
      const object = { ...action.object, ...pending, metadata: { ...stored, generation: 1 } };
      if (store.has(keyOf(object))) throw new Error(`${name} already exists`);
      world.put(action.type, object);
      return;
    }
    case 'update':
    case 'setStatus': {
      const seen = store.get(keyOf(action.object));
      if (seen?.metadata.resourceVersion !== action.object.metadata.resourceVersion) throw new Error('conflict');
      const generation =
        (seen.metadata.generation ?? 1) + (action.do === 'update' && !sameSpec(seen, action.object) ? 1 : 0);
      const next = { ...action.object, metadata: { ...action.object.metadata, generation } };
      const { deletionTimestamp, finalizers = [] } = next.metadata;
      if (action.type !== pods && deletionTimestamp !== undefined && finalizers.length === 0)
        world.remove(action.type, next);
      else world.put(action.type, next);
      return;
    }
    case 'patch': {
      const object = patched(store.get(keyOf(action.target)) ?? action.target, action);
      const { deletionTimestamp, finalizers = [] } = object.metadata;
      if (deletionTimestamp !== undefined && finalizers.length === 0 && !world.graceful)
        world.remove(action.type, object);
      else world.put(action.type, object);
      return;
    }
    case 'delete': {
      const target = store.get(keyOf(action.target));
      const holds = (target?.metadata.finalizers ?? []).length > 0 || world.graceful;
      const isHeld = action.type === pods ? holds : (target?.metadata.finalizers ?? []).length > 0;
      if (target !== undefined && isHeld) world.put(action.type, terminating(target, world.nowMs));
      else world.remove(action.type, action.target);
      return;
    }
    case 'emit':
      return;
    case 'inOrder':
      for (const next of action.actions) world.apply(next);
      return;
    default:
      action satisfies never;
  }
}

function sameSpec(a: KubeObject, b: KubeObject): boolean {
  return equal((a as { spec?: unknown }).spec, (b as { spec?: unknown }).spec);
}

function patched(target: KubeObject, { body, patchType }: Patch): KubeObject {
  const { metadata = {}, ...rest } = body as { readonly metadata?: ObjectMeta };
  if (patchType === 'strategic') {
    const [reference] = (metadata.ownerReferences ?? []) as readonly {
      readonly uid: string;
      readonly $patch?: string;
    }[];
    const others = (target.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== reference?.uid);
    const ownerReferences = reference?.$patch === 'delete' ? others : [...others, ...(metadata.ownerReferences ?? [])];
    const finalizers = patchedFinalizers(target, metadata);
    return { ...target, metadata: { ...target.metadata, ownerReferences, ...finalizers } };
  }
  const labels = { ...target.metadata.labels, ...metadata.labels };
  const annotations = { ...target.metadata.annotations, ...metadata.annotations };
  const merged = applyMergePatch(target as object as JsonObject, rest) as object as KubeObject;
  return { ...merged, metadata: { ...target.metadata, ...metadata, labels, annotations } };
}

function patchedFinalizers({ metadata }: KubeObject, patch: ObjectMeta): Pick<ObjectMeta, 'finalizers'> {
  const lost = (patch as Readonly<Record<string, readonly string[] | undefined>>)[
    '$deleteFromPrimitiveList/finalizers'
  ];
  const { finalizers } = metadata;
  const all = [...new Set([...(finalizers ?? []), ...(patch.finalizers ?? [])])].filter(
    (name) => !lost?.includes(name),
  );
  return finalizers === undefined && all.length === 0 ? {} : { finalizers: all };
}

function cacheOf<T extends KubeObject>(
  type: ResourceType<T>,
  { store, journal }: { readonly store: Map<Key, T>; readonly journal: Journal },
): Cache<T> {
  const filter = (keep: (object: T) => boolean): readonly T[] => [...store.values()].filter(keep);
  return {
    type,
    size: store.size,
    get: (key) => store.get(key),
    values: () => store.values(),
    inNamespace: (namespace) => filter(({ metadata }) => metadata.namespace === namespace),
    ownedBy: (uid) => filter((object) => controllerOf(object)?.uid === uid),
    by: (index, value) => filter((object) => [...index.valuesOf(object)].includes(value)),
    changesSince: (mark) => journal.since(mark),
  };
}

/** Plans once, applies, and returns the plan as lines. */
export function reconcile<O, M>(
  world: World,
  { controller, key, memories = new Map() }: { controller: Controller<O, M>; key: Key; memories?: Map<Key, M> },
): readonly string[] {
  const observed = controller.observe(key, world, memories.get(key));
  if (observed === undefined) return [];
  const { actions, memory } = controller.plan(observed, world.nowMs);
  if (memory === undefined) memories.delete(key);
  else memories.set(key, memory);
  for (const action of actions) world.apply(action);
  return actions.map(line);
}

/** `create pods web-1`, `delete pods web-0`, `emit SelectingAll`. */
export function line(action: Action): string {
  switch (action.do) {
    case 'emit':
      return `emit ${action.reason}`;
    case 'inOrder':
      return action.actions.map(line).join(' then ');
    case 'create':
      return `create ${action.type.resource} ${action.object.metadata.name ?? action.object.metadata.generateName}`;
    case 'update':
    case 'setStatus':
      return `${action.do} ${action.type.resource} ${action.object.metadata.name}`;
    default:
      return `${action.do} ${action.type.resource} ${action.target.metadata.name}`;
  }
}

export function terminating<T extends KubeObject>(object: T, nowMs: number = startMs): T {
  return { ...object, metadata: { ...object.metadata, deletionTimestamp: toTimestamp(nowMs) } };
}

export function meta(name: string, more: ObjectMeta = {}): ObjectMeta & Pod['metadata'] {
  return {
    namespace: 'default',
    uid: `uid-of-${name}`,
    resourceVersion: '1',
    creationTimestamp: toTimestamp(startMs),
    generation: 1,
    ...more,
    name,
  };
}

export function node(
  name: string,
  { labels = {}, taints = [] }: { labels?: Record<string, string>; taints?: Taint[] } = {},
): Node {
  const { namespace: _, ...metadata } = meta(name, { labels });
  return { apiVersion: 'v1', kind: 'Node', metadata, spec: { taints }, status: {} };
}

export function addNodes(world: World, count: number): void {
  for (let number = 1; number <= count; number++) world.put(nodes, node(`node-${number}`));
}

export const podSpec: Pod['spec'] = { containers: [{ name: 'app', image: 'app:1' }] };

export function daemonset(name: string, spec: Partial<DaemonSet['spec']> = {}): DaemonSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: meta(name),
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: podSpec },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      ...spec,
    },
    status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
  };
}

/** The pod as it is once its containers run and are ready since `sinceMs`. */
export function ready(pod: Pod, { sinceMs = startMs, nodeName }: { sinceMs?: number; nodeName?: string } = {}): Pod {
  const condition = { type: 'Ready', status: 'True', lastTransitionTime: toTimestamp(sinceMs) };
  const spec = nodeName === undefined ? pod.spec : { ...pod.spec, nodeName };
  return { ...pod, spec, status: { ...pod.status, phase: 'Running', conditions: [condition] } };
}

export function unready(pod: Pod): Pod {
  return { ...pod, status: { ...pod.status, phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] } };
}

/** Makes every pod that is neither ended nor ending run and ready. */
export function runAll(world: World, nodeOf: (pod: Pod) => string = () => 'node-1'): void {
  for (const pod of world.list(pods))
    if (pod.metadata.deletionTimestamp === undefined && pod.status.phase === 'Pending')
      world.put(pods, ready(pod, { sinceMs: world.nowMs, nodeName: nodeOf(pod) }));
}
