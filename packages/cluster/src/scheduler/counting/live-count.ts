import type { NodeView } from '../node-view.ts';
import type { PodView } from '../pod-view.ts';
import type { Aimed } from './audience.ts';

/** What is counted: certain pods, by the value of one label of their nodes. */
export interface Counted extends Aimed {
  /** Two with one id count the same. */
  readonly id: string;
  readonly topologyKey: string;
  /** Whether it depends on labels of namespaces which pods count. */
  readonly looksAtNamespaces: boolean;
  countsPod(pod: PodView): boolean;
  /** Besides having the label. Must depend on labels and taints only: nothing else of a node is followed. */
  countsNode?(node: NodeView): boolean;
}

/** How many of the pods there are by domain, now. Good for one turn of the event loop. */
export interface TopologyCount {
  /** Value of the label → pods. Domains without a pod are there as well. */
  readonly domains: ReadonlyMap<string, number>;
  podsOn(node: string): number;
  countsOn(node: string): boolean;
  /** Number of pods → how many domains have just as many. */
  readonly levels: ReadonlyMap<number, number>;
  readonly podsTotal: number;
}

/** Follows pods and nodes step by step, so that nobody has to walk them. */
export class LiveCount implements TopologyCount, Aimed {
  readonly counted: Counted;
  readonly domains: Map<string, number> = new Map();
  readonly levels: Map<number, number> = new Map();
  podsTotal = 0;
  readonly #places = new Map<string, Place>();
  readonly #nodesIn = new Map<string, number>();

  constructor(counted: Counted) {
    this.counted = counted;
  }

  get namespace(): Aimed['namespace'] {
    return this.counted.namespace;
  }

  get label(): Aimed['label'] {
    return this.counted.label;
  }

  podsOn(node: string): number {
    return this.#places.get(node)?.pods ?? 0;
  }

  countsOn(node: string): boolean {
    return this.#places.has(node);
  }

  /** `pods`: those of its pods that count. */
  nodeJoined(node: NodeView, pods: number): void {
    const value = node.labels[this.counted.topologyKey];
    if (value === undefined || this.counted.countsNode?.(node) === false) return;
    this.#places.set(node.name, { value, pods });
    this.#nodesIn.set(value, (this.#nodesIn.get(value) ?? 0) + 1);
    if (!this.domains.has(value)) {
      this.domains.set(value, 0);
      this.#count(0, 1);
    }
    this.#change(value, pods);
  }

  nodeLeft(name: string): void {
    const place = this.#places.get(name);
    if (place === undefined) return;
    this.#places.delete(name);
    this.#change(place.value, -place.pods);
    const nodes = (this.#nodesIn.get(place.value) ?? 0) - 1;
    this.#nodesIn.set(place.value, nodes);
    if (nodes > 0) return;
    this.#nodesIn.delete(place.value);
    this.#count(this.domains.get(place.value) ?? 0, -1);
    this.domains.delete(place.value);
  }

  podsChanged(node: string, by: number): void {
    const place = this.#places.get(node);
    if (place === undefined) return;
    place.pods += by;
    this.#change(place.value, by);
  }

  #change(value: string, by: number): void {
    if (by === 0) return;
    const before = this.domains.get(value) ?? 0;
    this.domains.set(value, before + by);
    this.#count(before, -1);
    this.#count(before + by, 1);
    this.podsTotal += by;
  }

  #count(level: number, by: 1 | -1): void {
    const domains = (this.levels.get(level) ?? 0) + by;
    if (domains === 0) this.levels.delete(level);
    else this.levels.set(level, domains);
  }
}

interface Place {
  readonly value: string;
  pods: number;
}
