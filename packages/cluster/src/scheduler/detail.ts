import type { Key } from '../api/meta.ts';
import { formatBinary, formatMilli } from '../api/quantity.ts';

/** What stands behind a rejection, for who asks why. In the same words for all nodes of which the same is to be said. */
export interface Detail {
  readonly text: string;
  /** What would have to change. */
  readonly mend?: string;
  /** How much of what is missing: what differs from node to node stands here. */
  readonly shortage?: Shortage;
  /** Pods that are in the way there. */
  readonly pods?: readonly Key[];
}

/** How many pods a node takes is counted as a resource of this name. */
export const podSlots = 'pods';

/** CPU in thousandths, everything else in whole units. */
export interface Shortage {
  readonly resource: string;
  readonly wanted: number;
  /** What is left on the node; below zero where it has promised more than it has. */
  readonly free: number;
  /** What the node has for pods altogether. */
  readonly whole: number;
}

/** `500m`, `1Gi`, `2`. */
export function formatAmount(resource: string, amount: number): string {
  if (resource === 'cpu') return formatMilli(amount);
  return resource === 'memory' || resource === 'ephemeral-storage' || resource.startsWith('hugepages-')
    ? formatBinary(amount)
    : String(amount);
}
