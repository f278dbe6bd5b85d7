import type { Node, NodeCondition } from '../../api/generated/core-v1.ts';
import { toTimestamp } from '../../base/clock.ts';

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** What a node says about itself; undefined when it has never said anything. */
export function conditionOf({ status }: Node, type: string): NodeCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

export function isReady(node: Node): boolean {
  return conditionOf(node, 'Ready')?.status === 'True';
}

/** Those that only the node itself can know. */
const reported = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;

/** The conditions of a node that has fallen silent; undefined when they say so already. */
export function silentConditions(node: Node, nowMs: number): readonly NodeCondition[] | undefined {
  const before = node.status?.conditions ?? [];
  const outdated = reported.filter((type) => conditionOf(node, type)?.status !== 'Unknown');
  if (outdated.length === 0) return undefined;
  const now = toTimestamp(nowMs);
  const kept = before.map((condition) =>
    outdated.some((type) => type === condition.type)
      ? {
          ...condition,
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
          lastTransitionTime: now,
        }
      : condition,
  );
  const missing = outdated.filter((type) => conditionOf(node, type) === undefined);
  return [
    ...kept,
    ...missing.map((type) => ({
      type,
      status: 'Unknown',
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
      lastHeartbeatTime: node.metadata.creationTimestamp,
      lastTransitionTime: now,
    })),
  ];
}
