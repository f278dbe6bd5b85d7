import { type Action, apiVersionOf, type KubeObject, type StatefulSet, statefulsets } from '@signalbox/cluster';
import type { RootComponent } from '../operator/component.ts';
import { planRoot } from '../operator/operator.ts';
import type { Condition } from '../resources/condition.ts';
import { leavesAtAnnotation } from '../sharding/leaving.ts';
import type { World } from '../world/world.ts';
import { createImaginedServer, type ImaginedServer, type Recreated } from './imagined-server.ts';

export interface ForetellOptions {
  readonly components: readonly RootComponent[];
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** What has become of objects once the operator has come to rest. */
export interface Foretold {
  readonly objects: readonly KubeObject[];
  readonly world: World;
  readonly recreated: ReadonlyMap<string, Recreated>;
  /** What it says on the way, in order: the steps of hand-overs, and what it finds wrong. */
  readonly said: readonly Said[];
  /** It had not come to rest after many steps. */
  readonly isEndless: boolean;
}

export interface Said {
  readonly regarding: KubeObject;
  readonly severity: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
}

/** Hand-overs take four steps each, and what waits for one begins with its end. */
const roundsMax = 60;
/** As long as nothing happens, more time passes at once. */
const waitMsMax = 60_000;

/**
 * Lets the operator act on a server that is imagined, until nothing is left to do. Its pods are ready at once, and a
 * hand-over goes on to its end, as does a shard that leaves; no other time passes, so that a shard whose data is kept stays.
 */
export function foretell(objects: Iterable<KubeObject>, { components, nowMs: startMs }: ForetellOptions): Foretold {
  const server = createImaginedServer(objects);
  collectGarbage(server, components);
  const told = new Map<string, ReadonlySet<string>>();
  const said: Said[] = [];
  let nowMs = startMs;
  let rounds = 0;
  let waitMs = 0;
  for (; rounds < roundsMax; rounds++) {
    const { actions, againInMs } = planAll(server.world, { components, nowMs, told });
    said.push(...actions.flatMap(saidBy));
    const hasChanged = actions.map(server.apply).includes(true);
    if (hasChanged) {
      waitMs = 0;
      continue;
    }
    if (againInMs === undefined) break;
    makeReady(server);
    waitMs = Math.max(againInMs, Math.min(2 * waitMs, waitMsMax));
    nowMs += waitMs;
  }
  return {
    objects: server.objects(),
    world: server.world,
    recreated: server.recreated,
    said,
    isEndless: rounds === roundsMax,
  };
}

interface Round extends ForetellOptions {
  readonly told: Map<string, ReadonlySet<string>>;
}

interface Planned {
  readonly actions: readonly Action[];
  /** A hand-over goes on then, or a shard leaves. */
  readonly againInMs: number | undefined;
}

function planAll(world: World, { components, nowMs, told }: Round): Planned {
  const actions: Action[] = [];
  const waits: number[] = [];
  for (const { component, root } of rootsIn(world, components)) {
    const { uid } = root.metadata;
    const known = told.get(uid);
    // Whether its kind has a status door makes no difference to what is foretold, and the status tells of hand-overs.
    const plan = planRoot(component, { root, world, hasStatusDoor: true }, { nowMs, memory: known && { told: known } });
    if (plan.memory !== undefined) told.set(uid, plan.memory.told);
    actions.push(...plan.actions);
    if (plan.againInMs !== undefined && (isHandingOver(root) || isLeft(root, world))) waits.push(plan.againInMs);
  }
  return { actions, againInMs: waits.length === 0 ? undefined : Math.min(...waits) };
}

export interface RootOf {
  readonly component: RootComponent;
  readonly root: KubeObject;
}

/** The roots that are looked after. */
export function rootsIn(world: World, components: readonly RootComponent[]): readonly RootOf[] {
  return components.flatMap((component) =>
    world
      .list(component.rootType)
      .filter((root) => root.metadata.deletionTimestamp === undefined && component.foreignBecause?.(root) === undefined)
      .map((root) => ({ component, root })),
  );
}

function isHandingOver(root: KubeObject): boolean {
  const { status } = root as { readonly status?: { readonly conditions?: readonly Condition[] } };
  return status?.conditions?.some(({ type, status: holds }) => type === 'Resharding' && holds === 'True') ?? false;
}

/** One of its shards has a time at which it goes. */
function isLeft({ metadata }: KubeObject, world: World): boolean {
  return world
    .owned(statefulsets, metadata.uid)
    .some((set) => set.metadata.annotations?.[leavesAtAnnotation] !== undefined);
}

function saidBy(action: Action): readonly Said[] {
  if (action.do === 'inOrder') return action.actions.flatMap(saidBy);
  if (action.do !== 'emit') return [];
  const { regarding, type: severity, reason, note } = action;
  return [{ regarding, severity, reason, note }];
}

function makeReady({ world, put }: ImaginedServer): void {
  for (const set of world.list(statefulsets)) {
    const replicas = set.spec.replicas ?? 1;
    if ((set.status?.availableReplicas ?? 0) >= replicas) continue;
    put({
      ...set,
      status: { ...set.status, replicas, readyReplicas: replicas, availableReplicas: replicas },
    } as StatefulSet);
  }
}

/** What belongs to roots that are gone goes with them. */
function collectGarbage({ world, put, remove }: ImaginedServer, components: readonly RootComponent[]): void {
  const isRoot = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): boolean =>
    components.some(({ rootType }) => rootType.kind === kind && apiVersionOf(rootType) === apiVersion);
  const uids = new Set(components.flatMap(({ rootType }) => world.list(rootType).map(({ metadata }) => metadata.uid)));
  for (const type of new Set(components.flatMap(({ owns }) => owns)))
    for (const object of world.list(type)) {
      const owners = object.metadata.ownerReferences ?? [];
      const left = owners.filter((owner) => !isRoot(owner) || uids.has(owner.uid));
      if (left.length === owners.length) continue;
      if (left.length === 0) remove(object);
      else put({ ...object, metadata: { ...object.metadata, ownerReferences: left } });
    }
}
