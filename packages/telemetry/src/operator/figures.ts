import {
  type Caches,
  type DaemonSet,
  daemonsets,
  type Informers,
  type Key,
  type KubeObject,
  keyOf,
  type ResourceType,
  type StatefulSet,
  splitKey,
  statefulsets,
} from '@signalbox/cluster';
import { progressOf, type Workload } from '../world/workload.ts';
import type { Desired } from './component.ts';

/** Is told what the operator has come to. It only looks, and must not throw. */
export interface OperatorObserver {
  /** A root was looked at. */
  built(type: ResourceType, root: KubeObject, desired: Desired): void;
  /** All that is wrong with a root, or that a monitor comes to nothing; empty: nothing. */
  found(type: ResourceType, key: Key, wrong: readonly Wrong[]): void;
  /** It is gone, or somebody else's. */
  forgot(type: ResourceType, key: Key): void;
}

/** A finding without its words. */
export interface Wrong {
  /** Of the object to mend. */
  readonly kind: string;
  readonly reason: string;
  readonly severity: 'error' | 'warning';
}

/** How far a root has come. */
export interface RootFigures {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Absent: its agents share nothing. */
  readonly shards: Count | undefined;
  /** Pods of all its workloads. */
  readonly replicas: Count;
}

export interface Count {
  readonly wanted: number;
  readonly ready: number;
}

/** The sum of what an operator was told: for metrics. */
export interface OperatorFigures extends OperatorObserver {
  /** Sorted by kind, namespace and name. Counted anew at each call, so that nothing is counted where nobody asks. */
  roots(informers: Informers): readonly RootFigures[];
  /** What is wrong now, each with how often. */
  wrong(): readonly (Wrong & { readonly count: number })[];
}

export function createOperatorFigures(): OperatorFigures {
  const built = new Map<string, BuiltRoot>();
  const found = new Map<string, readonly Wrong[]>();
  return {
    built: (type, root, desired) => void built.set(idOf(type, keyOf(root)), builtRoot(type, root, desired)),
    found(type, key, wrong) {
      if (wrong.length > 0) found.set(idOf(type, key), wrong);
      else found.delete(idOf(type, key));
    },
    forgot(type, key) {
      built.delete(idOf(type, key));
      found.delete(idOf(type, key));
    },
    roots: (informers) => [...built].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, root]) => figuresOf(root, informers)),
    wrong: () => counted([...found.values()].flat()),
  };
}

function idOf({ kind }: ResourceType, key: Key): string {
  return `${kind} ${key}`;
}

interface BuiltRoot {
  readonly kind: string;
  readonly key: Key;
  readonly shards: number;
  readonly sets: readonly Key[];
  readonly daemons: readonly Key[];
}

/** What it is made of; where something is so wrong that nothing is made, what is kept of before. */
function builtRoot({ kind }: ResourceType, root: KubeObject, { objects, kept, shards }: Desired): BuiltRoot {
  const names =
    objects.length === 0
      ? kept
      : objects.map((object) => ({
          kind: object.kind,
          namespace: object.metadata.namespace ?? '',
          name: object.metadata.name ?? '',
        }));
  const keysOf = (type: ResourceType): readonly Key[] =>
    names.filter((each) => each.kind === type.kind).map(({ namespace, name }) => `${namespace}/${name}`);
  return { kind, key: keyOf(root), shards, sets: keysOf(statefulsets), daemons: keysOf(daemonsets) };
}

const nothing: Count = { wanted: 0, ready: 0 };

function figuresOf({ kind, key, shards, sets, daemons }: BuiltRoot, informers: Informers): RootFigures {
  const { namespace = '', name } = splitKey(key);
  const shardCounts = sets.map((set) => countOf<StatefulSet>(informers, { type: statefulsets, key: set }));
  const counts = [
    ...shardCounts,
    ...daemons.map((set) => countOf<DaemonSet>(informers, { type: daemonsets, key: set })),
  ];
  const replicas = counts.reduce<Count>(
    (sum, each) => ({ wanted: sum.wanted + each.wanted, ready: sum.ready + Math.min(each.ready, each.wanted) }),
    nothing,
  );
  const complete = shardCounts.filter((each) => each.isThere && each.ready >= each.wanted).length;
  return {
    kind,
    namespace,
    name,
    shards: sets.length === 0 ? undefined : { wanted: shards, ready: Math.min(shards, complete) },
    replicas,
  };
}

function countOf<T extends KubeObject & Workload>(
  informers: Informers,
  { type, key }: { readonly type: ResourceType<T>; readonly key: Key },
): Count & { readonly isThere: boolean } {
  const caches: Caches = informers;
  const set = informers.has(type) ? caches.of(type).get(key) : undefined;
  if (set === undefined) return { ...nothing, isThere: false };
  const { wanted, ready } = progressOf(set);
  return { wanted, ready, isThere: true };
}

function counted(all: readonly Wrong[]): readonly (Wrong & { readonly count: number })[] {
  const counts = new Map<string, Wrong & { readonly count: number }>();
  for (const wrong of all) {
    const id = `${wrong.kind} ${wrong.reason} ${wrong.severity}`;
    counts.set(id, { ...wrong, count: (counts.get(id)?.count ?? 0) + 1 });
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
}
