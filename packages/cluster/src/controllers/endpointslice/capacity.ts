import { conditionOf } from '../../api/conditions.ts';
import type { Node } from '../../api/generated/core-v1.ts';
import { milliValue } from '../../api/quantity.ts';

/** How much of the cluster's CPU each zone has, as parts of 1; none when that cannot be told. */
export interface Capacity {
  readonly shares: ReadonlyMap<string, number>;
  /** Why there are none, in upstream's words. */
  readonly problem?: string;
}

/** Of a cluster without nodes. */
export const noCapacity: Capacity = { shares: new Map(), problem: 'Nodes only ready in one zone' };

/** Nodes that carry these run no workloads. */
const controlPlaneLabels = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'] as const;

export function zoneOf(node: Node | undefined): string | undefined {
  return node?.metadata.labels?.['topology.kubernetes.io/zone'];
}

/** Whether nothing that {@link capacityOf} looks at has changed. */
export function hasSameCapacity(a: Node, b: Node): boolean {
  return zoneOf(a) === zoneOf(b) && counts(a) === counts(b) && cpuOf(a) === cpuOf(b);
}

/** Of all nodes that are ready. One that does not tell its zone or its CPU makes every sum wrong. */
export function capacityOf(nodes: Iterable<Node>): Capacity {
  const sums = new Map<string, number>();
  let total = 0;
  for (const node of nodes) {
    if (!counts(node)) continue;
    const [zone = '', cpu] = [zoneOf(node), milliValue(cpuOf(node))];
    if (zone === '' || cpu <= 0)
      return {
        shares: new Map(),
        problem: 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes',
      };
    sums.set(zone, (sums.get(zone) ?? 0) + cpu);
    total += cpu;
  }
  if (sums.size < 2) return noCapacity;
  return { shares: new Map([...sums].map(([zone, cpu]) => [zone, cpu / total])) };
}

function counts({ metadata, status }: Node): boolean {
  if (controlPlaneLabels.some((label) => metadata.labels?.[label] !== undefined)) return false;
  return conditionOf(status.conditions, 'Ready')?.status === 'True';
}

function cpuOf({ status }: Node): string {
  return String(status.allocatable?.['cpu'] ?? '0');
}
