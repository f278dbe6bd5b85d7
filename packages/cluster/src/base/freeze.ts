/**
 * Freezes a tree of plain data in place and returns it. Stops at what is frozen already, so that re-freezing a copy that
 * shares most of its parts costs only the new parts.
 */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  // Every write comes through here, so no list of the values is made, and most of them are no objects.
  if (Array.isArray(value)) for (let index = 0; index < value.length; index++) freezePart(value[index]);
  else for (const key in value) freezePart(value[key]);
  return value;
}

function freezePart(part: unknown): void {
  if (typeof part === 'object' && part !== null) freeze(part);
}
