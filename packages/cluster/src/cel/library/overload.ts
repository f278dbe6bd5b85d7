import type { Costs } from '../costs/rules.ts';
import type { Type } from '../types/type.ts';
import { Uint } from '../values/uint.ts';
import { EvaluationError, List, Mapping, type Opaque, Optional, type Value } from '../values/value.ts';

/** One signature of a function, and what it does. Pure, but for what a library's own values look up. */
export interface Overload {
  readonly name: string;
  /** Called on its first parameter: `text.startsWith(prefix)`. */
  readonly isMember: boolean;
  readonly parameters: readonly Type[];
  readonly result: Type;
  /** Set where a call costs something else than one. */
  readonly costs?: Costs;
  call(args: readonly Value[]): Value;
}

interface Signature {
  readonly parameters: readonly Type[];
  readonly result: Type;
  readonly costs?: Costs;
}

type Work = (args: readonly Value[]) => Value;

export function fn(name: string, signature: Signature, call: Work): Overload {
  return { name, isMember: false, ...signature, call };
}

export function member(name: string, signature: Signature, call: Work): Overload {
  return { name, isMember: true, ...signature, call };
}

/** What a call on values is answered that no overload takes. Only values of unknown type get so far. */
export function noOverload(name = ''): EvaluationError {
  return new EvaluationError(/^[a-z]/.test(name) ? `no such overload: ${name}` : 'no such overload');
}

export function text(value: Value | undefined): string {
  if (typeof value !== 'string') throw noOverload();
  return value;
}

export function integer(value: Value | undefined): bigint {
  if (typeof value !== 'bigint') throw noOverload();
  return value;
}

export function list(value: Value | undefined): List {
  if (!(value instanceof List)) throw noOverload();
  return value;
}

export function mapping(value: Value | undefined): Mapping {
  if (!(value instanceof Mapping)) throw noOverload();
  return value;
}

export function optional(value: Value | undefined): Optional {
  if (!(value instanceof Optional)) throw noOverload();
  return value;
}

export function unsigned(value: Value | undefined): bigint {
  if (!(value instanceof Uint)) throw noOverload();
  return value.amount;
}

export function required(value: Value | undefined): Value {
  if (value === undefined) throw noOverload();
  return value;
}

/** A value of a library's own class. */
export function instance<T extends Opaque>(value: Value | undefined, type: abstract new (...args: never) => T): T {
  if (!(value instanceof type)) throw noOverload();
  return value;
}
