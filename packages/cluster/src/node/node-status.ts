import { conditionOf, mergeConditions } from '../api/conditions.ts';
import type { Lease } from '../api/generated/coordination-v1.ts';
import type { Node, NodeCondition, NodeStatus } from '../api/generated/core-v1.ts';
import type { New, ObjectMeta } from '../api/meta.ts';
import { toMicroTimestamp, toTimestamp } from '../base/clock.ts';
import { equal } from '../base/equal.ts';
import { fresh } from '../base/fresh.ts';
import { managedAnnotation } from '../resources/storage/attaching.ts';
import type { Machine, Measured } from './driver.ts';

export const leaseNamespace = 'kube-node-lease';

/** A machine that the plane starts with. */
export function newNode(name: string): New<Node> {
  const metadata = { name, labels: machineLabels(name), annotations: managed };
  return { apiVersion: 'v1', kind: 'Node', metadata, spec: {} };
}

/** Volumes are attached to the machines of the fleet by a controller. */
const managed: Readonly<Record<string, string>> = { [managedAnnotation]: 'true' };

function machineLabels(name: string): Readonly<Record<string, string>> {
  return {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
  };
}

export interface NodeMarks {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * Labels that every machine carries and this one lacks, and what its agent registers it with. A label that somebody changed
 * stays; annotations are the agent's word, and change with it.
 */
export function missingMarks({ metadata }: Node, registration: New<Node> | undefined): NodeMarks | undefined {
  const labels = Object.entries({ ...machineLabels(metadata.name), ...registration?.metadata.labels }).filter(
    ([key]) => metadata.labels?.[key] === undefined,
  );
  const annotations = Object.entries(registration?.metadata.annotations ?? managed).filter(
    ([key, value]) => metadata.annotations?.[key] !== value,
  );
  if (labels.length === 0 && annotations.length === 0) return undefined;
  return {
    ...fresh,
    ...(labels.length > 0 && { labels: Object.fromEntries(labels) }),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
  };
}

export interface NodeFacts {
  readonly nowMs: number;
  readonly machine: Machine;
  readonly kubeletVersion: string;
  /** Undefined: nothing is said of them. */
  readonly volumesInUse?: readonly string[] | undefined;
}

/** The status of a machine that is well; undefined when the node says all of it already. */
export function healthyStatus(node: Node, facts: NodeFacts): NodeStatus | undefined {
  const { nowMs, machine, kubeletVersion } = facts;
  const { status } = node;
  const { measured } = machine;
  const capacity = measured === undefined ? { ...machine.capacity, ...status.capacity } : machine.capacity;
  const known = measured === undefined ? status.addresses : undefined;
  const next: NodeStatus = {
    ...withUse(status, facts.volumesInUse),
    capacity,
    allocatable: measured?.allocatable ?? { ...capacity, ...status.allocatable },
    addresses: known ?? [
      { type: 'InternalIP', address: machine.address },
      { type: 'Hostname', address: node.metadata.name },
    ],
    conditions: measuredConditions(conditionsOf(status.conditions ?? [], nowMs), { measured, nowMs }),
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: { ...fresh, ...machine.info, kubeletVersion, kubeProxyVersion: '' },
  };
  return equal(next, status) ? undefined : next;
}

function withUse(status: NodeStatus, inUse: readonly string[] | undefined): NodeStatus {
  if (inUse === undefined) return status;
  const { volumesInUse: _before, ...others } = status;
  return inUse.length === 0 ? others : { ...others, volumesInUse: inUse };
}

const pressures = [
  ['MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
] as const;

/** Keeps what others set (a test's DiskPressure), refreshes what went stale with the machine's silence. */
function conditionsOf(before: readonly NodeCondition[], nowMs: number): readonly NodeCondition[] {
  const now = toTimestamp(nowMs);
  const isStale = ({ type, status }: NodeCondition): boolean => {
    const old = conditionOf(before, type);
    return old === undefined || old.status === 'Unknown' || (type === 'Ready' && old.status !== status);
  };
  const own = [
    ...pressures.map(([type, reason, message]) => ({ type, status: 'False', reason, message, lastHeartbeatTime: now })),
    {
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
      message: 'kubelet is posting ready status',
      lastHeartbeatTime: now,
    },
  ];
  return mergeConditions(before, own.filter(isStale), now);
}

function measuredConditions(
  conditions: readonly NodeCondition[],
  { measured, nowMs }: { readonly measured: Measured | undefined; readonly nowMs: number },
): readonly NodeCondition[] {
  if (measured === undefined || measured.conditions.length === 0) return conditions;
  const isSaid = ({ type, ...said }: Measured['conditions'][number]): boolean => {
    const { status, reason, message } = conditionOf(conditions, type) ?? {};
    return equal(said, { status, reason, message });
  };
  const now = toTimestamp(nowMs);
  const news = measured.conditions.filter((said) => !isSaid(said)).map((said) => ({ ...said, lastHeartbeatTime: now }));
  return news.length === 0 ? conditions : mergeConditions(conditions, news, now);
}

export interface LeaseTerms {
  readonly nowMs: number;
  readonly durationSeconds: number;
}

/** The sign of life of a machine. */
export function newLease(node: Node, { nowMs, durationSeconds }: LeaseTerms): New<Lease> {
  const { name, uid } = node.metadata;
  const metadata: ObjectMeta = {
    namespace: leaseNamespace,
    name,
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
  };
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata,
    spec: { holderIdentity: name, leaseDurationSeconds: durationSeconds, renewTime: toMicroTimestamp(nowMs) },
  };
}
