/**
 * The members that say something: undefined, empty text, 0, false, empty lists and empty maps are left out. That is how
 * both operators have always written their documents, and what keeps a document free of noise.
 */
export function given<T extends object>(members: T): Given<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => says(value))) as Given<T>;
}

/** Every member may be missing, none is undefined. */
export type Given<T> = { readonly [Member in keyof T]?: Exclude<T[Member], undefined> };

/** Undefined instead of a map without members. */
export function givenOrNothing<T extends object>(members: T): Given<T> | undefined {
  const out = given(members);
  return Object.keys(out).length === 0 ? undefined : out;
}

/** Neither nothing, nor what means as much. */
export function says(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
