/**
 * Freezes a tree of plain data in place and returns it. Stops at what is frozen already, so that re-freezing a copy that
 * shares most of its parts costs only the new parts.
 */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  // Every write comes through here, so no list of the values is made.
  if (Array.isArray(value)) for (const part of value) freeze(part);
  else for (const key in value) freeze(value[key]);
  return value;
}
