/** Calls of functions: the signature is chosen by the values at hand where the types left it open. */
import type { Costs } from '../costs/rules.ts';
import { add, elementAt, elementIfAny } from '../library/operators.ts';
import { noOverload, type Overload } from '../library/overload.ts';
import type { Call, Expression } from '../syntax/tree.ts';
import { keyOf } from '../values/equality.ts';
import { Uint } from '../values/uint.ts';
import { EvaluationError, Optional, type Value } from '../values/value.ts';
import type { Frame, Run } from './frame.ts';
import { type Planning, plan, planBranch, planOperand, unplannable } from './plan.ts';
import { takes } from './takes.ts';

export function invoked(expression: Call, planning: Planning): Run {
  const { checked, environment } = planning;
  const { target, args } = expression;
  const room = checked.functions.get(expression);
  const name = room ?? expression.name;
  if (name === '_[_]') return indexing(args, planning);
  if (name === '_[?_]') return optionalIndexing(args, planning);
  if (name === '@in' && isConstantList(args[1])) return membership(args, planning);
  const parts = (target === undefined || room !== undefined ? args : [target, ...args]).map((part) =>
    plan(part, planning),
  );
  const fitting = checked.overloads.get(expression) ?? [];
  const isMember = target !== undefined && room === undefined;
  const all = (environment.functions.get(name) ?? []).filter(
    (overload) => overload.isMember === isMember && overload.parameters.length === parts.length,
  );
  const [only] = fitting;
  if (name === '_+_' && parts.length === 2) return addition(parts, all);
  const evaluate = evaluated(parts, fitting[0]?.costs);
  return (frame) => {
    const values = evaluate(frame);
    const overload =
      fitting.length === 1 && only !== undefined && takes(only, values)
        ? only
        : all.find((each) => takes(each, values));
    if (overload === undefined) {
      frame.charge(1);
      throw noOverload(all.length > 1 ? name : '');
    }
    const { costs } = overload;
    try {
      const result = overload.call(values);
      frame.charge(costs === undefined ? 1 : costs.run(values, result));
      return result;
    } catch (error) {
      // What fails has cost something as well.
      if (error instanceof EvaluationError) frame.charge(costs === undefined ? 1 : costs.run(values, null));
      throw error;
    }
  };
}

/** The arguments. A call whose argument has no value has cost something as well. */
function evaluated(parts: readonly Run[], costs: Costs | undefined): (frame: Frame) => readonly Value[] {
  return (frame) => {
    const values = new Array<Value>(parts.length).fill(true);
    let problem: EvaluationError | undefined;
    for (const [index, part] of parts.entries()) {
      try {
        values[index] = part(frame);
      } catch (error) {
        if (!(error instanceof EvaluationError)) throw error;
        problem ??= error;
        // Of two arguments both are looked at, of more none after the first without a value.
        if (parts.length > 2) break;
      }
    }
    if (problem === undefined) return values;
    frame.charge(costs === undefined ? 1 : costs.run(values, true));
    throw problem;
  };
}

function indexing([container, key]: readonly Expression[], planning: Planning): Run {
  if (container === undefined || key === undefined) return unplannable('_[_]');
  const of = planOperand(container, planning);
  const by = planBranch(key, planning);
  return (frame) => {
    const value = of(frame);
    const index = by(frame);
    frame.charge(1);
    if (!(value instanceof Optional)) return elementAt(value, index);
    const found = value.value === undefined ? undefined : elementIfAny(value.value, index);
    return found === undefined ? Optional.none : Optional.of(found);
  };
}

function optionalIndexing([container, key]: readonly Expression[], planning: Planning): Run {
  if (container === undefined || key === undefined) return unplannable('_[?_]');
  const of = planOperand(container, planning);
  const by = planBranch(key, planning);
  return (frame) => {
    const value = of(frame);
    const index = by(frame);
    const subject = value instanceof Optional ? value.value : value;
    const found = subject === undefined ? undefined : elementIfAny(subject, index);
    if (found === undefined) return Optional.none;
    frame.charge(1);
    return Optional.of(found);
  };
}

function isConstantList(expression: Expression | undefined): boolean {
  return (
    expression?.kind === 'list' &&
    expression.elements.length > 0 &&
    expression.elements.every((element) => element.kind === 'constant' && isKey(element.value))
  );
}

/** What may stand as a key in a map, and numbers. */
function isKey(value: Value): boolean {
  return value !== null && (typeof value !== 'object' || value instanceof Uint);
}

/** In a list of literals a value is looked up, which costs nothing. */
function membership([value, list]: readonly Expression[], planning: Planning): Run {
  if (value === undefined || list?.kind !== 'list') return unplannable('@in');
  const of = plan(value, planning);
  const known = new Set(list.elements.map((element) => (element.kind === 'constant' ? keyOf(element.value) : '')));
  return (frame) => {
    const wanted = of(frame);
    return isKey(wanted) && known.has(keyOf(wanted));
  };
}

function addition([left, right]: readonly Run[], all: readonly Overload[]): Run {
  if (left === undefined || right === undefined) return unplannable('_+_');
  return (frame) => {
    const values = [left(frame), right(frame)];
    const result = add(values[0] as Value, values[1] as Value);
    frame.charge(typeof result === 'string' || result instanceof Uint8Array ? costOf(all, values, result) : 1);
    return result;
  };
}

function costOf(all: readonly Overload[], values: readonly Value[], result: Value): number {
  return all.find((overload) => takes(overload, values))?.costs?.run(values, result) ?? 1;
}
