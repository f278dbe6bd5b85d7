/**
 * About the length of a value's JSON, without encoding it: strings count a byte per character, numbers and the like twenty. What
 * is longer than `enough` is not looked at to its end.
 */
export function jsonSize(value: unknown, enough: number = Infinity): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 20;
  let size = 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (size > enough) return size;
      size += 1 + jsonSize(item, enough - size);
    }
    return size;
  }
  for (const key in value) {
    if (size > enough) return size;
    size += key.length + 4 + jsonSize((value as Readonly<Record<string, unknown>>)[key], enough - size);
  }
  return size;
}
