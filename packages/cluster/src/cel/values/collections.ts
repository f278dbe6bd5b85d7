import { describe, keyOf } from './equality.ts';
import { EvaluationError, List, Mapping, type Value } from './value.ts';

/** A list that an expression has made. */
export class Values extends List {
  readonly #values: readonly Value[];

  constructor(values: readonly Value[]) {
    super();
    this.#values = values;
  }

  get length(): number {
    return this.#values.length;
  }

  at(index: number): Value {
    const found = this.#values[index];
    if (found === undefined) throw new EvaluationError(`index out of bounds: ${index}`);
    return found;
  }

  all(): readonly Value[] {
    return this.#values;
  }
}

export const noValues: Values = new Values([]);

export function valuesOf(list: List): readonly Value[] {
  if (list instanceof Values) return list.all();
  const values: Value[] = [];
  for (let index = 0; index < list.length; index++) values.push(list.at(index));
  return values;
}

/** A list that grows while a fold goes on, instead of being copied with every element. Nobody else sees it before its end. */
export class Growing extends List {
  readonly #values: Value[] = [];

  get length(): number {
    return this.#values.length;
  }

  at(index: number): Value {
    const found = this.#values[index];
    if (found === undefined) throw new EvaluationError(`index out of bounds: ${index}`);
    return found;
  }

  push(value: Value): void {
    this.#values.push(value);
  }

  done(): Values {
    return new Values(this.#values);
  }
}

/** A map that an expression has made. Numbers of different types that are equal are one key. */
export class Entries extends Mapping {
  readonly #entries = new Map<string, readonly [Value, Value]>();
  readonly #typeName: string | undefined;

  constructor(entries: Iterable<readonly [Value, Value]> = [], options: { readonly typeName?: string } = {}) {
    super();
    this.#typeName = options.typeName;
    for (const [key, value] of entries) this.insert(key, value);
  }

  override get typeName(): string | undefined {
    return this.#typeName;
  }

  /** Only while the map is being made. */
  insert(key: Value, value: Value): void {
    const known = keyOf(key);
    if (this.#entries.has(known)) throw new EvaluationError(`insert failed: key ${describe(key)} already exists`);
    this.#entries.set(known, [key, value]);
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Value): Value | undefined {
    return this.#entries.get(keyOf(key))?.[1];
  }

  *keys(): Iterable<Value> {
    for (const [key] of this.#entries.values()) yield key;
  }
}
