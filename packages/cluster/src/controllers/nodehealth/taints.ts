import type { Node, Taint } from '../../api/generated/core-v1.ts';
import { toTimestamp } from '../../base/clock.ts';
import { type ConditionStatus, nodeCondition } from './conditions.ts';

export const notReadyKey = 'node.kubernetes.io/not-ready';
export const unreachableKey = 'node.kubernetes.io/unreachable';

/** Which condition, in which status, keeps new pods away under which key. */
const byCondition: readonly (readonly [type: string, status: ConditionStatus, key: string])[] = [
  ['Ready', 'False', notReadyKey],
  ['Ready', 'Unknown', unreachableKey],
  ['MemoryPressure', 'True', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'True', 'node.kubernetes.io/disk-pressure'],
  ['PIDPressure', 'True', 'node.kubernetes.io/pid-pressure'],
  ['NetworkUnavailable', 'True', 'node.kubernetes.io/network-unavailable'],
];
const unschedulableKey = 'node.kubernetes.io/unschedulable';
const ownKeys: ReadonlySet<string> = new Set([...byCondition.map(([, , key]) => key), unschedulableKey]);

/**
 * Whether pods of a node in trouble may be driven away now: `yes`; `keep`: not yet, but what was decided stands; `never`:
 * the trouble is more likely to be ours than the nodes'.
 */
export type Driving = 'yes' | 'keep' | 'never';

/** The node's taints as its conditions demand them; undefined when they are right. Other people's taints stay. */
export function correctedTaints(
  node: Node,
  { driving, nowMs }: { readonly driving: Driving; readonly nowMs: number },
): readonly Taint[] | undefined {
  const before = node.spec?.taints ?? [];
  const wanted = [...noSchedule(node), ...noExecute(node, driving)];
  const kept = before.filter((taint) => !isOwn(taint) || wanted.some((each) => isSame(each, taint)));
  const added = wanted.filter((each) => !before.some((taint) => isSame(each, taint)));
  if (added.length === 0 && kept.length === before.length) return undefined;
  const timeAdded = toTimestamp(nowMs);
  return [...kept, ...added.map((taint) => ({ ...taint, timeAdded }))];
}

/** The key under which the node's pods ought to be driven away, if they ought to be. */
export function drivenAwayBy(node: Node): string | undefined {
  const status = nodeCondition(node, 'Ready')?.status;
  if (status === 'False') return notReadyKey;
  return status === 'Unknown' ? unreachableKey : undefined;
}

/** Whether the node has one of the two taints that drive pods away because of its health. */
export function isDriving({ spec }: Node): boolean {
  return spec?.taints?.some((taint) => taint.effect === 'NoExecute' && isHealthKey(taint.key)) === true;
}

export function noExecuteTaints({ spec }: Node): readonly Taint[] {
  return spec?.taints?.filter(({ effect }) => effect === 'NoExecute') ?? [];
}

function noSchedule(node: Node): readonly Taint[] {
  // In the order in which the node says it.
  const keys = (node.status?.conditions ?? []).flatMap(({ type, status }) =>
    byCondition.filter(([about, when]) => about === type && when === status).map(([, , key]) => key),
  );
  // A node that has not said anything yet keeps the taint with which it was registered.
  if (nodeCondition(node, 'Ready') === undefined && hasTaint(node, { key: notReadyKey, effect: 'NoSchedule' }))
    keys.push(notReadyKey);
  if (node.spec?.unschedulable === true) keys.push(unschedulableKey);
  return keys.map((key) => ({ key, effect: 'NoSchedule' }));
}

function noExecute(node: Node, driving: Driving): readonly Taint[] {
  const key = drivenAwayBy(node);
  if (key === undefined || driving === 'never') return [];
  // A node that changes from one trouble to the other has waited for its turn already.
  return driving === 'yes' || isDriving(node) ? [{ key, effect: 'NoExecute' }] : [];
}

function isOwn({ key, effect }: Taint): boolean {
  return effect === 'NoExecute' ? isHealthKey(key) : effect === 'NoSchedule' && ownKeys.has(key);
}

function isHealthKey(key: string): boolean {
  return key === notReadyKey || key === unreachableKey;
}

function isSame(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
}

function hasTaint({ spec }: Node, taint: Taint): boolean {
  return spec?.taints?.some((each) => isSame(each, taint)) === true;
}
