import { type FieldSet, inOrder, noFields } from './field-set.ts';

/** How many sets are remembered for one place of a schema: most objects of a kind are changed in a few ways. */
const rememberedMax = 6;

/** The sets that were lately found at one place: what is found again is the very same value, so nobody compares or encodes it anew. */
export class SharedSets {
  readonly #remembered: { readonly set: FieldSet; readonly size: number }[] = [];
  #next = 0;

  /** The set of these steps with what is under each. */
  of(steps: readonly string[], parts: readonly FieldSet[]): FieldSet {
    const size = steps.length;
    if (size === 0) return noFields;
    for (const { set, size: known } of this.#remembered) if (known === size && isSame(set, steps, parts)) return set;
    const draft: Record<string, FieldSet> = {};
    for (let index = 0; index < size; index++) draft[steps[index] as string] = parts[index] as FieldSet;
    const set = inOrder(draft);
    this.#remembered[this.#next] = { set, size };
    this.#next = (this.#next + 1) % rememberedMax;
    return set;
  }
}

function isSame(set: FieldSet, steps: readonly string[], parts: readonly FieldSet[]): boolean {
  for (let index = 0; index < steps.length; index++) if (set[steps[index] as string] !== parts[index]) return false;
  return true;
}
