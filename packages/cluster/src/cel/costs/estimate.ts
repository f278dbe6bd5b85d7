import type { Checked } from '../checking/checked.ts';
import type { Sized } from '../environment.ts';
import type { Overload } from '../library/overload.ts';
import type { Call, Expression, Fold, Identifier, ListLiteral, MapLiteral, Select } from '../syntax/tree.ts';
import { type Visitor, visit } from '../syntax/visit.ts';
import { first } from '../types/type.ts';
import { Known, type Local } from './known.ts';
import { either, exactly, most, one, plus, type Range, times, unknownSize, zero } from './range.ts';
import { choiceSize, type Estimate, type EstimatedCall, type EstimatedValue } from './rules.ts';

/**
 * What an expression costs at least and at most, as upstream estimates it when a rule is written: from the sizes that the
 * schema allows. `root` is where sizes of the variables are looked up.
 */
export function estimate(checked: Checked, root?: Sized): Range {
  return new Estimator(checked, root).cost(checked.expression);
}

class Estimator {
  readonly #checked: Checked;
  readonly #known: Known;
  readonly #visitor: Visitor<Range> = {
    constant: () => zero,
    identifier: (expression) => this.#identifier(expression),
    select: (expression) => this.#select(expression),
    call: (expression) => this.#call(expression),
    list: (expression) => this.#list(expression),
    map: (expression) => this.#map(expression),
    struct: ({ fields }) => fields.reduce((sum, { value }) => plus(sum, this.cost(value)), exactly(40)),
    fold: (expression) => (isBinding(expression) ? this.#binding(expression) : this.#fold(expression)),
  };

  constructor(checked: Checked, root: Sized | undefined) {
    this.#checked = checked;
    this.#known = new Known(checked, root);
  }

  cost(expression: Expression): Range {
    return visit(expression, this.#visitor);
  }

  #identifier(expression: Identifier): Range {
    const local = this.#known.local(expression.name);
    if (local === undefined) this.#known.isRoot(expression);
    else this.#known.setPlace(expression, local.place);
    return one;
  }

  #select(expression: Select): Range {
    const { operand, field, tests } = expression;
    // A name with dots is one variable.
    if (this.#checked.names.has(expression)) {
      this.#known.isRoot(expression);
      return one;
    }
    const cost = this.cost(operand);
    if (tests) return cost;
    this.#known.setPlace(expression, this.#known.step(this.#known.place(operand), field));
    const { kind } = this.#known.type(operand);
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
      size ??= this.#known.size(expression);
    }
    if (size !== undefined) this.#known.setSize(expression, size);
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
        this.#known.mergeEntries(expression, [args[1], args[2]]);
        return { cost: plus(left, either(right, last)), size: choiceSize(call) };
      case '_+_':
        this.#known.mergeEntries(expression, args);
        break;
    }
    if (overload.costs === undefined) return { cost: plus(one, sum) };
    const { cost, size } = overload.costs.estimate(call);
    return { cost: plus(cost, sum), ...(size !== undefined && { size }) };
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
    this.#known.setPlace(expression, this.#known.step(this.#known.place(container), '@items'));
    return this.#known.entriesOf(container)?.value;
  }

  #unwrapped(expression: Call): Range {
    const [arg] = expression.args;
    if (arg === undefined) return one;
    const cost = plus(one, this.cost(arg));
    this.#known.copySizes(expression, arg);
    return cost;
  }

  #list(expression: ListLiteral): Range {
    const { elements } = expression;
    let cost: Range = exactly(10);
    let size: Range = { min: elements.length === 0 ? 0 : most, max: 0 };
    for (const element of elements) {
      cost = plus(cost, this.cost(element));
      size = either(size, this.#known.size(element) ?? unknownSize);
    }
    this.#known.setEntries(expression, { container: 'list', key: one, value: size });
    return cost;
  }

  #map(expression: MapLiteral): Range {
    const { entries } = expression;
    const start = { min: entries.length === 0 ? 0 : most, max: 0 };
    let cost: Range = exactly(30);
    let [keys, values]: [Range, Range] = [start, start];
    for (const { key, value } of entries) {
      cost = plus(cost, plus(this.cost(key), this.cost(value)));
      keys = either(keys, this.#known.size(key) ?? unknownSize);
      values = either(values, this.#known.size(value) ?? unknownSize);
    }
    this.#known.setEntries(expression, { container: 'map', key: keys, value: values });
    return cost;
  }

  #binding(fold: Fold): Range {
    const { range, initial, result, accumulator } = fold;
    const before = plus(this.cost(range), this.cost(initial));
    const local = {
      place: this.#known.place(initial),
      size: this.#known.size(initial),
      entries: this.#known.entriesOf(initial),
    };
    const cost = this.#known.within(accumulator, local, () => this.cost(result));
    this.#known.copySizes(fold, result);
    return plus(before, cost);
  }

  #fold(fold: Fold): Range {
    const { range, initial, accumulator, condition, step, result } = fold;
    const before = plus(this.cost(range), this.cost(initial));
    const gathered = {
      place: this.#known.place(initial),
      size: this.#known.size(initial),
      entries: this.#known.entriesOf(initial),
    };
    const [perElement, after] = this.#known.within(accumulator, gathered, () => {
      const each = this.#withVariables(fold, () => plus(this.cost(condition), this.cost(step)));
      return [each, this.cost(result)];
    });
    const count = this.#known.size(range) ?? unknownSize;
    if (initial.kind === 'constant') {
      const size = this.#known.size(initial);
      if (size !== undefined) this.#known.setSize(fold, size);
    }
    if (initial.kind === 'list' || initial.kind === 'map') {
      this.#known.setSize(fold, count);
      const entries = this.#known.entriesOf(step);
      if (entries !== undefined) this.#known.setEntries(fold, entries);
    }
    return plus(plus(before, after), times(count, perElement));
  }

  #withVariables<T>({ range, variable, second }: Fold, run: () => T): T {
    const entries = this.#known.entriesOf(range);
    const container = entries?.container ?? this.#known.type(range).kind;
    const isList = container === 'list';
    const place = this.#known.place(range);
    const local = (name: string, size: Range | undefined): Local => ({
      place: this.#known.step(place, name),
      size,
      entries: undefined,
    });
    const value = local(isList ? '@items' : '@values', entries?.value);
    if (second !== undefined) {
      const key = local(isList ? '@indices' : '@keys', entries?.key);
      return this.#known.within(variable, key, () => this.#known.within(second, value, run));
    }
    return this.#known.within(variable, isList ? value : local('@keys', entries?.key), run);
  }

  #value(expression: Expression): EstimatedValue {
    const type = this.#known.type(expression);
    return {
      type,
      size: this.#known.size(expression) ?? unknownSize,
      ...(expression.kind === 'constant' && { constant: expression.value }),
      element: () => {
        if (type.parameters.length === 0) return undefined;
        const place = this.#known.place(expression);
        const inner = place === undefined ? undefined : this.#known.step(place, '@items');
        return {
          type: first(type),
          size: inner === undefined || inner === 'lost' ? unknownSize : { min: 0, max: inner.sizeMax },
          element: () => undefined,
        };
      },
    };
  }
}

/** A name for a value is a fold over nothing. */
export function isBinding({ range, condition }: Fold): boolean {
  return (
    range.kind === 'list' && range.elements.length === 0 && condition.kind === 'constant' && condition.value === false
  );
}
