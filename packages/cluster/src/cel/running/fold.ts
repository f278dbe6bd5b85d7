import { isBinding } from '../costs/estimate.ts';
import { noOverload } from '../library/overload.ts';
import type { Expression, Fold } from '../syntax/tree.ts';
import { Entries, Growing } from '../values/collections.ts';
import { EvaluationError, List, Mapping, type Value } from '../values/value.ts';
import type { Frame, Run } from './frame.ts';
import { type Planning, plan } from './plan.ts';

interface Parts {
  readonly range: Run;
  readonly initial: Run;
  readonly condition: Run;
  readonly step: Run;
  readonly result: Run;
  readonly gathered: number;
  readonly variable: number;
  readonly second: number | undefined;
  /** What one element settles for all: false of `all`, true of `exists`. Until then an error is kept back. */
  readonly settling: boolean | undefined;
}

export function planFold(fold: Fold, planning: Planning): Run {
  const gathered = planning.slots.count++;
  const variable = planning.slots.count++;
  const second = fold.second === undefined ? undefined : planning.slots.count++;
  const outer = planning.places;
  const withResult = { ...planning, places: new Map([...outer, [fold.accumulator, gathered] as const]) };
  if (isBinding(fold)) return binding(plan(fold.initial, planning), plan(fold.result, withResult), gathered);
  const inner = new Map([...withResult.places, [fold.variable, variable] as const]);
  if (fold.second !== undefined && second !== undefined) inner.set(fold.second, second);
  const withVariables = { ...planning, places: inner };
  const grows = appended(fold.step, fold.accumulator) !== undefined;
  return looping({
    range: plan(fold.range, planning),
    initial: startOf(fold.initial, plan(fold.initial, planning), { grows }),
    condition: plan(fold.condition, withVariables),
    step: grows ? planGrowing(fold, withVariables) : plan(fold.step, withVariables),
    result: plan(fold.result, withResult),
    gathered,
    variable,
    second,
    settling: settlingOf(fold.step),
  });
}

function settlingOf(step: Expression): boolean | undefined {
  if (step.kind !== 'call') return undefined;
  return step.name === '_&&_' ? false : step.name === '_||_' ? true : undefined;
}

/** The value is looked at when it is first asked for; here it always is. */
function binding(initial: Run, result: Run, place: number): Run {
  return (frame) => {
    const value = initial(frame);
    const before = frame.slots[place];
    frame.slots[place] = value;
    try {
      return result(frame);
    } finally {
      frame.slots[place] = before as Value;
    }
  };
}

/** A map that a macro makes is made in place, so each run begins one of its own. */
function startOf(initial: Expression, run: Run, { grows }: { readonly grows: boolean }): Run {
  if (initial.kind === 'list' && grows) {
    return (frame) => {
      run(frame);
      return new Growing();
    };
  }
  return initial.kind === 'map' && initial.entries.length === 0 ? () => new Entries() : run;
}

/** The element that a step adds to what was gathered, when it does nothing else. */
function appended(step: Expression, accumulator: string): Expression | undefined {
  if (step.kind !== 'call') return undefined;
  if (step.name === '_?_:_') {
    const [, yes, no] = step.args;
    const isKept = no?.kind === 'identifier' && no.name === accumulator;
    return isKept && yes !== undefined ? appended(yes, accumulator) : undefined;
  }
  const [left, right] = step.args;
  if (step.name !== '_+_' || left?.kind !== 'identifier' || left.name !== accumulator) return undefined;
  return right?.kind === 'list' && right.elements.length === 1 && right.optional.size === 0
    ? right.elements[0]
    : undefined;
}

/** Pushes instead of making a new list with every element; it costs the same. */
function planGrowing({ step, accumulator }: Fold, planning: Planning): Run {
  const element = appended(step, accumulator);
  const place = planning.places.get(accumulator) ?? 0;
  if (element === undefined || step.kind !== 'call') return plan(step, planning);
  const value = plan(element, planning);
  const isConstant = element.kind === 'constant';
  const push = (frame: Frame): Value => {
    const grown = frame.slots[place];
    // The accumulator, the list and the addition.
    frame.charge(1);
    const next = value(frame);
    frame.charge(isConstant ? 1 : 11);
    if (grown instanceof Growing) grown.push(next);
    return grown as Value;
  };
  if (step.name !== '_?_:_') return push;
  const [filter] = step.args;
  const passes = filter === undefined ? undefined : plan(filter, planning);
  return (frame) => {
    const passed = passes?.(frame);
    if (typeof passed !== 'boolean') throw noOverload();
    return passed ? push(frame) : (frame.slots[place] as Value);
  };
}

/** Macros may stand within themselves, so what a place held before is put back. */
function looping(parts: Parts): Run {
  const { range, initial, result, gathered, variable, second } = parts;
  return (frame) => {
    const over = range(frame);
    const { slots } = frame;
    const before = [slots[gathered], slots[variable], second === undefined ? undefined : slots[second]];
    slots[gathered] = initial(frame);
    try {
      if (over instanceof List) overList(over, { frame, parts });
      else if (over instanceof Mapping) overMap(over, { frame, parts });
      else throw new EvaluationError('unsupported comprehension range type');
      const made = slots[gathered];
      if (made instanceof Growing) slots[gathered] = made.done();
      return result(frame);
    } finally {
      slots[gathered] = before[0] as Value;
      slots[variable] = before[1] as Value;
      if (second !== undefined) slots[second] = before[2] as Value;
    }
  };
}

interface Looping {
  readonly frame: Frame;
  readonly parts: Parts;
}

function overList(list: List, { frame, parts }: Looping): void {
  const { variable, second } = parts;
  let problem: EvaluationError | undefined;
  for (let index = 0; index < list.length; index++) {
    frame.slots[second ?? variable] = list.at(index);
    if (second !== undefined) frame.slots[variable] = BigInt(index);
    if (parts.condition(frame) !== true) break;
    problem = gather(frame, parts, problem);
  }
  unlessSettled(frame, parts, problem);
}

function overMap(map: Mapping, { frame, parts }: Looping): void {
  const { variable, second } = parts;
  let problem: EvaluationError | undefined;
  for (const key of map.keys()) {
    frame.slots[variable] = key;
    if (second !== undefined) frame.slots[second] = map.get(key) ?? null;
    if (parts.condition(frame) !== true) break;
    problem = gather(frame, parts, problem);
  }
  unlessSettled(frame, parts, problem);
}

/** Where a later element may settle the question, an error waits; otherwise it ends the loop. */
function gather(
  ...[frame, { step, gathered, settling }, problem]: readonly [Frame, Parts, EvaluationError | undefined]
): EvaluationError | undefined {
  if (settling === undefined) {
    frame.slots[gathered] = step(frame);
    return undefined;
  }
  try {
    frame.slots[gathered] = step(frame);
    return problem;
  } catch (error) {
    if (error instanceof EvaluationError) return problem ?? error;
    throw error;
  }
}

function unlessSettled(
  ...[frame, { gathered, settling }, problem]: readonly [Frame, Parts, EvaluationError | undefined]
): void {
  if (problem !== undefined && frame.slots[gathered] !== settling) throw problem;
}
