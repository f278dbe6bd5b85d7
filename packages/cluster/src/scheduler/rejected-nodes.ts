import type { Objection } from './cycle.ts';
import type { NodeView } from './node-view.ts';
import { isResolvable, type Rejection, type SchedulerPlugin } from './plugin.ts';

/** The nodes that do not take a pod, and why. Two lists side by side: with thousands of nodes an object for each would cost more than the search. */
export class RejectedNodes {
  readonly #nodes: NodeView[] = [];
  readonly #verdicts: Rejection[] = [];
  readonly #by: Set<SchedulerPlugin> = new Set();
  #last: SchedulerPlugin | undefined;

  get size(): number {
    return this.#nodes.length;
  }

  /** Who rejected at least one. */
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

  /** Those on which the loss of pods could help. */
  resolvable(): readonly NodeView[] {
    return this.#nodes.filter((_, index) => {
      const verdict = this.#verdicts[index];
      return verdict !== undefined && isResolvable(verdict);
    });
  }

  verdictOn(node: string): Rejection | undefined {
    return this.#verdicts[this.#nodes.findIndex(({ name }) => name === node)];
  }

  /** Reason → on how many nodes. A node counts once per reason. */
  reasons(): ReadonlyMap<string, number> {
    const times = new Map<Rejection, number>();
    for (const verdict of this.#verdicts) times.set(verdict, (times.get(verdict) ?? 0) + 1);
    const counts = new Map<string, number>();
    for (const [{ reasons }, count] of times)
      for (const { text } of reasons) counts.set(text, (counts.get(text) ?? 0) + count);
    return counts;
  }
}
