import { equal } from '../../base/equal.ts';
import type { KubeObject } from '../meta.ts';
import { type Conflict, conflictsOf } from './conflict.ts';
import { isEmpty } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import { type Actor, type Owners, owner, ownerOf, sorted, withOwner, withoutStripped } from './managers.ts';
import { merge } from './merge.ts';
import { prune } from './prune.ts';
import { withoutChanged } from './update.ts';
import { changeOf, type Versions } from './versions.ts';

export interface Applying {
  readonly live: KubeObject;
  /** What the applier says, in the version of the request. */
  readonly applied: object;
  readonly owners: Owners;
  readonly actor: Actor & { readonly operation: 'Apply' };
  readonly versions: Versions;
  readonly force: boolean;
  readonly time: string;
}

export type AppliedChange =
  /** `object` is `live` itself when nothing in it changes. */
  | { readonly ok: true; readonly object: KubeObject; readonly owners: Owners }
  | { readonly ok: false; readonly conflicts: readonly Conflict[] };

/**
 * An object after somebody has said what they want of it: what they name is as they say and theirs, also where others own it with
 * the same value; what they named before and do not any more goes, unless others own it. Pure.
 */
export function applyFields(applying: Applying): AppliedChange {
  const { live, applied, owners, actor, versions, force, time } = applying;
  const { apiVersion } = actor;
  const shape = versions.shapeOf(apiVersion) ?? { is: 'any' };
  const before = ownerOf(owners, actor);
  const merged = merge(live, applied, shape) as KubeObject;
  const fields = withoutStripped(fieldsOf(applied, shape));
  const now = withOwner(owners, owner(actor, fields, before?.time));
  const pruned = prune(merged, { owners: now, last: before, applied, versions });
  const object = equal(pruned, live) ? live : pruned;
  const change = changeOf(live, object, versions);
  const conflicts = conflictsOf(now, change, actor);
  if (conflicts.length > 0 && !force) return { ok: false, conflicts };
  const others = owners.filter((each) => each !== before);
  const left = withoutChanged(others, change);
  const isMineSame =
    before === undefined ? isEmpty(fields) : before.apiVersion === apiVersion && equal(before.fieldsV1, fields);
  const isSame = object === live && left === others && isMineSame;
  if (isSame) return { ok: true, object, owners };
  // Whoever changes nothing but owners has not touched the object since.
  const mine = isEmpty(fields) ? [] : [owner(actor, fields, object === live ? before?.time : time)];
  return { ok: true, object, owners: sorted([...left, ...mine]) };
}
