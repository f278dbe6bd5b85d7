import { isObject } from '../record.ts';
import { readStep } from './element.ts';
import { type FieldSet, inOrder } from './field-set.ts';

/** A set of fields as a client has written it, in the form in which we keep it; undefined when it is none. */
export function decodeFieldSet(value: unknown): FieldSet | undefined {
  const set = decodePart(value);
  // The root is the object, which nobody owns.
  return set === undefined || Object.hasOwn(set, '.') ? undefined : inOrder(set);
}

function decodePart(value: unknown): FieldSet | undefined {
  if (!isObject(value)) return undefined;
  const set: Record<string, FieldSet> = {};
  for (const key of Object.keys(value)) {
    const read = readStep(key);
    if (read === 'unknown') continue;
    const part = read === undefined ? undefined : decodePart(value[key]);
    if (read === undefined || part === undefined) return undefined;
    set[read.step] = part;
  }
  return set;
}
