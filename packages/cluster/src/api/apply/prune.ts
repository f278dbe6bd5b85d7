import type { KubeObject } from '../meta.ts';
import { difference, type FieldSet, intersection, noFields, union } from './field-set.ts';
import { namesOf } from './fields-of.ts';
import type { Owner, Owners } from './managers.ts';
import { removeFields, withNamedFields } from './remove.ts';
import { anyShape, type Shape } from './shape.ts';
import type { Versions } from './versions.ts';

/** What has to be known to find what an applier has left out. */
export interface Pruning {
  /** With what the applier owns now. */
  readonly owners: Owners;
  /** What it owned before. */
  readonly last: Owner | undefined;
  /** What it says now. */
  readonly applied: object;
  readonly versions: Versions;
}

/** The object without what the applier owned, does not name any more, and nobody else owns. What nobody ever owned stays. */
export function prune(merged: KubeObject, { owners, last, applied, versions }: Pruning): KubeObject {
  const shape = last === undefined ? undefined : versions.shapeOf(last.apiVersion);
  if (last === undefined || shape === undefined) return merged;
  const there = at(merged, last.apiVersion, versions);
  const owned = withNamedFields(last.fieldsV1, shape);
  let kept = removed(there, owned, shape);
  const named = namesOf(applied, versions.shapeOf(versions.apiVersion) ?? anyShape);
  const all = [...owners, { apiVersion: versions.apiVersion, fieldsV1: named }];
  for (const [apiVersion, fields] of fieldsByVersion(all, last.apiVersion)) {
    const form = versions.shapeOf(apiVersion);
    if (form !== undefined)
      kept = addedBack({ merged: there, kept, fields }, { apiVersion, from: last.apiVersion, form, versions });
  }
  const gone = intersection(difference(allOf(there, shape), allOf(kept, shape)), owned);
  return at(removed(there, gone, shape), versions.apiVersion, versions);
}

/** The fields that are owned, by the version that they are named in; this version comes first. */
function fieldsByVersion(
  owners: readonly Pick<Owner, 'apiVersion' | 'fieldsV1'>[],
  first: string,
): ReadonlyMap<string, FieldSet> {
  const found = new Map<string, FieldSet>([[first, noFields]]);
  for (const { apiVersion, fieldsV1 } of owners)
    found.set(apiVersion, union(found.get(apiVersion) ?? noFields, fieldsV1));
  return found;
}

interface Sides {
  readonly merged: KubeObject;
  readonly kept: KubeObject;
  readonly fields: FieldSet;
}

interface Place {
  readonly apiVersion: string;
  readonly from: string;
  readonly form: Shape;
  readonly versions: Versions;
}

/** What is kept, and besides all that somebody owns. */
function addedBack({ merged, kept, fields }: Sides, { apiVersion, from, form, versions }: Place): KubeObject {
  const isOther = apiVersion !== from;
  const before = isOther ? versions.convert(merged, apiVersion) : merged;
  const after = isOther ? versions.convert(kept, apiVersion) : kept;
  const stays = union(allOf(after, form), withNamedFields(fields, form));
  const result = removed(before, difference(allOf(before, form), stays), form);
  return isOther ? versions.convert(result, from) : result;
}

function allOf(object: KubeObject, shape: Shape): FieldSet {
  return withNamedFields(namesOf(object, shape), shape);
}

function removed(object: KubeObject, fields: FieldSet, shape: Shape): KubeObject {
  return removeFields(object, fields, shape) as KubeObject;
}

function at(object: KubeObject, apiVersion: string, versions: Versions): KubeObject {
  return object.apiVersion === apiVersion ? object : versions.convert(object, apiVersion);
}
