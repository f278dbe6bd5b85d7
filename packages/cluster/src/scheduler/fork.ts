import type { ResourceType } from '../api/gvk.ts';
import type { KubeObject } from '../api/meta.ts';
import { assert } from '../base/assert.ts';
import type { Cache } from '../client/cache.ts';
import { LivePodCounts, type PodCounts } from './counting/pod-counts.ts';
import type { NodeView } from './node-view.ts';
import type { PodView } from './pod-view.ts';
import type { Fork, Snapshot } from './snapshot.ts';
import type { HeldVolumes } from './volumes/held-volumes.ts';

/** The snapshot as it stands, to be played on. Costs nothing until a step is taken, and then only for that node. */
export function forkOf(base: Snapshot): Fork {
  return new Forked(base, { last: undefined, others: noNodes });
}

class Forked implements Fork {
  readonly journal = undefined;
  readonly #base: Snapshot;
  /** The one that was changed last: mostly there is no other. */
  readonly #last: NodeView | undefined;
  readonly #others: ReadonlyMap<string, NodeView>;
  #nodes: readonly NodeView[] | undefined;
  #counts: PodCounts | undefined;

  constructor(base: Snapshot, { last, others }: Changed) {
    this.#base = base;
    this.#last = last;
    this.#others = others;
  }

  get nodes(): readonly NodeView[] {
    this.#nodes ??= this.#base.nodes.map(({ name }) => this.#known(name));
    return this.#nodes;
  }

  /** Whoever begins a turn in what would be counts it all anew; steps of a turn that began before go by plugins' states. */
  get counts(): PodCounts {
    if (this.#last === undefined) return this.#base.counts;
    if (this.#counts !== undefined) return this.#counts;
    const counts = new LivePodCounts(() => this.nodes);
    for (const node of this.nodes) counts.nodeJoined(node);
    this.#counts = counts;
    return counts;
  }

  node(name: string): NodeView | undefined {
    return this.#last?.name === name ? this.#last : (this.#others.get(name) ?? this.#base.node(name));
  }

  get images(): ReadonlyMap<string, number> {
    return this.#base.images;
  }

  get volumes(): HeldVolumes {
    return this.#base.volumes;
  }

  get taintedNodes(): number {
    return this.#base.taintedNodes;
  }

  nominatedTo(node: string): readonly PodView[] {
    return this.#base.nominatedTo(node);
  }

  nominationOf(uid: string): string | undefined {
    return this.#base.nominationOf(uid);
  }

  of<T extends KubeObject>(type: ResourceType<T>): Cache<T> {
    return this.#base.of(type);
  }

  fork(): Fork {
    return this;
  }

  with(pod: PodView, node: string): Fork {
    return this.changed(this.#known(node).with(pod));
  }

  without(pod: PodView, node: string): Fork {
    return this.changed(this.#known(node).without(pod));
  }

  changed(node: NodeView): Fork {
    const last = this.#last;
    const isSame = last === undefined || last.name === node.name;
    return new Forked(this.#base, {
      last: node,
      others: isSame ? this.#others : new Map(this.#others).set(last.name, last),
    });
  }

  #known(name: string): NodeView {
    const node = this.node(name);
    assert(node !== undefined, 'a what-if is about a node that is there', { node: name });
    return node;
  }
}

interface Changed {
  readonly last: NodeView | undefined;
  readonly others: ReadonlyMap<string, NodeView>;
}

const noNodes: ReadonlyMap<string, NodeView> = new Map();
