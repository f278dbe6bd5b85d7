import { difference, isEmpty, union } from './field-set.ts';
import {
  type Actor,
  capped,
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
  { actor, time }: { readonly actor: Actor; readonly time: string },
): Owners {
  const taken = withoutStripped(change(actor.apiVersion)?.touched ?? {});
  const others = withoutChanged(owners, change);
  if (isEmpty(taken)) return others;
  const before = ownerOf(others, actor);
  const fields = before === undefined ? taken : union(before.fieldsV1, taken);
  return sorted(capped(withOwner(others, owner(actor, fields, time))));
}

/** Without what has changed or is gone. Whose version is no longer known goes altogether. */
export function withoutChanged(owners: Owners, change: Change): Owners {
  return withFields(owners, ({ apiVersion, fieldsV1 }) => {
    const found = change(apiVersion);
    return found === undefined ? undefined : difference(difference(fieldsV1, found.touched), found.removed);
  });
}
