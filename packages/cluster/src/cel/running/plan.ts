/** Turns a checked expression into functions that run it. What it costs is counted as upstream counts it. */
import type { Checked } from '../checking/checked.ts';
import { compares } from '../costs/rules.ts';
import type { Environment } from '../environment.ts';
import { noOverload } from '../library/overload.ts';
import type { Call, Expression, Select } from '../syntax/tree.ts';
import { equals } from '../values/equality.ts';
import { EvaluationError, List, Mapping, Opaque, Optional, TypeName, type Value } from '../values/value.ts';
import { invoked } from './calls.ts';
import { planFold } from './fold.ts';
import { constantOf } from './fold-constants.ts';
import type { Run } from './frame.ts';
import { both, choice, either } from './logic.ts';
import { planList, planMap, planStruct } from './makings.ts';
import { takes } from './takes.ts';

export interface Planning {
  readonly checked: Checked;
  readonly environment: Environment;
  /** Places of variables in a frame; those of macros are added as they come. */
  readonly places: ReadonlyMap<string, number>;
  /** How many places there are. */
  readonly slots: { count: number };
}

export function plan(expression: Expression, planning: Planning): Run {
  const constant = constantOf(expression, (name, value) => converted(planning, { name, value }));
  return constant === undefined ? planRun(expression, planning) : () => constant;
}

function converted(
  { environment }: Planning,
  { name, value }: { readonly name: string; readonly value: Value },
): Value {
  const overload = environment.functions.get(name)?.find((each) => !each.isMember && takes(each, [value]));
  if (overload === undefined) throw noOverload(name);
  return overload.call([value]);
}

function planRun(expression: Expression, planning: Planning): Run {
  switch (expression.kind) {
    case 'constant': {
      const { value } = expression;
      return () => value;
    }
    case 'identifier':
      return planName(expression.name, planning);
    case 'select': {
      const name = planning.checked.names.get(expression);
      return name === undefined ? planSelect(expression, planning) : planName(name, planning);
    }
    case 'call':
      return planCall(expression, planning);
    case 'list':
      return planList(expression, planning);
    case 'map':
      return planMap(expression, planning);
    case 'struct':
      return planStruct(expression, planning);
    case 'fold':
      return planFold(expression, planning);
    default:
      return expression satisfies never;
  }
}

function planName(name: string, { places, environment }: Planning): Run {
  const place = places.get(name.replace(/^\./, ''));
  if (place !== undefined) {
    return (frame) => {
      frame.charge(1);
      const value = frame.slots[place];
      if (value === undefined) throw new EvaluationError(`no such attribute(s): ${name}`);
      return value;
    };
  }
  const type = environment.types.get(name.replace(/^\./, ''));
  if (type === undefined) throw new EvaluationError(`no such attribute(s): ${name}`);
  const value = new TypeName(type.name);
  return () => value;
}

/**
 * Fields and elements of what an expression gives, not of a variable, cost one more; upstream counts them as a variable of
 * their own.
 */
export function planOperand(operand: Expression, planning: Planning): Run {
  const run = plan(operand, planning);
  if (isAttribute(operand)) return run;
  return (frame) => {
    const value = run(frame);
    frame.charge(1);
    return value;
  };
}

const attributes: ReadonlySet<string> = new Set(['_[_]', '_[?_]', '_?._', '_?_:_']);

function isAttribute(expression: Expression): boolean {
  switch (expression.kind) {
    case 'identifier':
      return true;
    case 'select':
      return !expression.tests;
    case 'call':
      return attributes.has(expression.name);
    default:
      return false;
  }
}

/** A branch of a choice, or an index, that is a variable or a part of one is looked up without being counted itself. */
export function planBranch(branch: Expression, planning: Planning): Run {
  const run = plan(branch, planning);
  if (!isAttribute(branch) || (branch.kind === 'call' && branch.name === '_?_:_')) return run;
  return (frame) => {
    const value = run(frame);
    frame.cost--;
    return value;
  };
}

function planSelect({ operand, field, tests }: Select, planning: Planning): Run {
  const of = planOperand(operand, planning);
  if (tests) return (frame) => isThere(of(frame), field);
  return (frame) => {
    const value = of(frame);
    frame.charge(1);
    return selected(value, field);
  };
}

function isThere(value: Value, field: string): boolean {
  if (value instanceof Mapping) return value.get(field) !== undefined;
  return value instanceof Optional && value.value !== undefined && isThere(value.value, field);
}

function selected(value: Value, field: string): Value {
  if (value instanceof Mapping) {
    const found = value.get(field);
    if (found !== undefined) return found;
    throw new EvaluationError(`no such key: ${field}`);
  }
  if (value instanceof Optional) return optionallySelected(value, field);
  throw new EvaluationError(
    value instanceof List ? `unsupported index type 'string' in list` : `no such key: ${field}`,
  );
}

function optionallySelected(value: Value, field: string): Value {
  const target = value instanceof Optional ? value.value : value;
  if (target === undefined) return Optional.none;
  if (!(target instanceof Mapping)) throw noOverload();
  const found = target.get(field);
  return found === undefined ? Optional.none : Optional.of(found);
}

function planCall(expression: Call, planning: Planning): Run {
  const { name, target, args } = expression;
  const isRoom = planning.checked.functions.has(expression);
  const parts = target === undefined || isRoom ? args : [target, ...args];
  if (name === '_?_:_') return planChoice(args, planning);
  if (!evaluatorsOwn.has(name)) return invoked(expression, planning);
  const [first, second] = parts.map((part) => plan(part, planning));
  switch (name) {
    case '_&&_':
      return first !== undefined && second !== undefined ? both(first, second) : unplannable(name);
    case '_||_':
      return first !== undefined && second !== undefined ? either(first, second) : unplannable(name);
    case '_==_':
    case '_!=_':
      return first !== undefined && second !== undefined
        ? equality(first, second, { wanted: name === '_==_' })
        : unplannable(name);
    case 'or':
    case 'orValue':
      if (first !== undefined && second !== undefined) return otherwise(first, second, { isValue: name === 'orValue' });
      return unplannable(name);
    case '_?._':
      return planOptionalField(expression, planning);
    default:
      return invoked(expression, planning);
  }
}

const evaluatorsOwn: ReadonlySet<string> = new Set(['_&&_', '_||_', '_==_', '_!=_', 'or', 'orValue', '_?._']);

function planChoice([condition, yes, no]: readonly Expression[], planning: Planning): Run {
  if (condition === undefined || yes === undefined || no === undefined) return unplannable('_?_:_');
  return choice(plan(condition, planning), planBranch(yes, planning), planBranch(no, planning));
}

export function unplannable(name: string): Run {
  return () => {
    throw noOverload(name);
  };
}

function equality(left: Run, right: Run, { wanted }: { readonly wanted: boolean }): Run {
  const pair: [Value, Value] = [null, null];
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    pair[0] = a;
    pair[1] = b;
    frame.charge(a instanceof Opaque ? 1 : compares.run(pair, true));
    return equals(a, b) === wanted;
  };
}

/** The second is looked at only where the first has no value. */
function otherwise(first: Run, second: Run, { isValue }: { readonly isValue: boolean }): Run {
  return (frame) => {
    const value = first(frame);
    if (!(value instanceof Optional)) throw noOverload(isValue ? 'orValue' : 'or');
    if (value.value !== undefined) return isValue ? value.value : value;
    return second(frame);
  };
}

function planOptionalField({ args: [operand, field] }: Call, planning: Planning): Run {
  if (operand === undefined || field?.kind !== 'constant' || typeof field.value !== 'string')
    return unplannable('_?._');
  const of = planOperand(operand, planning);
  const name = field.value;
  return (frame) => {
    const found = optionallySelected(of(frame), name);
    if (found !== Optional.none) frame.charge(1);
    return found;
  };
}
