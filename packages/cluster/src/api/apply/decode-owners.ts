import { isObject, type JsonObject } from '../record.ts';
import { decodeFieldSet } from './decode.ts';
import { type Owner, type Owners, owner } from './managers.ts';

/** What a client has sent as `managedFields`, or that it is nothing to go by. */
export type DecodedOwners = { readonly ok: true; readonly owners: Owners } | { readonly ok: false };

export function decodeOwners(entries: readonly unknown[]): DecodedOwners {
  const owners: Owner[] = [];
  for (const entry of entries) {
    const decoded = isObject(entry) ? decodeOwner(entry) : undefined;
    if (decoded === undefined) return { ok: false };
    owners.push(decoded);
  }
  return { ok: true, owners };
}

function decodeOwner(entry: JsonObject): Owner | undefined {
  const { manager = '', operation, apiVersion, subresource = '', time, fieldsType, fieldsV1 = {} } = entry;
  if (operation !== 'Apply' && operation !== 'Update') return undefined;
  if (typeof apiVersion !== 'string' || apiVersion === '' || fieldsType !== 'FieldsV1') return undefined;
  if (typeof manager !== 'string' || typeof subresource !== 'string') return undefined;
  const fields = decodeFieldSet(fieldsV1 ?? {});
  if (fields === undefined) return undefined;
  return owner({ manager, operation, apiVersion, subresource }, fields, typeof time === 'string' ? time : undefined);
}

/** One entry in which nothing stands: whoever sends it wants all owners forgotten. */
export function forgetsOwners(entries: readonly unknown[]): boolean {
  const [only] = entries;
  return (
    entries.length === 1 &&
    isObject(only) &&
    Object.values(only).every((value) => value === undefined || value === null)
  );
}
