import { compare } from '../../api/apply/compare.ts';
import { difference, type FieldSet, intersection, isEmpty, union } from '../../api/apply/field-set.ts';
import { isSameActor, type Owner, type Owners, owner, sorted } from '../../api/apply/managers.ts';
import { anyShape, shapeOf } from '../../api/apply/shape.ts';
import type { Versions } from '../../api/apply/versions.ts';
import { apiVersionOf } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import { shapeOf as bodyShapeOf, schemaFor } from '../intake/fields.ts';
import type { Door, DoorRequest } from './door.ts';
import { ownersOf } from './owning.ts';

/** What a scale says of an object, with the owners of that alone. */
export interface ScaledOwners {
  readonly live: KubeObject;
  readonly owners: Owners;
  readonly versions: Versions;
  /** The owners of the whole object after the scale's have changed. */
  toParent(scaled: Owners): Owners;
}

const replicas: FieldSet = { 'f:spec': { 'f:replicas': {} } };

export interface Scaling {
  readonly door: Door;
  readonly request: DoorRequest;
  readonly versions: Versions;
}

/** The field of the object that stands behind `spec.replicas` of its scale is found by changing the one and looking at the other. */
export function scaleOwners(current: KubeObject, { door, request, versions }: Scaling): ScaledOwners {
  const { served, subresource = '' } = request;
  const narrow = served.subresources.get(subresource);
  const live = door.read(current);
  const apiVersion = apiVersionOf(door.kind);
  const form = narrow?.schema === undefined ? anyShape : shapeOf(schemaFor(bodyShapeOf(narrow)));
  const { spec } = live as KubeObject & { readonly spec?: { readonly replicas?: number } };
  const other = { ...live, spec: { replicas: (spec?.replicas ?? 0) === 0 ? 1 : 0 } } as KubeObject;
  const after = narrow?.write?.(current, other, { nowMs: 0 }) ?? current;
  const field = compare(current, after, versions.shapeOf(versions.apiVersion) ?? anyShape).touched;
  const parents = ownersOf(current) ?? [];
  const owns = (each: Owner): boolean => !isEmpty(intersection(each.fieldsV1, field));
  const asScale = (each: Owner): Owner => owner({ ...each, apiVersion }, replicas, each.time);
  return {
    live,
    owners: parents.filter(owns).map(asScale),
    versions: { apiVersion, shapeOf: () => form, convert: (object) => object },
    toParent(scaled) {
      const kept = parents.flatMap((each) => {
        if (!owns(each) || scaled.some((left) => isSameActor(left, asScale(each)))) return [each];
        const left = difference(each.fieldsV1, field);
        return isEmpty(left) ? [] : [owner(each, left, each.time)];
      });
      const added = scaled.filter((each) => each.subresource === subresource);
      const changed = added.map((each) => {
        const before = kept.find((known) => isSameActor(asScale(known), each));
        const fields = before === undefined ? field : union(before.fieldsV1, field);
        // As upstream, which finds the time of whoever is new to the object nowhere.
        const known = parents.find((parent) => isSameActor(asScale(parent), each));
        return owner({ ...each, apiVersion: served.apiVersion }, fields, known?.time);
      });
      return sorted([...kept.filter((each) => !changed.some((next) => isSameActor(next, each))), ...changed]);
    },
  };
}
