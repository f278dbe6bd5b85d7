import type { StatefulSet } from '../../api/generated/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import { isPodTerminal } from '../../resources/core/pod/facts.ts';
import type { Action } from '../../runtime/plan.ts';
import { isTerminating } from '../../workloads/phase.ts';
import {
  type ClaimsByName,
  claimIsGoing,
  createMissingClaims,
  createReplica,
  deleteReplica,
  repairIdentity,
} from './actions.ts';
import { claimNames, podName, type Version } from './identity.ts';
import { isServing, type Replicas, type Slot } from './replicas.ts';
import { isStale, retain } from './retention.ts';
import { type Course, isStuck } from './stuck.ts';

export interface Scaling {
  readonly set: StatefulSet;
  readonly claims: ClaimsByName;
  /** Which version a pod that is missing gets. */
  readonly versionOf: (ordinal: number) => Version;
  /** Set while the set replaces pods by itself. */
  readonly course: Course | undefined;
  /** So many of the range, from its beginning, stay as they are. */
  readonly partition: number;
  readonly minReadySeconds: number;
  readonly nowMs: number;
}

export interface Scaled {
  readonly actions: readonly Action[];
  /** Something has to happen first; nothing further may be done in this pass. */
  readonly waits: boolean;
  /** Whose pod it is that the others wait for, in order. */
  readonly waitsFor?: Slot;
}

/**
 * Fills the set's range from the bottom and empties what is outside from the top. `OrderedReady` takes one step at a time
 * and waits for each pod to serve, unless it never will; `Parallel` does it all at once.
 */
export function scale({ slots, condemned }: Replicas, scaling: Scaling): Scaled {
  const ordered = scaling.set.spec.podManagementPolicy !== 'Parallel';
  const actions: Action[] = [];
  for (const [index, slot] of slots.entries()) {
    const step = fill(slot, scaling);
    actions.push(...step.actions);
    if (!ordered || !step.waits) continue;
    const unblocking = index < scaling.partition ? [] : unblock(slot, scaling);
    return { actions: [...actions, ...unblocking], waits: true, waitsFor: slot };
  }
  const lastToWaitFor = [...condemned].reverse().find(({ pod }) => !isServing(pod, scaling));
  const removals: Action[] = [];
  const done = (): readonly Action[] => [...actions, ...afterClaims(removals, { condemned, scaling })];
  for (const slot of condemned) {
    const waits = ordered && slot !== lastToWaitFor && !isTerminating(slot.pod) && !isServing(slot.pod, scaling);
    if (waits) return { actions: done(), waits: true, ...(lastToWaitFor !== undefined && { waitsFor: lastToWaitFor }) };
    if (!isTerminating(slot.pod)) removals.push(deleteReplica(scaling.set, slot.pod));
    if (ordered) return { actions: done(), waits: true, waitsFor: slot };
  }
  return { actions: sortedByKind(done()), waits: false };
}

/** The claims of all that are to go are told so first: afterwards nobody would know, and somebody else may be quicker. */
function afterClaims(
  removals: readonly Action[],
  { condemned, scaling }: Pick<Replicas, 'condemned'> & { readonly scaling: Scaling },
): readonly Action[] {
  const retained = condemned.flatMap((slot) => retainAll(slot, { scaling, condemned: true }));
  return retained.length === 0 ? removals : [{ do: 'inOrder', actions: [...retained, ...removals] }];
}

function fill({ ordinal, pod }: Slot, scaling: Scaling): Scaled {
  if (pod === undefined) return create(ordinal, scaling);
  const { set, claims } = scaling;
  if (isPodTerminal(pod)) return { actions: isTerminating(pod) ? [] : [deleteReplica(set, pod)], waits: true };
  const isPending = pod.status?.phase === 'Pending';
  const missing = isPending ? createMissingClaims(set, { ordinal, claims, holdsUp: false }) : [];
  if (isTerminating(pod)) return { actions: [], waits: true };
  const repairs = [
    ...repairIdentity(set, { pod, ordinal }),
    ...retainAll({ ordinal, pod }, { scaling, condemned: false }),
  ];
  return { actions: [...missing, ...repairs], waits: !isServing(pod, scaling) };
}

/** Who waits for it waits for ever, also once the template has been mended. */
function unblock({ pod }: Slot, { set, course }: Scaling): readonly Action[] {
  const blocks = pod !== undefined && course !== undefined && !isPodTerminal(pod) && isStuck(pod, course);
  return blocks ? [deleteReplica(set, pod)] : [];
}

function create(ordinal: number, { set, claims, versionOf }: Scaling): Scaled {
  const existing = claimsOf(set, { ordinal, claims });
  const stale = { set, podName: podName(set, ordinal) };
  if (existing.some((claim) => isStale(claim, stale))) return { actions: [], waits: true };
  const going = existing.find(({ metadata }) => metadata.deletionTimestamp !== undefined);
  if (going !== undefined) return { actions: [claimIsGoing(set, { ordinal, claim: going })], waits: true };
  return { actions: [createReplica(set, { ordinal, version: versionOf(ordinal), claims })], waits: true };
}

function retainAll(
  { ordinal, pod }: Slot & { readonly pod: Pod },
  { scaling, condemned }: { readonly scaling: Scaling; readonly condemned: boolean },
): readonly Action[] {
  const { set, claims } = scaling;
  return claimsOf(set, { ordinal, claims }).flatMap((claim) => retain(claim, { set, pod, condemned }));
}

function claimsOf(
  set: StatefulSet,
  { ordinal, claims }: { readonly ordinal: number; readonly claims: ClaimsByName },
): readonly PersistentVolumeClaim[] {
  return claimNames(set, ordinal).flatMap((name) => claims.get(name) ?? []);
}

/** Neighbouring creates and neighbouring deletes run at once. */
function sortedByKind(actions: readonly Action[]): readonly Action[] {
  const creates = actions.filter((action) => action.do === 'create');
  const deletes = actions.filter((action) => action.do === 'delete');
  const others = actions.filter((action) => action.do !== 'create' && action.do !== 'delete');
  return [...others, ...creates, ...deletes];
}
