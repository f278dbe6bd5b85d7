import type { Node } from '../api/generated/core-v1.ts';
import { type Amounts, plusAll } from './amounts.ts';
import type { NodeView } from './node-view.ts';
import type { HostPort, PodView } from './pod-view.ts';

/**
 * A node as it would be with some pods more, or less. Steps form a chain, so that a step costs the same on a full node as on an
 * empty one: preemption takes one for all who could go, and one more for each of them. Only who asks for the pods themselves walks it.
 */
export class HypotheticalNode implements NodeView {
  readonly #before: NodeView;
  readonly #changed: readonly PodView[];
  readonly #sign: 1 | -1;
  #pods: ReadonlyMap<string, PodView> | undefined;
  readonly podCount: number;
  readonly requested: Amounts;
  readonly assumedCpuMilli: number;
  readonly assumedMemoryBytes: number;
  readonly hostPorts: readonly HostPort[];

  constructor(before: NodeView, changed: readonly PodView[], sign: 1 | -1) {
    this.#before = before;
    this.#changed = changed;
    this.#sign = sign;
    let { assumedCpuMilli, assumedMemoryBytes, hostPorts } = before;
    for (const pod of changed) {
      assumedCpuMilli += sign * pod.assumedCpuMilli;
      assumedMemoryBytes += sign * pod.assumedMemoryBytes;
      hostPorts = portsAfter(hostPorts, pod.hostPorts, sign);
    }
    this.podCount = before.podCount + sign * changed.length;
    this.requested = plusAll(before.requested, changed, sign);
    this.assumedCpuMilli = assumedCpuMilli;
    this.assumedMemoryBytes = assumedMemoryBytes;
    this.hostPorts = hostPorts;
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
    for (const pod of this.#changed) if (pod.uid === uid) return this.#sign === 1;
    return this.#before.holds(uid);
  }

  with(pod: PodView): NodeView {
    return new HypotheticalNode(this, [pod], 1);
  }

  without(...pods: readonly PodView[]): NodeView {
    return new HypotheticalNode(this, pods, -1);
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
      for (const pod of step.#changed)
        if (step.#sign === 1) pods.set(pod.uid, pod);
        else pods.delete(pod.uid);
    return pods;
  }
}

function portsAfter(ports: readonly HostPort[], changed: readonly HostPort[], sign: 1 | -1): readonly HostPort[] {
  if (changed.length === 0) return ports;
  return sign === 1 ? [...ports, ...changed] : ports.filter((port) => !changed.includes(port));
}
