import { podSlots } from './detail.ts';
import type { NodeView } from './node-view.ts';

/** What every node has, by the names of their sums. */
export const plainResources = [
  { resource: 'cpu', amount: 'cpuMilli' },
  { resource: 'memory', amount: 'memoryBytes' },
  { resource: 'ephemeral-storage', amount: 'ephemeralBytes' },
] as const;

/** CPU in thousandths, everything else in whole units. */
export interface Room {
  readonly resource: string;
  /** What the node has for pods altogether. */
  readonly whole: number;
  /** What the pods that count against it have asked for; above `whole` where more was promised than there is. */
  readonly requested: number;
}

/** The sums that pods are placed by: places for pods first, then what every node has, then the rest by name. */
export function roomOf({ podCount, podsMax, allocatable, requested }: NodeView): readonly Room[] {
  const others = new Set([...Object.keys(allocatable.extended), ...Object.keys(requested.extended)]);
  return [
    { resource: podSlots, whole: podsMax, requested: podCount },
    ...plainResources.map(({ resource, amount }) => ({
      ...{ resource, whole: allocatable[amount], requested: requested[amount] },
    })),
    ...[...others].sort().map((resource) => ({
      ...{ resource, whole: allocatable.extended[resource] ?? 0, requested: requested.extended[resource] ?? 0 },
    })),
  ];
}
