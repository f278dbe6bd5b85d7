import { conditionOf } from '../api/conditions.ts';
import type { Lease } from '../api/generated/coordination-v1.ts';
import type { Node, NodeStatus } from '../api/generated/core-v1.ts';
import type { New } from '../api/meta.ts';
import { toMicroTimestamp } from '../base/clock.ts';
import type { Machine } from './driver.ts';
import { healthyStatus, missingMarks, type NodeMarks, newLease } from './node-status.ts';

export interface NodeObserved {
  readonly node: Node;
  /** How its agent registers it; undefined when somebody else made the Node. */
  readonly registration?: New<Node> | undefined;
  readonly lease: Lease | undefined;
  /** Of the node under this agent: its first sign of life is due at once, and no sooner than its pods were looked at. */
  readonly life: 'unknown' | 'begins' | 'goes on';
  /** Undefined: it was asked about this very Node already, which lacked nothing. */
  readonly machine: Machine | undefined;
  readonly kubeletVersion: string;
  /** How long a sign of life counts; one is due a quarter of it after the last. */
  readonly leaseDurationSeconds: number;
  /** Undefined: nothing is said of them. */
  readonly volumesInUse?: readonly string[] | undefined;
}

export type NodeAction =
  | { readonly do: 'register'; readonly node: New<Node> }
  | { readonly do: 'mark'; readonly node: Node; readonly marks: NodeMarks }
  | { readonly do: 'report'; readonly node: Node; readonly status: NodeStatus }
  | { readonly do: 'create lease'; readonly lease: New<Lease> }
  | { readonly do: 'renew lease'; readonly lease: Lease };

/** Whether it changes the Node, and not its lease alone. */
export function isAboutNode({ do: does }: NodeAction): boolean {
  return does === 'register' || does === 'mark' || does === 'report';
}

/** What is told of it besides, as an event: whether it is ready, where that was known to be otherwise. */
export function readinessNews(actions: readonly NodeAction[]): 'NodeReady' | 'NodeNotReady' | undefined {
  for (const action of actions) {
    if (action.do !== 'report') continue;
    const before = readyOf(action.node.status);
    const after = readyOf(action.status);
    if (before !== undefined && after !== undefined && before !== after)
      return after === 'True' ? 'NodeReady' : 'NodeNotReady';
  }
  return undefined;
}

function readyOf({ conditions = [] }: NodeStatus): string | undefined {
  return conditionOf(conditions, 'Ready')?.status;
}

/** What the node lacks of its registration, then its sign of life. Decides; does nothing. */
export function planNode(observed: NodeObserved, nowMs: number): readonly NodeAction[] {
  const { node, machine, kubeletVersion, volumesInUse } = observed;
  if (machine === undefined) return signOfLife(observed, nowMs);
  const marks = missingMarks(node, observed.registration);
  const status = healthyStatus(node, { nowMs, machine, kubeletVersion, volumesInUse });
  return [
    ...(marks === undefined ? [] : [{ do: 'mark', node, marks } as const]),
    ...(status === undefined ? [] : [{ do: 'report', node, status } as const]),
    ...signOfLife(observed, nowMs),
  ];
}

function signOfLife({ node, lease, life, leaseDurationSeconds }: NodeObserved, nowMs: number): readonly NodeAction[] {
  if (life === 'unknown') return [];
  if (lease === undefined)
    return [{ do: 'create lease', lease: newLease(node, { nowMs, durationSeconds: leaseDurationSeconds }) }];
  const renewed = renewedLease(lease, { life, leaseDurationSeconds }, nowMs);
  return renewed === undefined ? [] : [{ do: 'renew lease', lease: renewed }];
}

/** The next sign of life of a node that has a lease; undefined where the last one is fresh enough. */
export function renewedLease(
  lease: Lease,
  { life, leaseDurationSeconds }: Pick<NodeObserved, 'life' | 'leaseDurationSeconds'>,
  nowMs: number,
): Lease | undefined {
  const sinceMs = nowMs - Date.parse(lease.spec?.renewTime ?? '');
  // The node's own status brings it here as well; a sign that is younger than half the period is fresh enough.
  if (life === 'goes on' && sinceMs < heartbeatPeriodMs(lease, leaseDurationSeconds) / 2) return undefined;
  const said = lease.spec?.leaseDurationSeconds ?? leaseDurationSeconds;
  const spec = { ...lease.spec, renewTime: toMicroTimestamp(nowMs) };
  // What somebody has made shorter than any of ours stays.
  const isRaised = said >= leaseSecondsLeast && said < leaseDurationSeconds;
  return { ...lease, spec: isRaised ? { ...spec, leaseDurationSeconds } : spec };
}

/** As upstream. */
const leaseSecondsLeast = 40;
const nodesAtLeast = 25_000;

/** How long a sign of life counts in a fleet of so many nodes: however many there are, they give no more than 2,500 a second. */
export function leaseSecondsFor(nodes: number): number {
  return leaseSecondsLeast * 2 ** Math.max(0, Math.ceil(Math.log2(nodes / nodesAtLeast)));
}

/** How long after its last sign a node gives the next one: a quarter of what the lease says, or is to say if that is less. */
export function heartbeatPeriodMs(lease: Lease | undefined, leaseDurationSeconds: number): number {
  return 250 * Math.min(lease?.spec?.leaseDurationSeconds ?? leaseDurationSeconds, leaseDurationSeconds);
}

/** So many ticks are in a period: a tenth of a large fleet speaks at once, and shares the writing and its sync. */
const ticksPerPeriod = 10;
/** More often in a long period: what speaks at once holds others up. */
const tickMsMost = 1_000;

const sparedPerLate = 4;

export interface NextSign {
  /** As the sign that was just given found it. */
  readonly life: NodeObserved['life'];
  readonly periodMs: number;
  /** How far the signs of all nodes are behind. */
  readonly lateMs: number;
  readonly nowMs: number;
  /** Between 0 and 1. */
  readonly chance: number;
}

/**
 * When the next sign of life is due: on a tick that all nodes share. The second of a node comes after half a period to one
 * and a half, so that nodes that begin together are apart at once. Then it is a period, give or take a tick: what met by
 * chance, as after a pause of the process, comes apart again. Where signs come late there are more than the plane can take:
 * then they become fewer, two periods apart at most, which is half of what a sign counts.
 */
export function nextSignMs({ life, periodMs, lateMs, nowMs, chance }: NextSign): number {
  const tickMs = Math.max(1, Math.min(tickMsMost, Math.floor(periodMs / ticksPerPeriod)));
  const inMs = life === 'begins' ? periodMs * (0.5 + chance) : periodMs * (0.9 + 0.2 * chance);
  // Nodes that begin together are late together, which says nothing of what comes.
  const sparesMs = life === 'begins' || lateMs <= tickMs ? 0 : Math.min(periodMs, sparedPerLate * lateMs);
  return Math.round((nowMs + inMs + sparesMs) / tickMs) * tickMs;
}
