import type { Node } from '../api/generated/core-v1.ts';
import { milliValue, wholeValue } from '../api/quantity.ts';
import { type Amounts, emptyAmounts, plus } from './amounts.ts';
import { HypotheticalNode } from './hypothetical.ts';
import type { HostPort, PodView } from './pod-view.ts';

/** A node and the pods that count against it, with running sums: as it is, or as it would be. */
export interface NodeView {
  readonly node: Node;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly allocatable: Amounts;
  readonly podsMax: number;
  readonly pods: ReadonlyMap<string, PodView>;
  readonly podCount: number;
  readonly requested: Amounts;
  /** Like `requested`, with stand-ins for containers that request nothing. For scoring. */
  readonly assumedCpuMilli: number;
  readonly assumedMemoryBytes: number;
  readonly hostPorts: readonly HostPort[];
  /** As it would be with a pod that it does not hold. */
  with(pod: PodView): NodeView;
  /** As it would be without a pod that it holds. */
  without(pod: PodView): NodeView;
}

/** A node as it is. Only the snapshot changes it. */
export interface NodeAccount extends NodeView {
  setNode(node: Node): void;
  add(pod: PodView): void;
  remove(uid: string): void;
}

export function createNodeAccount(first: Node, initial: Iterable<PodView> = []): NodeAccount {
  const pods = new Map<string, PodView>();
  const sums = { requested: emptyAmounts, cpuMilli: 0, memoryBytes: 0, hostPorts: [] as readonly HostPort[] };
  let node = first;
  let allocatable = allocatableOf(first);
  let podsMax = podsMaxOf(first);

  const count = (pod: PodView, sign: 1 | -1): void => {
    sums.requested = plus(sums.requested, pod.requests, sign);
    sums.cpuMilli += sign * pod.assumedCpuMilli;
    sums.memoryBytes += sign * pod.assumedMemoryBytes;
    if (pod.hostPorts.length > 0) sums.hostPorts = [...pods.values()].flatMap(({ hostPorts }) => hostPorts);
  };

  const account: NodeAccount = {
    get node() {
      return node;
    },
    get name() {
      return node.metadata.name;
    },
    get labels() {
      return node.metadata.labels ?? {};
    },
    get allocatable() {
      return allocatable;
    },
    get podsMax() {
      return podsMax;
    },
    pods,
    get podCount() {
      return pods.size;
    },
    get requested() {
      return sums.requested;
    },
    get assumedCpuMilli() {
      return sums.cpuMilli;
    },
    get assumedMemoryBytes() {
      return sums.memoryBytes;
    },
    get hostPorts() {
      return sums.hostPorts;
    },
    setNode(next) {
      if (next.status.allocatable !== node.status.allocatable) {
        allocatable = allocatableOf(next);
        podsMax = podsMaxOf(next);
      }
      node = next;
    },
    add(pod) {
      account.remove(pod.uid);
      pods.set(pod.uid, pod);
      count(pod, 1);
    },
    remove(uid) {
      const pod = pods.get(uid);
      if (pod === undefined) return;
      pods.delete(uid);
      count(pod, -1);
    },
    with: (pod) => new HypotheticalNode(account, pod, 1),
    without: (pod) => new HypotheticalNode(account, pod, -1),
  };
  for (const pod of initial) account.add(pod);
  return account;
}

function allocatableOf({ status }: Node): Amounts {
  const {
    cpu = '0',
    memory = '0',
    'ephemeral-storage': ephemeral = '0',
    pods: _,
    ...others
  } = status.allocatable ?? {};
  return {
    cpuMilli: milliValue(cpu),
    memoryBytes: wholeValue(memory),
    ephemeralBytes: wholeValue(ephemeral),
    extended: Object.fromEntries(Object.entries(others).map(([name, amount]) => [name, wholeValue(amount)])),
  };
}

function podsMaxOf({ status }: Node): number {
  return wholeValue(status.allocatable?.['pods'] ?? '0');
}
