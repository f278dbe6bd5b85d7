import { difference, type FieldSet, isEmpty, noFields, union } from './field-set.ts';
import {
  type Actor,
  capped,
  type Owner,
  type Owners,
  owner,
  ownerOf,
  sorted,
  withFields,
  withOwner,
  withoutStripped,
} from './managers.ts';
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
  return sorted(capped(withOwner(others, owner(actor, fields, time))));
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
