import type { Expression } from './tree.ts';
import { type Visitor, visit } from './visit.ts';

const children: Visitor<readonly Expression[]> = {
  constant: () => [],
  identifier: () => [],
  select: ({ operand }) => [operand],
  call: ({ target, args }) => (target === undefined ? args : [target, ...args]),
  list: ({ elements }) => elements,
  map: ({ entries }) => entries.flatMap(({ key, value }) => [key, value]),
  struct: ({ fields }) => fields.map(({ value }) => value),
  fold: ({ range, initial, condition, step, result }) => [range, initial, condition, step, result],
};

/** The expressions directly within one. */
export function childrenOf(expression: Expression): readonly Expression[] {
  return visit(expression, children);
}
