import type { Node } from '../api/generated/core-v1.ts';
import { type Amounts, plus } from './amounts.ts';
import type { NodeView } from './node-view.ts';
import type { HostPort, PodView } from './pod-view.ts';

/**
 * A node as it would be one pod later. Steps form a chain, so that a step costs the same on a full node as on an empty one:
 * preemption takes two for each pod. Only who asks for the pods themselves walks it.
 */
export class HypotheticalNode implements NodeView {
  readonly #before: NodeView;
  readonly #pod: PodView;
  readonly #sign: 1 | -1;
  #pods: ReadonlyMap<string, PodView> | undefined;
  readonly podCount: number;
  readonly requested: Amounts;
  readonly assumedCpuMilli: number;
  readonly assumedMemoryBytes: number;
  readonly hostPorts: readonly HostPort[];

  constructor(before: NodeView, pod: PodView, sign: 1 | -1) {
    this.#before = before;
    this.#pod = pod;
    this.#sign = sign;
    this.podCount = before.podCount + sign;
    this.requested = plus(before.requested, pod.requests, sign);
    this.assumedCpuMilli = before.assumedCpuMilli + sign * pod.assumedCpuMilli;
    this.assumedMemoryBytes = before.assumedMemoryBytes + sign * pod.assumedMemoryBytes;
    this.hostPorts = portsAfter(before.hostPorts, pod.hostPorts, sign);
  }

  get node(): Node {
    return this.#before.node;
  }

  get name(): string {
    return this.#before.name;
  }

  get labels(): Readonly<Record<string, string>> {
    return this.#before.labels;
  }

  get allocatable(): Amounts {
    return this.#before.allocatable;
  }

  get podsMax(): number {
    return this.#before.podsMax;
  }

  get images(): ReadonlyMap<string, number> {
    return this.#before.images;
  }

  get pods(): ReadonlyMap<string, PodView> {
    this.#pods ??= this.#gathered();
    return this.#pods;
  }

  /** Along the chain: to gather all pods for it would cost as much as the steps. */
  holds(uid: string): boolean {
    if (this.#pods !== undefined) return this.#pods.has(uid);
    return this.#pod.uid === uid ? this.#sign === 1 : this.#before.holds(uid);
  }

  with(pod: PodView): NodeView {
    return new HypotheticalNode(this, pod, 1);
  }

  without(pod: PodView): NodeView {
    return new HypotheticalNode(this, pod, -1);
  }

  #gathered(): ReadonlyMap<string, PodView> {
    const steps: HypotheticalNode[] = [this];
    let before = this.#before;
    while (before instanceof HypotheticalNode && before.#pods === undefined) {
      steps.push(before);
      before = before.#before;
    }
    const pods = new Map(before.pods);
    for (const step of steps.reverse())
      if (step.#sign === 1) pods.set(step.#pod.uid, step.#pod);
      else pods.delete(step.#pod.uid);
    return pods;
  }
}

function portsAfter(ports: readonly HostPort[], changed: readonly HostPort[], sign: 1 | -1): readonly HostPort[] {
  if (changed.length === 0) return ports;
  return sign === 1 ? [...ports, ...changed] : ports.filter((port) => !changed.includes(port));
}
