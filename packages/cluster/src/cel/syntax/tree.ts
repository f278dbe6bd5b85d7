import type { Value } from '../values/value.ts';

/** An expression after its macros were expanded: what is checked, estimated and run. `at` is the offset in the source. */
export type Expression = Constant | Identifier | Select | Call | ListLiteral | MapLiteral | StructLiteral | Fold;

export interface Constant {
  readonly kind: 'constant';
  readonly at: number;
  readonly value: Value;
}

export interface Identifier {
  readonly kind: 'identifier';
  readonly at: number;
  /** A leading dot, which names what is outermost, is kept. */
  readonly name: string;
}

export interface Select {
  readonly kind: 'select';
  readonly at: number;
  readonly operand: Expression;
  readonly field: string;
  /** `has(a.b)`: whether it is there. */
  readonly tests: boolean;
}

export interface Call {
  readonly kind: 'call';
  readonly at: number;
  /** Operators have names such as `_+_`. */
  readonly name: string;
  readonly target?: Expression;
  readonly args: readonly Expression[];
}

export interface ListLiteral {
  readonly kind: 'list';
  readonly at: number;
  readonly elements: readonly Expression[];
  /** Indexes of elements that are left out when they have no value: `[?a]`. */
  readonly optional: ReadonlySet<number>;
}

export interface MapLiteral {
  readonly kind: 'map';
  readonly at: number;
  readonly entries: readonly MapEntry[];
}

export interface MapEntry {
  readonly at: number;
  readonly key: Expression;
  readonly value: Expression;
  readonly optional: boolean;
}

export interface StructLiteral {
  readonly kind: 'struct';
  readonly at: number;
  readonly name: string;
  readonly fields: readonly StructField[];
}

export interface StructField {
  readonly at: number;
  readonly name: string;
  readonly value: Expression;
  readonly optional: boolean;
}

/** Goes over a list or map: what all macros with a variable become. */
export interface Fold {
  readonly kind: 'fold';
  readonly at: number;
  readonly range: Expression;
  readonly variable: string;
  /** With two variables the first is the index or key. */
  readonly second?: string;
  readonly accumulator: string;
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}
