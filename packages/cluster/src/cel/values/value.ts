import type { Duration, Timestamp } from './time.ts';
import type { Uint } from './uint.ts';

/**
 * A value of the language. Integers are bigints, doubles are numbers; the rest of what JavaScript has no word for are small
 * classes.
 */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint
  | Uint8Array
  | Duration
  | Timestamp
  | List
  | Mapping
  | Optional
  | TypeName
  | Opaque;

/** Anything that has a length and elements by index. Its elements may be read from an object when they are asked for. */
export abstract class List {
  abstract readonly length: number;
  abstract at(index: number): Value;

  /** Of lists that compare themselves, because order says nothing in them. */
  sameAs(_other: List): boolean | undefined {
    return undefined;
  }
}

export abstract class Mapping {
  /** Set for values of a declared type, which are no maps to the language. */
  get typeName(): string | undefined {
    return undefined;
  }
  abstract readonly size: number;
  abstract get(key: Value): Value | undefined;
  abstract keys(): Iterable<Value>;

  sameAs(_other: Mapping): boolean | undefined {
    return undefined;
  }
}

export class Optional {
  static readonly none: Optional = new Optional(undefined);
  readonly value: Value | undefined;

  private constructor(value: Value | undefined) {
    this.value = value;
  }

  static of(value: Value): Optional {
    return new Optional(value);
  }
}

/** A type as a value: `type(1) == int`. */
export class TypeName {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A value of a library's own type, such as a quantity: only the functions of the library look into it. */
export abstract class Opaque {
  abstract readonly typeName: string;
  abstract equals(other: Opaque): boolean;
}

/** Why an expression has no value. An expected outcome within an expression: `||` and `&&` may pass over it. */
export class EvaluationError extends Error {}

/** The expression has cost more than it may. Nothing passes over that. */
export class CostExceeded extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}
