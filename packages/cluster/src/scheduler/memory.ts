import { type Cycle, type Objection, objection } from './cycle.ts';
import { demandsOf } from './demands.ts';
import type { NodeView } from './node-view.ts';
import type { DryRun } from './preempt.ts';

/**
 * What was found out about nodes for pods that are alike. It holds for as long as the node stays as it is, so that the next of a
 * thousand equal pods looks only at the nodes that have changed. Nothing depends on it but time.
 */
export interface Memory {
  /** Undefined where more than the pod's demands and the node itself decides, or where it is not worth it. */
  of(cycle: Cycle): AlikeMemory | undefined;
}

/** Kinds of pods that are remembered, at most; and numbers, over all of them. */
const kindsMax = 64;
const entriesMax = 4_000_000;
/** Kinds that were seen once, and might come again. */
const seenMax = 512;

export function createMemory(): Memory {
  const kinds = new Map<string, AlikeMemory>();
  const seen = new Set<string>();
  return {
    of(cycle) {
      if (!isAboutDemands(cycle)) return undefined;
      const { nodes } = cycle.snapshot;
      const key = demandsOf(cycle.pod);
      const known = kinds.get(key);
      if (known !== undefined) {
        // The last one used is the last to be forgotten.
        kinds.delete(key);
        const kept = known.nodes === nodes ? known : new AlikeMemory(nodes);
        kinds.set(key, kept);
        return kept;
      }
      if (!seen.delete(key)) {
        seen.add(key);
        if (seen.size > seenMax) forgetFirst(seen);
        return undefined;
      }
      const made = new AlikeMemory(nodes);
      kinds.set(key, made);
      while (kinds.size > kindsMax || (kinds.size > 1 && kinds.size * nodes.length > entriesMax)) forgetFirst(kinds);
      return made;
    },
  };
}

function isAboutDemands({ pod, filters }: Cycle): boolean {
  return (
    pod.pinnedTo === undefined &&
    filters.every(({ plugin, state }) => plugin.looksAt === 'demands' && state === undefined)
  );
}

function forgetFirst(kept: Map<string, unknown> | Set<string>): void {
  const [first] = kept.keys();
  if (first !== undefined) kept.delete(first);
}

export class AlikeMemory {
  readonly nodes: readonly NodeView[];
  readonly #judged: number[];
  readonly #objections: (Objection | undefined)[];
  readonly #scored: number[];
  readonly #scores: number[];
  readonly #played: Map<string, Played> = new Map();

  constructor(nodes: readonly NodeView[]) {
    this.nodes = nodes;
    this.#judged = nodes.map(() => never);
    this.#objections = nodes.map(() => undefined);
    this.#scored = nodes.map(() => never);
    this.#scores = nodes.map(() => 0);
  }

  /** As {@link objection}; `index` is the node's place among all, `own` the one that is being cleared for the pod. */
  objection(
    cycle: Cycle,
    { index, own }: { readonly index: number; readonly own: string | undefined },
  ): Objection | undefined {
    const node = this.nodes[index];
    if (node === undefined) return undefined;
    // What is promised to others is not free; to this pod its own is.
    if (own !== undefined && node.name === own) return objection(cycle, node);
    if (this.#judged[index] !== node.version) {
      this.#objections[index] = objection(cycle, node);
      this.#judged[index] = node.version;
    }
    return this.#objections[index];
  }

  score(index: number, work: (node: NodeView) => number): number {
    const node = this.nodes[index];
    if (node === undefined) return 0;
    if (this.#scored[index] !== node.version) {
      this.#scores[index] = work(node);
      this.#scored[index] = node.version;
    }
    return this.#scores[index] ?? 0;
  }

  /** `budgets` tells versions of the disruption budgets apart. */
  dryRun(node: NodeView, { budgets, play }: { readonly budgets: number; readonly play: () => DryRun }): DryRun {
    const known = this.#played.get(node.name);
    if (known !== undefined && known.version === node.version && known.budgets === budgets) return known.run;
    const run = play();
    this.#played.set(node.name, { version: node.version, budgets, run });
    return run;
  }
}

interface Played {
  readonly version: number;
  readonly budgets: number;
  readonly run: DryRun;
}

/** No node has this version. */
const never = -1;
