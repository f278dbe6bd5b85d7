import { type FieldSet, inOrder, noFields } from './field-set.ts';

/** How many sets are remembered for one place of a schema: most objects of a kind are changed in a few ways. */
const rememberedMax = 6;

interface Remembered {
  readonly steps: readonly string[];
  readonly parts: readonly FieldSet[];
  readonly set: FieldSet;
}

/** The sets that were lately found at one place: what is found again is the very same value, so nobody compares or encodes it anew. */
export class SharedSets {
  readonly #remembered: Remembered[] = [];
  #next = 0;
  #whole: { readonly value: object; readonly set: FieldSet } | undefined;

  /** All of one frozen value, which the next object may share: those of one template do. */
  wholeOf(value: object, find: () => FieldSet): FieldSet {
    if (this.#whole?.value === value) return this.#whole.set;
    const set = find();
    if (Object.isFrozen(value)) this.#whole = { value, set };
    return set;
  }

  /** The set of these steps with what is under each. Takes the lists over: they must not change any more. */
  of(steps: readonly string[], parts: readonly FieldSet[]): FieldSet {
    if (steps.length === 0) return noFields;
    // In the order in which they were found: objects that one client makes have their fields in one order.
    for (const known of this.#remembered) if (isSame(known, steps, parts)) return known.set;
    const draft: Record<string, FieldSet> = {};
    for (let index = 0; index < steps.length; index++) draft[steps[index] as string] = parts[index] as FieldSet;
    const set = inOrder(draft);
    this.#remembered[this.#next] = { steps, parts, set };
    this.#next = (this.#next + 1) % rememberedMax;
    return set;
  }
}

function isSame(known: Remembered, steps: readonly string[], parts: readonly FieldSet[]): boolean {
  if (known.steps.length !== steps.length) return false;
  for (let index = steps.length - 1; index >= 0; index--)
    if (known.parts[index] !== parts[index] || known.steps[index] !== steps[index]) return false;
  return true;
}
