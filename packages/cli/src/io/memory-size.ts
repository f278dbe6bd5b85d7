import { parseQuantity } from '@signalbox/cluster';

/** Below this a cluster has no room to work. */
export const memoryLimitBytesMin: number = 256 * 2 ** 20;
const defaultPart = 1 / 4;
const perUnit = 1_000_000_000n;

/** Bytes of a quantity such as `2Gi` or `500M`; undefined for what is none, or not above zero. */
export function parseMemorySize(text: string): number | undefined {
  const quantity = parseQuantity(text);
  if (quantity === undefined || quantity <= 0n) return undefined;
  return Number(quantity / perUnit);
}

/** What `up` may hold unless told otherwise: a quarter of what there is, and never too little to work. */
export function defaultMemoryLimitBytes(availableBytes: number): number {
  return Math.max(memoryLimitBytesMin, Math.floor(availableBytes * defaultPart));
}
