import type { Checked } from '../checking/check.ts';
import type { Sized } from '../environment.ts';
import type { Overload } from '../library/overload.ts';
import type { Call, Expression, Fold } from '../syntax/tree.ts';
import { dyn, first, type Type } from '../types/type.ts';
import { characterCount } from '../values/text.ts';
import { either, exactly, most, one, plus, type Range, times, unknownSize, zero } from './range.ts';
import { choiceSize, type Estimate, type EstimatedCall, type EstimatedValue } from './rules.ts';

/**
 * What an expression costs at least and at most, as upstream estimates it when a rule is written: from the sizes that the
 * schema allows. `root` is where sizes of the variables are looked up.
 */
export function estimate(checked: Checked, root?: Sized): Range {
  return new Estimator(checked, root).cost(checked.expression);
}

/** Where a value stands under the root: there, at a place that says nothing, or nowhere. */
type Place = Sized | 'lost' | undefined;

interface EntrySizes {
  readonly container: 'list' | 'map';
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly place: Place;
  readonly size: Range | undefined;
  readonly entries: EntrySizes | undefined;
}

class Estimator {
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

  cost(expression: Expression): Range {
    switch (expression.kind) {
      case 'constant':
        return zero;
      case 'identifier': {
        const local = this.#local(expression.name);
        this.#places.set(expression, local === undefined ? this.#root : local.place);
        return one;
      }
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'struct':
        return expression.fields.reduce((sum, { value }) => plus(sum, this.cost(value)), exactly(40));
      case 'fold':
        return isBinding(expression) ? this.#binding(expression) : this.#fold(expression);
      default:
        return expression satisfies never;
    }
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #within<T>(name: string, local: Local, run: () => T): T {
    const stack = this.#locals.get(name) ?? [];
    this.#locals.set(name, stack);
    stack.push(local);
    const result = run();
    stack.pop();
    return result;
  }

  #type(expression: Expression): Type {
    return this.#checked.types.get(expression) ?? dyn;
  }

  #place(expression: Expression): Place {
    const local = expression.kind === 'identifier' ? this.#local(expression.name) : undefined;
    return local === undefined ? this.#places.get(expression) : local.place;
  }

  /** One step from a place. A step from nowhere counts from the root, as upstream has it. */
  #step(place: Place, name: string): Place {
    if (place === undefined) return this.#root;
    return place === 'lost' ? 'lost' : stepFrom(place, name);
  }

  #select(expression: Expression & { readonly kind: 'select' }): Range {
    const { operand, field, tests } = expression;
    // A name with dots is one variable.
    if (this.#checked.names.has(expression)) {
      this.#places.set(expression, this.#root);
      return one;
    }
    const cost = this.cost(operand);
    if (tests) return cost;
    this.#places.set(expression, this.#step(this.#place(operand), field));
    const { kind } = this.#type(operand);
    return kind === 'map' || kind === 'object' || kind === 'parameter' ? plus(cost, one) : cost;
  }

  #call(expression: Call): Range {
    const { name, target } = expression;
    const isRoom = this.#checked.functions.has(expression);
    const args = target === undefined || isRoom ? expression.args : [target, ...expression.args];
    if (name === 'dyn') return this.#unwrapped(expression);
    const costs = args.map((arg) => this.cost(arg));
    const call: EstimatedCall = { args: args.map((arg) => this.#value(arg)) };
    const overloads = this.#checked.overloads.get(expression) ?? [];
    let range: Range = { min: most, max: 0 };
    let size: Range | undefined;
    for (const overload of overloads) {
      const estimated = this.#overload(expression, { overload, call, args, costs });
      range = either(range, estimated.cost);
      if (estimated.size !== undefined) size = size === undefined ? estimated.size : either(size, estimated.size);
      size = this.#indexed(expression, { overload, args }) ?? size;
      size ??= this.#size(expression);
    }
    if (size !== undefined) this.#sizes.set(expression, size);
    return range;
  }

  #overload(
    expression: Call,
    {
      overload,
      call,
      args,
      costs,
    }: { overload: Overload; call: EstimatedCall; args: readonly Expression[]; costs: readonly Range[] },
  ): Estimate {
    const sum = costs.reduce(plus, zero);
    const [left = zero, right = zero, last = zero] = costs;
    switch (expression.name) {
      case '_||_':
      case '_&&_':
        return { cost: { min: left.min, max: plus(left, right).max } };
      case '_?_:_':
        this.#mergeEntries(expression, [args[1], args[2]]);
        return { cost: plus(left, either(right, last)), size: choiceSize(call) };
      case '_+_':
        this.#mergeEntries(expression, args);
        break;
    }
    if (overload.costs === undefined) return { cost: plus(one, sum) };
    const { cost, size } = overload.costs.estimate(call);
    return { cost: plus(cost, sum), ...(size !== undefined && { size }) };
  }

  #mergeEntries(expression: Expression, [left, right]: readonly (Expression | undefined)[]): void {
    const a = left === undefined ? undefined : this.#entriesOf(left);
    const b = right === undefined ? undefined : this.#entriesOf(right);
    if (a === undefined || b === undefined) return;
    this.#entries.set(expression, {
      container: a.container,
      key: either(a.key, b.key),
      value: either(a.value, b.value),
    });
  }

  /** An element stands under its list or map. */
  #indexed(
    expression: Call,
    { overload, args }: { overload: Overload; args: readonly Expression[] },
  ): Range | undefined {
    const [container] = args;
    if (overload.name !== '_[_]' || container === undefined) return undefined;
    const kind = overload.parameters[0]?.kind;
    if (kind !== 'list' && kind !== 'map') return undefined;
    this.#places.set(expression, this.#step(this.#place(container), '@items'));
    return this.#entriesOf(container)?.value;
  }

  #unwrapped(expression: Call): Range {
    const [arg] = expression.args;
    if (arg === undefined) return one;
    const cost = plus(one, this.cost(arg));
    this.#copySizes(expression, arg);
    return cost;
  }

  #copySizes(to: Expression, from: Expression): void {
    const size = this.#size(from);
    if (size !== undefined) this.#sizes.set(to, size);
    const entries = this.#entriesOf(from);
    if (entries !== undefined) this.#entries.set(to, entries);
  }

  #list(expression: Expression & { readonly kind: 'list' }): Range {
    const { elements } = expression;
    let cost: Range = exactly(10);
    let size: Range = { min: elements.length === 0 ? 0 : most, max: 0 };
    for (const element of elements) {
      cost = plus(cost, this.cost(element));
      size = either(size, this.#size(element) ?? unknownSize);
    }
    this.#entries.set(expression, { container: 'list', key: one, value: size });
    return cost;
  }

  #map(expression: Expression & { readonly kind: 'map' }): Range {
    const { entries } = expression;
    const start = { min: entries.length === 0 ? 0 : most, max: 0 };
    let cost: Range = exactly(30);
    let [keys, values]: [Range, Range] = [start, start];
    for (const { key, value } of entries) {
      cost = plus(cost, plus(this.cost(key), this.cost(value)));
      keys = either(keys, this.#size(key) ?? unknownSize);
      values = either(values, this.#size(value) ?? unknownSize);
    }
    this.#entries.set(expression, { container: 'map', key: keys, value: values });
    return cost;
  }

  #binding(fold: Fold): Range {
    const { range, initial, result, accumulator } = fold;
    const before = plus(this.cost(range), this.cost(initial));
    const local = { place: this.#place(initial), size: this.#size(initial), entries: this.#entriesOf(initial) };
    const cost = this.#within(accumulator, local, () => this.cost(result));
    this.#copySizes(fold, result);
    return plus(before, cost);
  }

  #fold(fold: Fold): Range {
    const { range, initial, accumulator, condition, step, result } = fold;
    const before = plus(this.cost(range), this.cost(initial));
    const gathered = { place: this.#place(initial), size: this.#size(initial), entries: this.#entriesOf(initial) };
    const [perElement, after] = this.#within(accumulator, gathered, () => {
      const each = this.#withVariables(fold, () => plus(this.cost(condition), this.cost(step)));
      return [each, this.cost(result)];
    });
    const count = this.#size(range) ?? unknownSize;
    if (initial.kind === 'constant') {
      const size = this.#size(initial);
      if (size !== undefined) this.#sizes.set(fold, size);
    }
    if (initial.kind === 'list' || initial.kind === 'map') {
      this.#sizes.set(fold, count);
      const entries = this.#entriesOf(step);
      if (entries !== undefined) this.#entries.set(fold, entries);
    }
    return plus(plus(before, after), times(count, perElement));
  }

  #withVariables<T>({ range, variable, second }: Fold, run: () => T): T {
    const entries = this.#entriesOf(range);
    const container = entries?.container ?? this.#type(range).kind;
    const isList = container === 'list';
    const place = this.#place(range);
    const local = (name: string, size: Range | undefined): Local => ({
      place: this.#step(place, name),
      size,
      entries: undefined,
    });
    const value = local(isList ? '@items' : '@values', entries?.value);
    if (second !== undefined) {
      const key = local(isList ? '@indices' : '@keys', entries?.key);
      return this.#within(variable, key, () => this.#within(second, value, run));
    }
    return this.#within(variable, isList ? value : local('@keys', entries?.key), run);
  }

  #value(expression: Expression): EstimatedValue {
    const type = this.#type(expression);
    return {
      type,
      size: this.#size(expression) ?? unknownSize,
      ...(expression.kind === 'constant' && { constant: expression.value }),
      element: () => {
        if (type.parameters.length === 0) return undefined;
        const place = this.#place(expression);
        const inner = place === undefined ? undefined : this.#step(place, '@items');
        return {
          type: first(type),
          size: inner === undefined || inner === 'lost' ? unknownSize : { min: 0, max: inner.sizeMax },
          element: () => undefined,
        };
      },
    };
  }

  #size(expression: Expression): Range | undefined {
    const known = this.#sizes.get(expression) ?? literalSize(expression);
    if (known !== undefined) return known;
    const place = this.#place(expression);
    if (place !== undefined && place !== 'lost') {
      const size = { min: 0, max: place.sizeMax };
      this.#sizes.set(expression, size);
      return size;
    }
    if (scalars.has(this.#type(expression).kind)) return one;
    return expression.kind === 'identifier' ? this.#local(expression.name)?.size : undefined;
  }

  #entriesOf(expression: Expression): EntrySizes | undefined {
    const known = this.#entries.get(expression);
    if (known !== undefined || expression.kind !== 'identifier') return known;
    return this.#local(expression.name)?.entries;
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

/** A name for a value is a fold over nothing. */
export function isBinding({ range, condition }: Fold): boolean {
  return (
    range.kind === 'list' && range.elements.length === 0 && condition.kind === 'constant' && condition.value === false
  );
}
