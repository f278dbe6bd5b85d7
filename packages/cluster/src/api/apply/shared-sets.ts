import { isJsonShared, shareJson } from '../../base/shared-json.ts';
import { deepOrder } from './element.ts';
import { type FieldSet, noFields } from './field-set.ts';
import { Lately } from './lately.ts';

interface Remembered {
  readonly steps: readonly string[];
  readonly parts: readonly FieldSet[];
  readonly set: FieldSet;
}

shareJson(noFields);

/** Whether the set was found more than once, so that it is worth remembering what came of it. */
export function isFoundAgain(set: FieldSet): boolean {
  return isJsonShared(set);
}

/** The sets that were lately found at one place: what is found again is the very same value, so nobody compares or encodes it anew. */
export class SharedSets {
  readonly #remembered = new Lately<Remembered>();
  /** What was put in order last: objects at one place have their fields in one order. */
  #ordered: { readonly steps: readonly string[]; readonly order: Order } | undefined;
  #whole: { readonly value: object; readonly set: FieldSet } | undefined;

  /** All of one frozen value, where that was just looked for: the next object may share it, as those of one template do. */
  wholeOf(value: object): FieldSet | undefined {
    return this.#whole?.value === value ? this.#whole.set : undefined;
  }

  keepWhole(value: object, set: FieldSet): FieldSet {
    if (Object.isFrozen(value)) this.#whole = { value, set };
    return set;
  }

  /** The set of these steps with what is under each. Takes the lists over: they must not change any more. */
  of(steps: readonly string[], parts: readonly FieldSet[]): FieldSet {
    if (steps.length === 0) return noFields;
    // In the order in which they were found: objects that one client makes have their fields in one order.
    const known = this.#remembered.find((each) => isSame(each, steps, parts));
    if (known !== undefined) {
      shareJson(known.set);
      return known.set;
    }
    const set = setOf(steps, parts, this.#orderOf(steps));
    this.#remembered.add({ steps, parts, set });
    return set;
  }

  #orderOf(steps: readonly string[]): Order {
    const last = this.#ordered;
    if (last !== undefined && isSameList(last.steps, steps)) return last.order;
    const order = inOrder(steps);
    this.#ordered = { steps, order };
    return order;
  }
}

/** Which steps come first, by where they are; undefined: as they are. */
type Order = readonly number[] | undefined;

/** The parts are in order and frozen already. */
function setOf(steps: readonly string[], parts: readonly FieldSet[], order: Order): FieldSet {
  const draft = emptyFor(steps);
  for (let place = 0; place < steps.length; place++) {
    const index = order === undefined ? place : (order[place] as number);
    draft[steps[index] as string] = parts[index] as FieldSet;
  }
  return Object.freeze(draft);
}

function inOrder(steps: readonly string[]): Order {
  if (areInOrder(steps)) return undefined;
  return [...steps.keys()].sort((a, b) => deepOrder(steps[a] as string, steps[b] as string));
}

/** Elements may have a key that no others have: an object without a prototype is a table from its beginning, and needs no hidden class. */
function emptyFor([first = '']: readonly string[]): Record<string, FieldSet> {
  return first.startsWith('f:') ? {} : (Object.create(null) as Record<string, FieldSet>);
}

function areInOrder(steps: readonly string[]): boolean {
  for (let index = 1; index < steps.length; index++)
    if (deepOrder(steps[index - 1] as string, steps[index] as string) > 0) return false;
  return true;
}

function isSame(known: Remembered, steps: readonly string[], parts: readonly FieldSet[]): boolean {
  if (known.steps !== steps && !isSameList(known.steps, steps)) return false;
  return isSameList(known.parts, parts);
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = a.length - 1; index >= 0; index--) if (a[index] !== b[index]) return false;
  return true;
}
