import { conditionOf, mergeConditions } from '../../api/conditions.ts';
import type { Node, NodeCondition } from '../../api/generated/core-v1.ts';
import { toTimestamp } from '../../base/clock.ts';

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** What a node says about itself; undefined when it has never said anything. */
export function nodeCondition({ status }: Node, type: string): NodeCondition | undefined {
  return conditionOf(status?.conditions, type);
}

export function isReady(node: Node): boolean {
  return nodeCondition(node, 'Ready')?.status === 'True';
}

/** Those that only the node itself can know. */
const reported = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;

/** The conditions of a node that has fallen silent; undefined when they say so already. */
export function silentConditions(node: Node, nowMs: number): readonly NodeCondition[] | undefined {
  const outdated = reported.filter((type) => nodeCondition(node, type)?.status !== 'Unknown');
  if (outdated.length === 0) return undefined;
  const said = outdated.map((type) => silence(type, node));
  return mergeConditions(node.status?.conditions, said, toTimestamp(nowMs));
}

function silence(type: string, node: Node): NodeCondition {
  const before = nodeCondition(node, type);
  if (before !== undefined)
    return {
      ...before,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    };
  return {
    type,
    status: 'Unknown',
    reason: 'NodeStatusNeverUpdated',
    message: 'Kubelet never posted node status.',
    lastHeartbeatTime: node.metadata.creationTimestamp,
  };
}
