import type { Expression } from './tree.ts';

/** The expressions directly within one. */
export function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'constant':
    case 'identifier':
      return [];
    case 'select':
      return [expression.operand];
    case 'call':
      return expression.target === undefined ? expression.args : [expression.target, ...expression.args];
    case 'list':
      return expression.elements;
    case 'map':
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return expression.fields.map(({ value }) => value);
    case 'fold':
      return [expression.range, expression.initial, expression.condition, expression.step, expression.result];
    default:
      return expression satisfies never;
  }
}
