import type { Expression } from '../syntax/tree.ts';
import { Entries, Values } from '../values/collections.ts';
import type { Value } from '../values/value.ts';

/**
 * The value of an expression that is the same in every run: literals, lists and maps of them, and literals that are converted.
 * These cost nothing when they run, as upstream has it. Undefined for all else; throws what a conversion throws.
 */
export function constantOf(expression: Expression, convert: (name: string, value: Value) => Value): Value | undefined {
  switch (expression.kind) {
    case 'constant':
      return expression.value;
    case 'list': {
      if (expression.optional.size > 0) return undefined;
      const values = constantsOf(expression.elements, convert);
      return values === undefined ? undefined : new Values(values);
    }
    case 'map': {
      if (expression.entries.some(({ optional }) => optional)) return undefined;
      const keys = constantsOf(
        expression.entries.map(({ key }) => key),
        convert,
      );
      const values = constantsOf(
        expression.entries.map(({ value }) => value),
        convert,
      );
      if (keys === undefined || values === undefined) return undefined;
      return new Entries(keys.map((key, index) => [key, values[index] ?? null]));
    }
    case 'call': {
      const { target, name, args } = expression;
      if (target !== undefined || args.length !== 1 || !conversions.has(name)) return undefined;
      const [argument] = constantsOf(args, convert) ?? [];
      return argument === undefined ? undefined : convert(name, argument);
    }
    default:
      return undefined;
  }
}

const conversions: ReadonlySet<string> = new Set(
  'bool bytes double duration dyn int string timestamp type uint'.split(' '),
);

function constantsOf(
  expressions: readonly Expression[],
  convert: (name: string, value: Value) => Value,
): readonly Value[] | undefined {
  const values: Value[] = [];
  for (const expression of expressions) {
    const value = constantOf(expression, convert);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}
