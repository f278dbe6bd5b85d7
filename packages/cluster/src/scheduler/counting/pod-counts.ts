import type { NodeView } from '../node-view.ts';
import type { PodView } from '../pod-view.ts';
import { createAudience } from './audience.ts';
import { type Carried, CarriedIndex, type CarriedKind } from './carried-terms.ts';
import { type Counted, LiveCount, type TopologyCount } from './live-count.ts';
import type { NamespaceLabels } from './pod-terms.ts';

/** Pods by where they are: what rules ask that look beyond one node. */
export interface PodCounts {
  /** Made on first use, then followed; one that nobody has asked for in a while is forgotten. */
  count(counted: Counted): TopologyCount;
  /** The terms of placed pods that are about this one. */
  about(
    pod: PodView,
    query: { readonly kind: CarriedKind; readonly namespaceLabels: NamespaceLabels },
  ): readonly Carried[];
}

/** More kinds of pods than that take turns. */
const countsMax = 4096;

/** Whoever moves pods and nodes tells it, step by step. It costs nothing as long as nobody asks and no pod says anything of others. */
export class LivePodCounts implements PodCounts {
  readonly #nodes: () => Iterable<NodeView>;
  readonly #counts = new Map<string, LiveCount>();
  readonly #audience = createAudience<LiveCount>();
  readonly #carried = new CarriedIndex();

  constructor(nodes: () => Iterable<NodeView>) {
    this.#nodes = nodes;
  }

  count(counted: Counted): TopologyCount {
    const known = this.#counts.get(counted.id);
    if (known !== undefined) return known;
    const count = new LiveCount(counted);
    for (const node of this.#nodes()) count.nodeJoined(node, podsThatCount(counted, node));
    const [oldest] = this.#counts.values();
    if (this.#counts.size >= countsMax && oldest !== undefined) this.#forget(oldest);
    this.#counts.set(counted.id, count);
    this.#audience.add(count);
    return count;
  }

  about(
    pod: PodView,
    query: { readonly kind: CarriedKind; readonly namespaceLabels: NamespaceLabels },
  ): readonly Carried[] {
    return this.#carried.about(pod, query);
  }

  podAdded(pod: PodView, node: NodeView): void {
    this.#podChanged(pod, { node, by: 1 });
  }

  podRemoved(pod: PodView, node: NodeView): void {
    this.#podChanged(pod, { node, by: -1 });
  }

  nodeJoined(node: NodeView): void {
    for (const count of this.#counts.values()) count.nodeJoined(node, podsThatCount(count.counted, node));
    for (const pod of node.pods.values()) this.#carried.podChanged(pod, { node, by: 1 });
  }

  nodeLeft(node: NodeView): void {
    for (const count of this.#counts.values()) count.nodeLeft(node.name);
    for (const pod of node.pods.values()) this.#carried.podChanged(pod, { node, by: -1 });
  }

  /** Labels of a namespace changed: who counts by them counts anew. */
  namespaceChanged(): void {
    for (const count of [...this.#counts.values()]) if (count.counted.looksAtNamespaces) this.#forget(count);
  }

  #podChanged(pod: PodView, { node, by }: { readonly node: NodeView; readonly by: 1 | -1 }): void {
    this.#carried.podChanged(pod, { node, by });
    if (this.#audience.size === 0) return;
    for (const count of this.#audience.mayConcern(pod))
      if (count.counted.countsPod(pod)) count.podsChanged(node.name, by);
  }

  #forget(count: LiveCount): void {
    this.#counts.delete(count.counted.id);
    this.#audience.remove(count);
  }
}

function podsThatCount(counted: Counted, { pods }: NodeView): number {
  let count = 0;
  const { namespace } = counted;
  for (const pod of pods.values())
    if ((namespace === undefined || namespace === pod.namespace) && counted.countsPod(pod)) count++;
  return count;
}
