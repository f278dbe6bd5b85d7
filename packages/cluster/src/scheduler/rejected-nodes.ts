import type { Objection } from './cycle.ts';
import type { NodeView } from './node-view.ts';
import { isResolvable, type Rejection, type SchedulerPlugin } from './plugin.ts';
import type { Standing } from './standing/standing.ts';

/** The nodes that do not take a pod, and why. Good for this turn of the event loop. */
export interface Rejected {
  /** Who rejected at least one. */
  readonly by: ReadonlySet<SchedulerPlugin>;
  /** Those on which the loss of pods could help. */
  resolvable(): readonly NodeView[];
  verdictOn(node: string): Rejection | undefined;
  /** Reason → on how many nodes. A node counts once per reason. */
  reasons(): ReadonlyMap<string, number>;
  /** Set where they are all nodes, as they stand to pods that are alike, and which was the first to be looked at. */
  readonly circle: { readonly start: number; readonly standing: Standing } | undefined;
}

/** One by one. Two lists side by side: with thousands of nodes an object for each would cost more than the search. */
export class RejectedNodes implements Rejected {
  readonly circle = undefined;
  readonly #nodes: NodeView[] = [];
  readonly #verdicts: Rejection[] = [];
  readonly #by: Set<SchedulerPlugin> = new Set();
  #last: SchedulerPlugin | undefined;

  get by(): ReadonlySet<SchedulerPlugin> {
    return this.#by;
  }

  add(node: NodeView, { plugin, verdict }: Objection): void {
    this.#nodes.push(node);
    this.#verdicts.push(verdict);
    if (plugin === this.#last) return;
    this.#by.add(plugin);
    this.#last = plugin;
  }

  resolvable(): readonly NodeView[] {
    return this.#nodes.filter((_, index) => {
      const verdict = this.#verdicts[index];
      return verdict !== undefined && isResolvable(verdict);
    });
  }

  verdictOn(node: string): Rejection | undefined {
    return this.#verdicts[this.#nodes.findIndex(({ name }) => name === node)];
  }

  reasons(): ReadonlyMap<string, number> {
    const times = new Map<Rejection, number>();
    for (const verdict of this.#verdicts) times.set(verdict, (times.get(verdict) ?? 0) + 1);
    const counts = new Map<string, number>();
    for (const [{ reasons }, count] of times)
      for (const { text } of reasons) counts.set(text, (counts.get(text) ?? 0) + count);
    return counts;
  }
}
