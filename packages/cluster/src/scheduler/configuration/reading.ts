import { isObject, type JsonObject } from '../../api/record.ts';

/** Of the configuration, and of what it says of plugins. */
export const configurationVersion = 'kubescheduler.config.k8s.io/v1';

/** Something in a configuration is wrong: where, and what. */
export class Fault extends Error {}

export interface Field {
  readonly field: string;
  /** What comes before the field, with its dot. */
  readonly at: string;
}

export function onlyFields(
  object: JsonObject,
  { at, known }: { readonly at: string; readonly known: readonly string[] },
): void {
  const other = Object.keys(object).find((field) => !known.includes(field));
  if (other !== undefined) throw new Fault(`${at}${other}: there is no such field; there are ${known.join(', ')}`);
}

export function textOf(object: JsonObject, { field, at }: Field): string | undefined {
  const value = object[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new Fault(`${at}${field}: it must be a text`);
  return value === '' ? undefined : value;
}

export function flagOf(object: JsonObject, { field, at }: Field): boolean | undefined {
  const value = object[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw new Fault(`${at}${field}: it must be true or false`);
  return value;
}

export function countOf(
  object: JsonObject,
  { field, at, min = 0, max = 2 ** 31 - 1 }: Field & { readonly min?: number; readonly max?: number },
): number | undefined {
  const value = object[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
    throw new Fault(`${at}${field}: it must be a whole number of ${min} to ${max}`);
  return value;
}

export function listAt(object: JsonObject, { field, at }: Field): readonly unknown[] {
  const value = object[field];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Fault(`${at}${field}: it must be a list`);
  return value;
}

export function textsAt(object: JsonObject, place: Field): readonly string[] {
  return listAt(object, place).map((each) => {
    if (typeof each !== 'string') throw new Fault(`${place.at}${place.field}: it must be a list of texts`);
    return each;
  });
}

export function objectAt(value: unknown, at: string): JsonObject {
  if (!isObject(value)) throw new Fault(`${at}: it must be an object`);
  return value;
}
