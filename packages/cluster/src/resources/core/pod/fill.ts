import { fresh } from '../../../base/fresh.ts';
/**
 * Changes by copy that give the same object back when nothing changes. Pods are defaulted on every write, and most of
 * them are complete already: then nothing is allocated, and everyone keeps sharing the frozen parts.
 */

/** The object with `fields` where it has none of its own. The empty string counts as none, as upstream has it. */
export function fill<T extends object>(object: T, fields: Partial<T>): T {
  let copy: T | undefined;
  for (const name of Object.keys(fields) as (keyof T)[]) {
    const given = object[name];
    if (given !== undefined && given !== null && given !== '') continue;
    copy ??= { ...fresh, ...object };
    copy[name] = fields[name] as T[keyof T];
  }
  return copy ?? object;
}

/** Like {@link fill} for counts and durations, where 0 means that nothing was said. */
export function fillZero<T extends object>(object: T, fields: Partial<T>): T {
  let copy: T | undefined;
  for (const name of Object.keys(fields) as (keyof T)[]) {
    const given = object[name];
    if (given !== undefined && given !== null && given !== 0) continue;
    copy ??= { ...fresh, ...object };
    copy[name] = fields[name] as T[keyof T];
  }
  return copy ?? object;
}

/** Like {@link amend} for parts that exist even when nobody wrote them down: `spec`, `template`. */
export function amendPart<T extends object, K extends keyof T>(
  object: T,
  name: K,
  change: (value: NonNullable<T[K]>) => NonNullable<T[K]>,
): T {
  const value = object[name];
  const changed = change(value ?? (nothing as NonNullable<T[K]>));
  return changed === value ? object : { ...fresh, ...object, [name]: changed };
}

const nothing: object = Object.freeze({});

/** The object with one field changed by `change`; absent fields stay absent. */
export function amend<T extends object, K extends keyof T>(
  object: T,
  name: K,
  change: (value: NonNullable<T[K]>) => NonNullable<T[K]>,
): T {
  const value = object[name];
  if (value === undefined || value === null) return object;
  const changed = change(value);
  return changed === value ? object : { ...fresh, ...object, [name]: changed };
}

/** The list with every item changed; the same list when no item did. */
export function each<T>(list: readonly T[], change: (item: T) => T): readonly T[] {
  let copy: T[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index] as T;
    const changed = change(item);
    if (changed === item) continue;
    copy ??= [...list];
    copy[index] = changed;
  }
  return copy ?? list;
}

/** Without switches that are off: where upstream knows nothing but on, off is what is not said. */
export function withoutOff<T extends object>(object: T, switches: readonly (keyof T)[]): T {
  if (!switches.some((name) => object[name] === false)) return object;
  const isOff = (name: string, value: unknown): boolean => value === false && switches.includes(name as keyof T);
  return Object.fromEntries(Object.entries(object).filter(([name, value]) => !isOff(name, value))) as T;
}
