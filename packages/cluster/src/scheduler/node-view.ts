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
  holds(uid: string): boolean;
  readonly podCount: number;
  readonly requested: Amounts;
  /** Like `requested`, with stand-ins for containers that request nothing. For scoring. */
  readonly assumedCpuMilli: number;
  readonly assumedMemoryBytes: number;
  readonly hostPorts: readonly HostPort[];
  /** Name of an image that is there → its size. */
  readonly images: ReadonlyMap<string, number>;
  /** As it would be with a pod that it does not hold. */
  with(pod: PodView): NodeView;
  /** As it would be without pods that it holds. */
  without(...pods: readonly PodView[]): NodeView;
}

/** A node as it is. Only the snapshot changes it. */
export interface NodeAccount extends NodeView {
  setNode(node: Node): void;
  add(pod: PodView): void;
  remove(uid: string): void;
  /** Something that concerns it changed elsewhere. */
  touch(): void;
}

export interface AccountOptions {
  readonly initial?: Iterable<PodView>;
  /** Called after every change that can matter to a pod. */
  changed(account: NodeView): void;
}

export function createNodeAccount(first: Node, { initial = [], changed }: AccountOptions): NodeAccount {
  const account = new Account(first, changed);
  for (const pod of initial) account.add(pod);
  return account;
}

// A class, because object literals with getters have a shape each, and there are thousands of nodes.
class Account implements NodeAccount {
  readonly pods = new Map<string, PodView>();
  readonly #changed: AccountOptions['changed'];
  #node: Node;
  #allocatable: Amounts;
  #podsMax: number;
  #requested = emptyAmounts;
  #cpuMilli = 0;
  #memoryBytes = 0;
  #hostPorts: readonly HostPort[] = [];
  #images: ReadonlyMap<string, number>;

  constructor(first: Node, changed: AccountOptions['changed']) {
    this.#changed = changed;
    this.#node = first;
    this.#allocatable = allocatableOf(first);
    this.#podsMax = podsMaxOf(first);
    this.#images = imagesOf(first);
  }

  get node(): Node {
    return this.#node;
  }

  get name(): string {
    return this.#node.metadata.name;
  }

  get labels(): Readonly<Record<string, string>> {
    return this.#node.metadata.labels ?? noLabels;
  }

  get allocatable(): Amounts {
    return this.#allocatable;
  }

  get podsMax(): number {
    return this.#podsMax;
  }

  holds(uid: string): boolean {
    return this.pods.has(uid);
  }

  get podCount(): number {
    return this.pods.size;
  }

  get requested(): Amounts {
    return this.#requested;
  }

  get assumedCpuMilli(): number {
    return this.#cpuMilli;
  }

  get assumedMemoryBytes(): number {
    return this.#memoryBytes;
  }

  get hostPorts(): readonly HostPort[] {
    return this.#hostPorts;
  }

  get images(): ReadonlyMap<string, number> {
    return this.#images;
  }

  setNode(next: Node): void {
    if (next.status.images !== this.#node.status.images) this.#images = imagesOf(next);
    if (next.status.allocatable !== this.#node.status.allocatable) {
      this.#allocatable = allocatableOf(next);
      this.#podsMax = podsMaxOf(next);
    }
    this.#node = next;
    this.touch();
  }

  touch(): void {
    this.#changed(this);
  }

  add(pod: PodView): void {
    const before = this.pods.get(pod.uid);
    // The order of pods is the order in which their newest versions came.
    if (before !== undefined && weighsAlike(before, pod)) {
      this.pods.delete(pod.uid);
      this.pods.set(pod.uid, pod);
      return;
    }
    if (before !== undefined) this.#take(before);
    this.pods.set(pod.uid, pod);
    this.#count(pod, 1);
    this.touch();
  }

  remove(uid: string): void {
    const pod = this.pods.get(uid);
    if (pod === undefined) return;
    this.#take(pod);
    this.touch();
  }

  with(pod: PodView): NodeView {
    return new HypotheticalNode(this, [pod], 1);
  }

  without(...pods: readonly PodView[]): NodeView {
    return new HypotheticalNode(this, pods, -1);
  }

  #take(pod: PodView): void {
    this.pods.delete(pod.uid);
    this.#count(pod, -1);
  }

  #count(pod: PodView, sign: 1 | -1): void {
    this.#requested = plus(this.#requested, pod.requests, sign);
    this.#cpuMilli += sign * pod.assumedCpuMilli;
    this.#memoryBytes += sign * pod.assumedMemoryBytes;
    if (pod.hostPorts.length > 0) this.#hostPorts = [...this.pods.values()].flatMap(({ hostPorts }) => hostPorts);
  }
}

/** Two versions of a pod that no rule about nodes and no preemption tells apart: only what is said of it has gone on. */
function weighsAlike(before: PodView, after: PodView): boolean {
  const [a, b] = [before.pod, after.pod];
  return (
    a.spec.containers === b.spec.containers &&
    a.spec.volumes === b.spec.volumes &&
    before.requests === after.requests &&
    before.hostPorts === after.hostPorts &&
    before.terms === after.terms &&
    before.priority === after.priority &&
    a.metadata.labels === b.metadata.labels &&
    a.metadata.annotations === b.metadata.annotations &&
    a.metadata.deletionTimestamp === b.metadata.deletionTimestamp &&
    a.status.startTime === b.status.startTime
  );
}

const noLabels: NodeView['labels'] = Object.freeze({});

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

const noImages: ReadonlyMap<string, number> = new Map();

function imagesOf({ status: { images } }: Node): ReadonlyMap<string, number> {
  if (images === undefined || images.length === 0) return noImages;
  return new Map(images.flatMap(({ names = [], sizeBytes = 0 }) => names.map((name) => [name, Number(sizeBytes)])));
}

function podsMaxOf({ status }: Node): number {
  return wholeValue(status.allocatable?.['pods'] ?? '0');
}
