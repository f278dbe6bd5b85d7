/**
 * Freezes a tree of plain data in place and returns it. Stops at what is frozen already, so that re-freezing a copy that
 * shares most of its parts costs only the new parts.
 */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
  return value;
}
