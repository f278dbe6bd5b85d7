import { formatExactJson } from '../../base/exact-json.ts';

/** One text per meaning: keys sorted, absent and null fields dropped. Objects are frozen, so each is written out once. */
const texts = new WeakMap<object, string>();

/**
 * Null fields are dropped because `creationTimestamp: null` comes and goes with the version of whoever wrote the object;
 * comparing it has rolled whole clusters.
 */
export function canonicalText(value: object): string {
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = formatExactJson(canonical(value));
  texts.set(value, text);
  return text;
}

/** A copy with sorted keys and without null fields. */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, part]) => part !== null && part !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, part]) => [key, canonical(part)]));
}
