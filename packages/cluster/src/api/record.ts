/** Plain JSON objects, and the few ways to write them that cannot reach a prototype. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets an own property. An assignment to `__proto__` would switch the prototype instead. */
export function put(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/** The own property, never one of the prototype's. */
export function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A copy without some keys; the same object when it has none of them. */
export function without(object: JsonObject, keys: readonly string[]): JsonObject {
  if (!keys.some((key) => Object.hasOwn(object, key))) return object;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(object)) if (!keys.includes(key)) put(copy, key, object[key]);
  return copy;
}
