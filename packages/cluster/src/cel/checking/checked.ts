import type { Overload } from '../library/overload.ts';
import type { Expression } from '../syntax/tree.ts';
import type { Type } from '../types/type.ts';

/** What the checker found out of an expression without problems. */
export interface Checked {
  readonly expression: Expression;
  readonly type: Type;
  readonly types: ReadonlyMap<Expression, Type>;
  /** What a call may mean, given the types of its arguments. */
  readonly overloads: ReadonlyMap<Expression, readonly Overload[]>;
  /** Expressions that are one dotted name: of a variable, a type, or a function's room. */
  readonly names: ReadonlyMap<Expression, string>;
  /** Calls whose target is a room of functions: `sets.contains(…)`. */
  readonly functions: ReadonlyMap<Expression, string>;
}

export type Found = Omit<Checked, 'expression' | 'type'>;
