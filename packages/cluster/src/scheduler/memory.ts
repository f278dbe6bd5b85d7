import { type Cycle, type Objection, objection, type Step } from './cycle.ts';
import { demandsOf } from './demands.ts';
import type { NodeView } from './node-view.ts';
import type { DryRun } from './preempt.ts';

/**
 * What was found out about nodes for pods that are alike. It holds for as long as the node stays as it is, so that the next of a
 * thousand equal pods looks only at the nodes that have changed. Nothing depends on it but time.
 */
export interface Memory {
  /** Undefined where it is not worth it. */
  of(cycle: Cycle): Alike | undefined;
}

/** Kinds of pods that are remembered, at most; and numbers, over all of them. */
const kindsMax = 64;
const entriesMax = 4_000_000;
/** Kinds that were seen once, and might come again. */
const seenMax = 512;

export function createMemory(): Memory {
  const kinds = new Map<string, Kept>();
  const seen = new Set<string>();
  return {
    of(cycle) {
      const parts = partsOf(cycle);
      if (parts === undefined) return undefined;
      const { nodes } = cycle.snapshot;
      const key = demandsOf(cycle.pod);
      const known = kinds.get(key);
      if (known !== undefined) {
        // The last one used is the last to be forgotten.
        kinds.delete(key);
        const kept = known.nodes === nodes ? known : new Kept(nodes);
        kinds.set(key, kept);
        return new Alike(kept, parts);
      }
      if (!seen.delete(key)) {
        seen.add(key);
        if (seen.size > seenMax) forgetFirst(seen);
        return undefined;
      }
      const made = new Kept(nodes);
      kinds.set(key, made);
      while (kinds.size > kindsMax || (kinds.size > 1 && kinds.size * nodes.length > entriesMax)) forgetFirst(kinds);
      return new Alike(made, parts);
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
  readonly #kept: Kept;
  readonly #parts: Parts;

  constructor(kept: Kept, parts: Parts) {
    this.#kept = kept;
    this.#parts = parts;
  }

  /** As {@link objection}; `index` is the node's place among all, `own` the one that is being cleared for the pod. */
  objection({ index, own }: { readonly index: number; readonly own: string | undefined }): Objection | undefined {
    const node = this.#kept.nodes[index];
    if (node === undefined) return undefined;
    const { own: cycle, rest } = this.#parts;
    const isOwn = own !== undefined && node.name === own;
    // What is promised to this pod is free to it. A promise makes another version of its node, so what is known holds.
    const against =
      !isOwn && (this.#kept.knows(node, index) || isPromisedToPlain(node, cycle))
        ? this.#kept.objection(cycle, index)
        : objection(cycle, node);
    return against ?? (rest && objection(rest, node));
  }

  score(index: number, work: (node: NodeView) => number): number {
    return this.#kept.score(index, work);
  }

  /** `budgets` tells versions of the disruption budgets apart. */
  dryRun(node: NodeView, { budgets, play }: { readonly budgets: number; readonly play: () => DryRun }): DryRun {
    return this.#parts.rest === undefined ? this.#kept.dryRun(node, { budgets, play }) : play();
  }
}

/** Pods that say something of others concern one pod and not another that wants the same room. */
function isPromisedToPlain({ name }: NodeView, { snapshot }: Cycle): boolean {
  return snapshot.nominatedTo(name).every(({ terms }) => terms === undefined);
}

/** By the place of a node among all, for the version of the node that is told beside. */
class Kept {
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

  knows({ version }: NodeView, index: number): boolean {
    return this.#judged[index] === version;
  }

  objection(cycle: Cycle, index: number): Objection | undefined {
    const node = this.nodes[index];
    if (node === undefined) return undefined;
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
