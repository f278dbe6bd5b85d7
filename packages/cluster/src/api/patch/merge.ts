import { isObject, type JsonObject, own, put } from '../record.ts';
import { badRequest, StatusError } from '../status.ts';
import { notAnObject } from './unreadable.ts';

/**
 * JSON Merge Patch (RFC 7386). Parts that the patch does not name are shared with `object`; when nothing changes the
 * result is `object` itself. Throws 400 when the patch is no object: the RFC allows it, an API object does not.
 */
export function applyMergePatch(object: JsonObject, patch: unknown): JsonObject {
  if (patch === null) throw new StatusError(badRequest('Invalid JSON Patch'));
  if (!isObject(patch)) throw new StatusError(badRequest(`error decoding patch: ${notAnObject(patch)}`));
  return mergeObjects(object, patch);
}

function mergeObjects(object: JsonObject, patch: JsonObject): JsonObject {
  let next: Record<string, unknown> | undefined;
  for (const key of Object.keys(patch)) {
    const current = own(object, key);
    const change = patch[key];
    if (change === null) {
      if (!Object.hasOwn(object, key)) continue;
      next ??= { ...object };
      delete next[key];
      continue;
    }
    const merged = isObject(change) ? mergeObjects(isObject(current) ? current : {}, change) : change;
    if (merged === current) continue;
    next ??= { ...object };
    put(next, key, merged);
  }
  return next ?? object;
}
