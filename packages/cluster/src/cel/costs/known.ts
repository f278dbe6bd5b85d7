import type { Checked } from '../checking/checked.ts';
import type { Sized } from '../environment.ts';
import type { Expression } from '../syntax/tree.ts';
import { dyn, type Type } from '../types/type.ts';
import { characterCount } from '../values/text.ts';
import { either, exactly, one, type Range } from './range.ts';

/** Where a value stands under the root: there, at a place that says nothing, or nowhere. */
export type Place = Sized | 'lost' | undefined;

export interface EntrySizes {
  readonly container: 'list' | 'map';
  readonly key: Range;
  readonly value: Range;
}

export interface Local {
  readonly place: Place;
  readonly size: Range | undefined;
  readonly entries: EntrySizes | undefined;
}

/** What is known of the parts of an expression: where their values stand, and how large these are. */
export class Known {
  readonly #checked: Checked;
  readonly #root: Sized | undefined;
  readonly #places = new Map<Expression, Place>();
  readonly #sizes = new Map<Expression, Range>();
  readonly #entries = new Map<Expression, EntrySizes>();
  readonly #locals = new Map<string, Local[]>();

  constructor(checked: Checked, root: Sized | undefined) {
    this.#checked = checked;
    this.#root = root;
  }

  /** An outermost name: its value stands at the root. */
  isRoot(expression: Expression): void {
    this.#places.set(expression, this.#root);
  }

  setPlace(expression: Expression, place: Place): void {
    this.#places.set(expression, place);
  }

  setSize(expression: Expression, size: Range): void {
    this.#sizes.set(expression, size);
  }

  setEntries(expression: Expression, entries: EntrySizes): void {
    this.#entries.set(expression, entries);
  }

  local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  within<T>(name: string, local: Local, run: () => T): T {
    const stack = this.#locals.get(name) ?? [];
    this.#locals.set(name, stack);
    stack.push(local);
    const result = run();
    stack.pop();
    return result;
  }

  type(expression: Expression): Type {
    return this.#checked.types.get(expression) ?? dyn;
  }

  place(expression: Expression): Place {
    const local = expression.kind === 'identifier' ? this.local(expression.name) : undefined;
    return local === undefined ? this.#places.get(expression) : local.place;
  }

  /** One step from a place. A step from nowhere counts from the root, as upstream has it. */
  step(place: Place, name: string): Place {
    if (place === undefined) return this.#root;
    return place === 'lost' ? 'lost' : stepFrom(place, name);
  }

  mergeEntries(expression: Expression, [left, right]: readonly (Expression | undefined)[]): void {
    const a = left === undefined ? undefined : this.entriesOf(left);
    const b = right === undefined ? undefined : this.entriesOf(right);
    if (a === undefined || b === undefined) return;
    this.#entries.set(expression, {
      container: a.container,
      key: either(a.key, b.key),
      value: either(a.value, b.value),
    });
  }

  copySizes(to: Expression, from: Expression): void {
    const size = this.size(from);
    if (size !== undefined) this.#sizes.set(to, size);
    const entries = this.entriesOf(from);
    if (entries !== undefined) this.#entries.set(to, entries);
  }

  size(expression: Expression): Range | undefined {
    const known = this.#sizes.get(expression) ?? literalSize(expression);
    if (known !== undefined) return known;
    const place = this.place(expression);
    if (place !== undefined && place !== 'lost') {
      const size = { min: 0, max: place.sizeMax };
      this.#sizes.set(expression, size);
      return size;
    }
    if (scalars.has(this.type(expression).kind)) return one;
    return expression.kind === 'identifier' ? this.local(expression.name)?.size : undefined;
  }

  entriesOf(expression: Expression): EntrySizes | undefined {
    const known = this.#entries.get(expression);
    if (known !== undefined || expression.kind !== 'identifier') return known;
    return this.local(expression.name)?.entries;
  }
}

const scalars: ReadonlySet<string> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

function stepFrom(place: Sized, name: string): Place {
  switch (name) {
    case '@items':
    case '@values':
      return place.element ?? 'lost';
    case '@keys':
      return place.key ?? 'lost';
    default:
      return place.field?.(name) ?? 'lost';
  }
}

function literalSize(expression: Expression): Range | undefined {
  switch (expression.kind) {
    case 'list':
      return exactly(expression.elements.length);
    case 'map':
      return exactly(expression.entries.length);
    case 'constant': {
      const { value } = expression;
      if (typeof value === 'string') return exactly(characterCount(value));
      return exactly(value instanceof Uint8Array ? value.length : 1);
    }
    default:
      return undefined;
  }
}
