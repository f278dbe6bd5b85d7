import type { NodeView } from '../node-view.ts';
import type { PodView } from '../pod-view.ts';
import type { Counted, TopologyCount } from './live-count.ts';

/** A count as it is, or as it would be some pods later. A step costs as much as there were steps, and never changes what was before. */
export interface Tally {
  readonly counted: Counted;
  readonly podsTotal: number;
  readonly domainCount: number;
  podsIn(value: string): number;
  /** The fewest that any domain has; infinite where there is no domain. */
  least(): number;
  with(pod: PodView, node: NodeView): Tally;
  without(pod: PodView, node: NodeView): Tally;
}

export function tallyOf(counted: Counted, count: TopologyCount): Tally {
  return new Stepped({ counted, count, changes: unchanged, podsTotal: count.podsTotal });
}

const unchanged: ReadonlyMap<string, number> = new Map();

interface Facts {
  readonly counted: Counted;
  readonly count: TopologyCount;
  /** Value of the label → pods more or less. */
  readonly changes: ReadonlyMap<string, number>;
  readonly podsTotal: number;
}

class Stepped implements Tally {
  readonly counted: Counted;
  readonly podsTotal: number;
  readonly #count: TopologyCount;
  readonly #changes: ReadonlyMap<string, number>;
  #least: number | undefined;

  constructor({ counted, count, changes, podsTotal }: Facts) {
    this.counted = counted;
    this.#count = count;
    this.#changes = changes;
    this.podsTotal = podsTotal;
  }

  get domainCount(): number {
    return this.#count.domains.size;
  }

  podsIn(value: string): number {
    const pods = this.#count.domains.get(value) ?? 0;
    return this.#changes.size === 0 ? pods : pods + (this.#changes.get(value) ?? 0);
  }

  least(): number {
    this.#least ??= leastOf(this.#count, this.#changes);
    return this.#least;
  }

  with(pod: PodView, node: NodeView): Tally {
    return this.#step(pod, { node, by: 1 });
  }

  without(pod: PodView, node: NodeView): Tally {
    return this.#step(pod, { node, by: -1 });
  }

  #step(pod: PodView, { node, by }: { readonly node: NodeView; readonly by: 1 | -1 }): Tally {
    const { counted } = this;
    const value = node.labels[counted.topologyKey];
    if (value === undefined || !this.#count.countsOn(node.name) || !counted.countsPod(pod)) return this;
    const changes = new Map(this.#changes).set(value, (this.#changes.get(value) ?? 0) + by);
    return new Stepped({ counted, count: this.#count, changes, podsTotal: this.podsTotal + by });
  }
}

/** Domains that changed are taken out of their level; what is left of the lowest levels competes with them. */
function leastOf({ domains, levels }: TopologyCount, changes: ReadonlyMap<string, number>): number {
  const moved = new Map<number, number>();
  let least = Number.POSITIVE_INFINITY;
  for (const [value, by] of changes) {
    const before = domains.get(value);
    if (before === undefined) continue;
    moved.set(before, (moved.get(before) ?? 0) + 1);
    least = Math.min(least, before + by);
  }
  for (const [level, count] of levels) if (level < least && count > (moved.get(level) ?? 0)) least = level;
  return least;
}
