import { parseQuantity } from '@signalbox/cluster';

/**
 * Whether `live` holds everything that `wanted` says. What a server filled in by itself does not matter, nor how it
 * spells a quantity; lists must have the same members in the same order.
 */
export function isSatisfied(wanted: unknown, live: unknown): boolean {
  if (wanted === live || wanted === undefined) return true;
  if (Array.isArray(wanted)) {
    if (!Array.isArray(live)) return wanted.length === 0 && live === undefined;
    return wanted.length === live.length && wanted.every((item, index) => isSatisfied(item, live[index]));
  }
  if (isRecord(wanted)) {
    if (!isRecord(live)) return live === undefined && Object.keys(wanted).length === 0;
    return Object.entries(wanted).every(([key, value]) => isSatisfied(value, live[key]));
  }
  return isSameQuantity(wanted, live);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSameQuantity(a: unknown, b: unknown): boolean {
  if (!isScalar(a) || !isScalar(b)) return false;
  const amount = parseQuantity(a);
  return amount !== undefined && amount === parseQuantity(b);
}

function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
