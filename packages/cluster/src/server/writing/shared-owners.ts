import type { FieldSet } from '../../api/apply/field-set.ts';
import type { Actor, Owners } from '../../api/apply/managers.ts';
import { isFoundAgain } from '../../api/apply/shared-sets.ts';
import type { Change } from '../../api/apply/versions.ts';
import { isJsonShared, SharedList, sharedList, shareJson } from '../../base/shared-json.ts';

/*
 * Pods of one template are owned alike, down to the second: they share one value. What is not asked for any more is
 * forgotten, a generation at a time; what has something in it that comes once, as an address, is not remembered at all.
 */
const generationMax = 512;
/** Of one change: who made it, to what, and in which second. */
const updatesMax = 8;

interface Update {
  readonly owners: Owners;
  readonly removed: FieldSet;
  readonly actor: Actor;
  readonly time: string | undefined;
  readonly after: Owners | undefined;
  isShared: boolean;
}

/** The latest last, by what they touched. */
let young = new Map<FieldSet, Update[]>();
let old = new Map<FieldSet, Update[]>();

function updatesOf(touched: FieldSet): Update[] {
  const found = young.get(touched);
  if (found !== undefined) return found;
  const updates = old.get(touched) ?? [];
  if (young.size >= generationMax) {
    old = young;
    young = new Map();
  }
  young.set(touched, updates);
  return updates;
}

export interface Updating {
  readonly owners: Owners;
  readonly change: Change;
  readonly actor: Actor;
  readonly time: string | undefined;
}

/** Whose fields they are after a change; the same as the last time where the same change was made to what the same owners had. */
export function sharedUpdate(updating: Updating, decide: () => Owners): Owners | undefined {
  const { owners, change, actor, time } = updating;
  const found = change(actor.apiVersion);
  if (found === undefined || !isFoundAgain(found.touched) || !mayComeAgain(owners, actor.apiVersion))
    return orNobody(decide());
  const { touched, removed } = found;
  const updates = updatesOf(touched);
  for (let index = updates.length - 1; index >= 0; index--) {
    const update = updates[index] as Update;
    if (update.removed === removed && isSame(update, updating)) return again(update);
  }
  const after = orNobody(decide());
  if (updates.length === updatesMax) updates.shift();
  updates.push({ owners, removed, actor, time, after, isShared: false });
  return after;
}

/** What only one object has is not worth remembering: who renews a lease renews that one alone. */
function mayComeAgain(owners: Owners, apiVersion: string): boolean {
  if (owners.length > 0 && !isJsonShared(owners)) return false;
  for (const owner of owners) if (owner.apiVersion !== apiVersion) return false;
  return true;
}

function isSame({ owners, actor, time }: Update, now: Updating): boolean {
  return (
    owners === now.owners &&
    time === now.time &&
    actor.manager === now.actor.manager &&
    actor.operation === now.actor.operation &&
    actor.subresource === now.actor.subresource &&
    actor.apiVersion === now.actor.apiVersion
  );
}

function again(update: Update): Owners | undefined {
  const { after, isShared } = update;
  // Only now it is sure that there are several of them.
  if (!isShared && after !== undefined) {
    shareJson(after);
    for (const owner of after) shareJson(owner);
  }
  update.isShared = true;
  return after;
}

function orNobody(owners: Owners): Owners | undefined {
  return owners.length === 0 ? undefined : listed(owners);
}

/** The same owners, frozen and as a list whose parts may be shared. */
export function listed(owners: Owners): Owners {
  if (owners instanceof SharedList) return owners;
  for (const owner of owners) Object.freeze(owner);
  return sharedList(owners);
}
