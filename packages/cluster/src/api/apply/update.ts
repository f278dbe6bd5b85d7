import { shareJson } from '../../base/shared-json.ts';
import { difference, type FieldSet, isEmpty, noFields, union } from './field-set.ts';
import {
  type Actor,
  capped,
  isSameActor,
  type Owner,
  type Owners,
  owner,
  ownerOf,
  sorted,
  withFields,
  withOwner,
  withoutStripped,
} from './managers.ts';
import { isFoundAgain } from './shared-sets.ts';
import type { Change } from './versions.ts';

/**
 * Who owns what after somebody has changed an object: what changed is theirs alone, what is gone is nobody's, and what they
 * have sent as it was stays whose it was. The same array when nothing changes. Pure.
 */
export function ownersAfterUpdate(
  owners: Owners,
  change: Change,
  { actor, time }: { readonly actor: Actor; readonly time: string | undefined },
): Owners {
  const taken = withoutStripped(change(actor.apiVersion)?.touched ?? {});
  if (isEmpty(taken)) return withoutChanged(owners, change);
  const mine = ownerOf(owners, actor);
  // What was theirs stays the same value where they have taken nothing new, as most who write a status again.
  const fields = mine === undefined ? taken : union(difference(mine.fieldsV1, removedFor(actor, change)), taken);
  const others = owners.length === 1 && mine !== undefined ? owners : withoutChanged(owners, change, mine);
  return sorted(capped(withOwner(others, entryOf(actor, fields, time))));
}

/** The latest of the fields that come again and again. */
const entries = new WeakMap<FieldSet, Owner>();

/** The same value for all of whom one says the same in one second: why they wait, why they have to go. */
function entryOf(actor: Actor, fields: FieldSet, time: string | undefined): Owner {
  if (!isFoundAgain(fields)) return owner(actor, fields, time);
  const known = entries.get(fields);
  if (
    known !== undefined &&
    known.time === time &&
    isSameActor(known, actor) &&
    known.apiVersion === actor.apiVersion
  ) {
    shareJson(known);
    return known;
  }
  const entry = Object.freeze(owner(actor, fields, time));
  entries.set(fields, entry);
  return entry;
}

function removedFor({ apiVersion }: Actor, change: Change): FieldSet {
  return change(apiVersion)?.removed ?? noFields;
}

/** Without what has changed or is gone, except of one. Whose version is no longer known goes altogether. */
export function withoutChanged(owners: Owners, change: Change, except?: Owner): Owners {
  return withFields(owners, (each) => {
    const { apiVersion, fieldsV1 } = each;
    if (each === except) return fieldsV1;
    const found = change(apiVersion);
    return found === undefined ? undefined : difference(difference(fieldsV1, found.touched), found.removed);
  });
}
