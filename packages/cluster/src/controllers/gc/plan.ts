import type { ResourceType } from '../../api/gvk.ts';
import type { KubeObject, OwnerReference } from '../../api/meta.ts';
import type { DeleteOptions } from '../../api/operation.ts';
import type { Action, Delete, Emit, Patch } from '../../runtime/plan.ts';
import { collectingOf, foregroundFinalizer, isBeingDeleted, orphanFinalizer } from './finalizers.ts';

/** What is known about the object that a reference means. */
export type Standing =
  /** It is there and stays for now. */
  | 'solid'
  /** It is being deleted in the foreground and waits for its dependents. */
  | 'waiting'
  /** The API says that it is not there. */
  | 'absent'
  /** Not there, but an object with this uid is in another namespace: owners have to be in the same one. */
  | 'elsewhere'
  /** A namespaced owner of a cluster-scoped object. Nothing can be said about it, so nothing is done. */
  | 'misplaced'
  /** Nothing serves its kind now. */
  | 'unknown';

export interface Judged {
  readonly reference: OwnerReference;
  readonly standing: Standing;
}

export interface Owned {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

export interface Dependent extends Owned {
  readonly owners: readonly Judged[];
  readonly hasDependents: boolean;
  /** Those of its own dependents that wait for theirs: they hold it up when they stand above it. */
  readonly collectingDependents: readonly Owned[];
  /** Whether the owner in question is, over any number of steps, a dependent of this one. */
  readonly isAlsoOwner: boolean;
}

export interface Observed {
  readonly uid: string;
  /** Set while the owner waits for the collector. */
  readonly owner: Owned | undefined;
  readonly dependents: readonly Dependent[];
}

/** Stages: all actions of one succeed before the next begins. Inside a stage the order does not matter. */
export type Stages = readonly (readonly Action[])[];

/** What has to happen to the dependents of one owner, and to the owner that waits for it. */
export function plan({ uid, owner, dependents }: Observed): Stages {
  const collecting = owner && collectingOf(owner.object);
  if (owner === undefined || collecting === undefined) return [dependents.flatMap((each) => collection(each))];
  if (collecting === 'orphaning')
    return [
      dependents.map((each) => release(each, (reference) => reference.uid !== uid)),
      [ripen(owner, orphanFinalizer)],
    ];
  const blocking = dependents.filter(({ object }) => object.metadata.uid !== uid && isBlocking(object, uid));
  if (blocking.length === 0) return [[ripen(owner, foregroundFinalizer)]];
  const [deadlocked, others] = partition(blocking, ({ isAlsoOwner }) => isAlsoOwner);
  return [[...deadlocked.map((each) => unblock(each, uid)), ...others.flatMap((each) => collection(each))]];
}

/** What has to happen to one dependent, given what is known about all of its owners. */
function collection(dependent: Dependent): readonly Action[] {
  const { object, owners } = dependent;
  if (isBeingDeleted(object)) return [];
  if (owners.some(({ standing }) => standing === 'unknown')) return [];
  const misplaced = owners.filter(({ standing }) => standing === 'misplaced' || standing === 'elsewhere');
  const warnings = misplaced.map(({ reference }) => invalidNamespace(object, reference));
  if (owners.some(({ standing }) => standing === 'misplaced')) return warnings;
  const leaving = owners.filter(({ standing }) => standing !== 'solid');
  if (leaving.length === 0) return [];
  if (leaving.length < owners.length) {
    const gone = new Set(leaving.map(({ reference }) => reference));
    return [...warnings, release(dependent, (reference) => !gone.has(reference))];
  }
  const isForeground = dependent.hasDependents && owners.some(({ standing }) => standing === 'waiting');
  if (!isForeground) return [...warnings, deletion(dependent, policyOf(object))];
  // One that waits for its own dependents would wait for itself if this one, in turn, waited for it.
  const freed = dependent.collectingDependents.map((each) => unblock(each, object.metadata.uid));
  const steps = [...freed, deletion(dependent, 'Foreground')];
  return [...warnings, freed.length === 0 ? deletion(dependent, 'Foreground') : { do: 'inOrder', actions: steps }];
}

/** An object that asks for it by a finalizer keeps its own way of ending. */
function policyOf({ metadata }: KubeObject): NonNullable<DeleteOptions['propagationPolicy']> {
  if (metadata.finalizers?.includes(orphanFinalizer)) return 'Orphan';
  return metadata.finalizers?.includes(foregroundFinalizer) ? 'Foreground' : 'Background';
}

/** Carries the version that was judged: an object that found a new owner meanwhile is not deleted. */
function deletion({ type, object }: Owned, propagationPolicy: NonNullable<DeleteOptions['propagationPolicy']>): Delete {
  const { resourceVersion } = object.metadata;
  return { do: 'delete', type, target: object, options: { propagationPolicy, preconditions: { resourceVersion } } };
}

function release({ type, object }: Owned, keeps: (reference: OwnerReference) => boolean): Patch {
  return patchReferences({ type, object }, (object.metadata.ownerReferences ?? []).filter(keeps));
}

function unblock({ type, object }: Owned, owner: string): Patch {
  const references = object.metadata.ownerReferences ?? [];
  return patchReferences(
    { type, object },
    references.map((each) => (each.uid === owner ? { ...each, blockOwnerDeletion: false } : each)),
  );
}

// A merge patch, because custom resources take no strategic one; the version keeps it from undoing anybody's change.
function patchReferences({ type, object }: Owned, references: readonly OwnerReference[]): Patch {
  const ownerReferences = references.length === 0 ? null : references;
  return metadataPatch({ type, object }, { ownerReferences });
}

/** Lets go of an owner that is done waiting. */
function ripen({ type, object }: Owned, finalizer: string): Patch {
  const left = (object.metadata.finalizers ?? []).filter((each) => each !== finalizer);
  return metadataPatch({ type, object }, { finalizers: left.length === 0 ? null : left });
}

function metadataPatch({ type, object }: Owned, metadata: object): Patch {
  const { resourceVersion } = object.metadata;
  return {
    do: 'patch',
    type,
    target: object,
    patchType: 'merge',
    body: { metadata: { resourceVersion, ...metadata } },
  };
}

function invalidNamespace(object: KubeObject, { apiVersion, kind, name, uid }: OwnerReference): Emit {
  const { namespace = '' } = object.metadata;
  const owner = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
  return {
    do: 'emit',
    regarding: object,
    type: 'Warning',
    reason: 'OwnerRefInvalidNamespace',
    note: `ownerRef ${owner} does not exist in namespace "${namespace}"`,
  };
}

function isBlocking(object: KubeObject, owner: string): boolean {
  return (object.metadata.ownerReferences ?? []).some(
    ({ uid, blockOwnerDeletion }) => uid === owner && blockOwnerDeletion === true,
  );
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
