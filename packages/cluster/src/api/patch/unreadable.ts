import { isObject } from '../record.ts';

/** Why a patch is none, in the words of upstream, which names types as Go does. */
export function notAnObject(patch: unknown): string {
  return `json: cannot unmarshal ${typeOf(patch)} into Go value of type map[string]interface {}`;
}

export function noOperations(patch: unknown): string {
  return `json: cannot unmarshal ${typeOf(patch)} into Go value of type []handlers.jsonPatchOp`;
}

export function noOperation(operation: unknown): string {
  return `json: cannot unmarshal ${typeOf(operation)} into Go value of type handlers.jsonPatchOp`;
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return isObject(value) ? 'object' : typeof value === 'boolean' ? 'bool' : typeof value;
}
