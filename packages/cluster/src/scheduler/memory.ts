import { type Cycle, type Objection, objection, type Step } from './cycle.ts';
import { demandsOf } from './demands.ts';
import type { DryRun } from './loss.ts';
import type { NodeView } from './node-view.ts';
import { Standing } from './standing/standing.ts';

/**
 * What was found out about nodes for pods that are alike. It follows the changes of nodes, so that the next of a thousand equal pods
 * costs what has changed since. Nothing depends on it but time.
 */
export interface Memory {
  /** Undefined where it is not worth it. */
  of(cycle: Cycle): Alike | undefined;
  /** A rule failed while nodes were gone through: what was noted until then may be half of it. */
  forget(): void;
}

/** Kinds of pods that are remembered, at most; and numbers, over all of them. */
const kindsMax = 64;
const entriesMax = 2_000_000;
/** Kinds that were seen once, and might come again. */
const seenMax = 512;

export function createMemory(): Memory {
  const kinds = new Map<string, Standing>();
  const seen = new Set<string>();
  return {
    of(cycle) {
      const { snapshot } = cycle;
      const { nodes, journal } = snapshot;
      const parts = partsOf(cycle);
      if (parts === undefined || journal === undefined || nodes.length === 0) return undefined;
      const key = demandsOf(cycle.pod);
      const known = kinds.get(key);
      if (known !== undefined) {
        // The last one used is the last to be forgotten.
        kinds.delete(key);
        const isCurrent = known.nodes === nodes && known.follows(snapshot, journal);
        const kept = isCurrent ? known : new Standing(snapshot, journal);
        kinds.set(key, kept);
        return new Alike(kept, parts);
      }
      if (!seen.delete(key)) {
        seen.add(key);
        if (seen.size > seenMax) forgetFirst(seen);
        return undefined;
      }
      const made = new Standing(snapshot, journal);
      kinds.set(key, made);
      while (kinds.size > kindsMax || (kinds.size > 1 && kinds.size * nodes.length > entriesMax)) forgetFirst(kinds);
      return new Alike(made, parts);
    },
    forget() {
      kinds.clear();
      seen.clear();
    },
  };
}

/** A turn in two: what goes by the pod's demands and the node alone, and what other pods have a part in. */
interface Parts {
  readonly own: Cycle;
  /** Undefined where nothing else has a say. */
  readonly rest: Cycle | undefined;
}

/** Undefined where the order of the rules would not be kept: the first to reject gives the reason. */
function partsOf(cycle: Cycle): Parts | undefined {
  const { pod, filters } = cycle;
  if (pod.pinnedTo !== undefined) return undefined;
  const firstOther = filters.findIndex((step) => !isOwnStep(step));
  if (firstOther === -1) return { own: cycle, rest: undefined };
  const [own, rest] = [filters.slice(0, firstOther), filters.slice(firstOther)];
  return rest.some(isOwnStep) ? undefined : { own: { ...cycle, filters: own }, rest: { ...cycle, filters: rest } };
}

function isOwnStep({ plugin, state }: Step): boolean {
  return plugin.looksAt === 'demands' && state === undefined;
}

function forgetFirst(kept: Map<string, unknown> | Set<string>): void {
  const [first] = kept.keys();
  if (first !== undefined) kept.delete(first);
}

/** One turn of a pod that is like others before it. */
export class Alike {
  readonly #standing: Standing;
  readonly #parts: Parts;

  constructor(standing: Standing, parts: Parts) {
    this.#standing = standing;
    this.#parts = parts;
  }

  /** How all nodes stand to it, where that is all that there is to be said. */
  get standing(): Standing | undefined {
    return this.#parts.rest === undefined && this.#standing.isUndisputed ? this.#standing : undefined;
  }

  /** As {@link objection}; `index` is the node's place among all, `own` the one that is being cleared for the pod. */
  objection({ index, own }: { readonly index: number; readonly own: string | undefined }): Objection | undefined {
    const node = this.#standing.nodes[index];
    if (node === undefined) return undefined;
    const { own: cycle, rest } = this.#parts;
    // What is promised to this pod is free to it.
    const isOwn = own !== undefined && node.name === own;
    const against = isOwn ? objection(cycle, node) : this.#standing.objection(cycle, index);
    return against ?? (rest && objection(rest, node));
  }

  score(index: number, work: (node: NodeView) => number): number {
    return this.#standing.score(index, work);
  }

  /** `budgets` tells versions of the disruption budgets apart. */
  dryRun(node: NodeView, { budgets, play }: { readonly budgets: number; readonly play: () => DryRun }): DryRun {
    return this.#parts.rest === undefined ? this.#standing.dryRun(node, { budgets, play }) : play();
  }
}
