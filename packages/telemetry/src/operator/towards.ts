import { type Action, controllerOf, type KubeObject, keyOf, type New, type ResourceType } from '@signalbox/cluster';
import type { Finding } from '../world/findings.ts';
import { isOwnedBy, type World } from '../world/world.ts';
import type { ObjectName } from './component.ts';
import { canKeepPods, hashed, mergedLive, needsReplacement } from './merge-live.ts';

export interface TowardsOptions {
  readonly root: KubeObject;
  readonly world: World;
  readonly desired: readonly New<KubeObject>[];
  readonly kept: readonly ObjectName[];
  /** The kinds that may be created and removed. */
  readonly owns: readonly ResourceType[];
  readonly managedBy: string;
  readonly ownedPrefixes: readonly string[];
}

/** What has to be done to get from what is to what is wanted, and what stands in the way. */
export interface Way {
  readonly actions: readonly Action[];
  readonly findings: readonly Finding[];
}

/**
 * Creates what is missing, updates what differs, and removes what is no longer wanted. Only objects that carry our
 * managed-by label and this root's uid are ever removed, and an object of the same name that belongs to somebody else is
 * left alone and reported. Applying the actions leaves nothing to do.
 */
export function towards(options: TowardsOptions): Way {
  const actions: Action[] = [];
  const findings: Finding[] = [];
  for (const wanted of options.desired) {
    const step = stepTo(wanted, options);
    if (step === undefined) continue;
    if ('severity' in step) findings.push(step);
    else actions.push(step);
  }
  return { actions: [...actions, ...removals(options)], findings };
}

function stepTo(bare: New<KubeObject>, options: TowardsOptions): Action | Finding | undefined {
  const { root, world, ownedPrefixes } = options;
  const type = typeOf(bare, options);
  const wanted = hashed(bare);
  const live = world.get(type, keyOf(wanted));
  if (live === undefined) return creation(wanted, type, root);
  // It is on its way out; its end wakes the root again.
  if (live.metadata.deletionTimestamp !== undefined || isLeftover(live, root)) return undefined;
  if (!mayTake(live, wanted, options)) return nameTaken(live, root);
  if (needsReplacement(live, wanted)) return replacement(live, { type, root, wanted });
  const object = mergedLive(live, wanted, { ownedPrefixes });
  return object === undefined ? undefined : update(object, type, root);
}

function typeOf({ kind, metadata }: New<KubeObject>, { owns }: TowardsOptions): ResourceType {
  const type = owns.find((each) => each.kind === kind);
  if (type === undefined)
    throw new TypeError(`${kind} ${metadata.name} is not among the kinds that its component owns`);
  return type;
}

/** Made for an earlier root of the same name, which is gone: the garbage collector has yet to notice. */
function isLeftover(live: KubeObject, { kind, metadata }: KubeObject): boolean {
  const owner = controllerOf(live);
  return owner?.kind === kind && owner.name === metadata.name && owner.uid !== metadata.uid;
}

/** Ours, or left without an owner by a root that was deleted with its objects orphaned. */
function mayTake(live: KubeObject, wanted: New<KubeObject>, { root, managedBy }: TowardsOptions): boolean {
  if (isOwnedBy(live, root.metadata.uid)) return true;
  const belongsToPeers = live.metadata.ownerReferences?.some(({ kind }) => kind === root.kind) ?? false;
  if (isShareable(wanted)) return controllerOf(live) === undefined && (belongsToPeers || isManaged(live, managedBy));
  // The Agent Operator's Secrets name their root without its controlling them: `x-logs-config` may be that of root `x-logs`.
  const { kind, metadata } = root;
  if (live.metadata.ownerReferences?.some((owner) => owner.kind === kind && owner.name !== metadata.name)) return false;
  return controllerOf(live) === undefined && isManaged(live, managedBy);
}

function isManaged({ metadata }: KubeObject, managedBy: string): boolean {
  return metadata.labels?.['app.kubernetes.io/managed-by'] === managedBy;
}

function nameTaken(live: KubeObject, root: KubeObject): Finding {
  const owner = controllerOf(live) ?? live.metadata.ownerReferences?.[0];
  const whose = owner === undefined ? 'was not made by this operator' : `belongs to ${owner.kind} ${owner.name}`;
  return {
    severity: 'error',
    regarding: root,
    reason: 'NameTaken',
    field: '',
    message: `${live.kind} ${keyOf(live)} ${whose} and is left alone: rename or delete it, or rename the ${root.kind}`,
  };
}

function creation(object: New<KubeObject>, type: ResourceType, root: KubeObject): Action {
  return {
    do: 'create',
    type,
    object,
    // Several roots may want to be the first to make what they share; the others join as soon as they see it.
    ...(isShareable(object) && { unless: ['AlreadyExists'] }),
    announce: {
      regarding: root,
      done: { reason: 'Created', note: `Created ${object.kind} {name}` },
      failed: { reason: 'FailedCreate', note: `Cannot create ${object.kind} {name}: {error}` },
    },
  };
}

function update(object: KubeObject, type: ResourceType, root: KubeObject): Action {
  return {
    do: 'update',
    type,
    object,
    announce: {
      regarding: root,
      done: { reason: 'Updated', note: `Updated ${object.kind} {name}` },
      failed: { reason: 'FailedUpdate', note: `Cannot update ${object.kind} {name}: {error}` },
    },
  };
}

/** Takes away the workload and, where the next one can have its pods, leaves them running to be taken over. */
function replacement(
  live: KubeObject,
  { type, root, wanted }: { readonly type: ResourceType; readonly root: KubeObject; readonly wanted: New<KubeObject> },
): Action {
  return {
    do: 'delete',
    type,
    target: live,
    options: { propagationPolicy: canKeepPods(live, wanted) ? 'Orphan' : 'Foreground' },
    announce: {
      regarding: root,
      done: {
        reason: 'Recreating',
        note: `Deleted ${live.kind} {name} to create it anew: the change touches fields that cannot change`,
      },
      failed: { reason: 'FailedDelete', note: `Cannot delete ${live.kind} {name}: {error}` },
    },
  };
}

function removals({ root, world, desired, kept, owns, managedBy }: TowardsOptions): readonly Action[] {
  const stays = new Set([
    ...desired.map(({ kind, metadata }) => `${kind}/${metadata.namespace}/${metadata.name}`),
    ...kept.map(({ kind, namespace, name }) => `${kind}/${namespace}/${name}`),
  ]);
  return owns.flatMap((type) =>
    world
      .owned(type, root.metadata.uid)
      .filter((object) => isManaged(object, managedBy) && object.metadata.deletionTimestamp === undefined)
      .filter(({ metadata }) => !stays.has(`${type.kind}/${metadata.namespace}/${metadata.name}`))
      .map((target): Action => (isShared(target, root) ? leaving(target, type, root) : removal(target, type, root))),
  );
}

/** It names owners, but none that controls it. */
function isShareable({ metadata }: New<KubeObject>): boolean {
  const { ownerReferences = [] } = metadata;
  return ownerReferences.length > 0 && ownerReferences.every(({ controller }) => controller !== true);
}

/** Others need it as well, and none of its owners is its controller. */
function isShared(object: KubeObject, root: KubeObject): boolean {
  const others = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== root.metadata.uid);
  return others.length > 0 && controllerOf(object)?.uid !== root.metadata.uid;
}

function leaving(object: KubeObject, type: ResourceType, root: KubeObject): Action {
  const ownerReferences = object.metadata.ownerReferences?.filter(({ uid }) => uid !== root.metadata.uid) ?? [];
  return { do: 'update', type, object: { ...object, metadata: { ...object.metadata, ownerReferences } } };
}

function removal(target: KubeObject, type: ResourceType, root: KubeObject): Action {
  return {
    do: 'delete',
    type,
    target,
    options: { propagationPolicy: 'Background' },
    announce: {
      regarding: root,
      done: { reason: 'Deleted', note: `Deleted ${type.kind} {name}` },
      failed: { reason: 'FailedDelete', note: `Cannot delete ${type.kind} {name}: {error}` },
    },
  };
}
