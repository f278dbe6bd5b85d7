import type { ResourceType } from '../api/gvk.ts';
import { controllerOf, type KubeObject } from '../api/meta.ts';
import type { Caches, Index } from '../client/cache.ts';
import type { OnBehalfOf, Patch } from '../runtime/plan.ts';
import { controllerReference } from './owner.ts';
import { type Selecting, selectionOf } from './selecting.ts';

/**
 * Which objects belong to an owner: those it controls and still selects, and those it selects that nobody controls.
 * The owner is taken from the cache; before it takes anything from nobody the API is asked whether it is still there.
 */
export interface Claims<T extends KubeObject> {
  /** What the owner may count on: kept and about to be adopted. */
  readonly claimed: readonly T[];
  readonly adopted: readonly T[];
  readonly released: readonly T[];
}

export interface Claimable<T extends KubeObject> {
  readonly owned: readonly T[];
  /** Objects of the owner's namespace without a controller. */
  readonly orphans: readonly T[];
  /** A further condition besides the selector, e.g. the shape of the name. */
  readonly accepts?: (object: T) => boolean;
}

export function claim<T extends KubeObject>(owner: Selecting, { owned, orphans, accepts }: Claimable<T>): Claims<T> {
  // An owner on its way out neither takes nor gives: the garbage collector decides what becomes of its objects.
  if (owner.metadata.deletionTimestamp !== undefined) return { claimed: owned, adopted: [], released: [] };
  const selects = selectionOf(owner);
  const wants = (object: T): boolean => selects(object) && (accepts === undefined || accepts(object));
  const released = owned.filter((object) => !wants(object));
  const adopted = orphans.filter((object) => object.metadata.deletionTimestamp === undefined && wants(object));
  if (released.length === 0 && adopted.length === 0) return { claimed: owned, adopted, released };
  return { claimed: [...owned.filter(wants), ...adopted], adopted, released };
}

/** How an object stands with an owner; undefined: it is none of its. */
export type Standing = 'claimed' | 'adopted' | 'released' | undefined;

/** {@link claim} for one object after the other. */
export function standingWith(owner: Selecting): (object: KubeObject) => Standing {
  const { uid, namespace, deletionTimestamp } = owner.metadata;
  const isEnding = deletionTimestamp !== undefined;
  const selects = selectionOf(owner);
  return (object) => {
    const controller = controllerOf(object);
    if (controller !== undefined) {
      if (controller.uid !== uid) return undefined;
      return isEnding || selects(object) ? 'claimed' : 'released';
    }
    const isFree = !isEnding && object.metadata.deletionTimestamp === undefined;
    return isFree && object.metadata.namespace === namespace && selects(object) ? 'adopted' : undefined;
  };
}

/** Reads what {@link claim} needs from the caches. */
export function claimFrom<T extends KubeObject>(
  owner: Selecting,
  {
    type,
    orphans,
    caches,
    accepts,
  }: {
    readonly type: ResourceType<T>;
    readonly orphans: Index<T>;
    readonly caches: Caches;
    readonly accepts?: (object: T) => boolean;
  },
): Claims<T> {
  const cache = caches.of(type);
  return claim(owner, {
    owned: cache.ownedBy(owner.metadata.uid),
    orphans: cache.by(orphans, owner.metadata.namespace ?? ''),
    ...(accepts !== undefined && { accepts }),
  });
}

/** The writes that make the claims true. Each carries the uids of both sides, so a stranger of the same name is safe. */
export function claimActions<T extends KubeObject>(
  onBehalfOf: OnBehalfOf,
  { type, claims }: { readonly type: ResourceType<T>; readonly claims: Pick<Claims<T>, 'adopted' | 'released'> },
): readonly Patch[] {
  const { object: owner } = onBehalfOf;
  const patch = (target: T, reference: object): Patch => ({
    do: 'patch',
    type,
    target,
    patchType: 'strategic',
    body: { metadata: { uid: target.metadata.uid, ownerReferences: [reference] } },
  });
  return [
    ...claims.adopted.map((target) => ({ ...patch(target, controllerReference(owner)), onBehalfOf })),
    ...claims.released.map((target) => patch(target, { $patch: 'delete', uid: owner.metadata.uid })),
  ];
}

/** Files objects without a controller under their namespace. Declare one constant per kind: caches go by identity. */
export function orphanIndex<T extends KubeObject>(name: string): Index<T> {
  return {
    name,
    valuesOf: (object) => (controllerOf(object) === undefined ? [object.metadata.namespace ?? ''] : []),
  };
}
