import type {
  Call,
  Constant,
  Expression,
  Fold,
  Identifier,
  ListLiteral,
  MapLiteral,
  Select,
  StructLiteral,
} from './tree.ts';

/** What is done with each kind of expression: who goes over a tree says it once, and forgets none. */
export interface Visitor<T> {
  constant(expression: Constant): T;
  identifier(expression: Identifier): T;
  select(expression: Select): T;
  call(expression: Call): T;
  list(expression: ListLiteral): T;
  map(expression: MapLiteral): T;
  struct(expression: StructLiteral): T;
  fold(expression: Fold): T;
}

export function visit<T>(expression: Expression, visitor: Visitor<T>): T {
  switch (expression.kind) {
    case 'constant':
      return visitor.constant(expression);
    case 'identifier':
      return visitor.identifier(expression);
    case 'select':
      return visitor.select(expression);
    case 'call':
      return visitor.call(expression);
    case 'list':
      return visitor.list(expression);
    case 'map':
      return visitor.map(expression);
    case 'struct':
      return visitor.struct(expression);
    case 'fold':
      return visitor.fold(expression);
    default:
      return expression satisfies never;
  }
}
