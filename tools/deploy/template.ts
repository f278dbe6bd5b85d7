/** An object with places that are filled in when somebody installs: worked out here, or written for Helm. Pure. */
import { type Expression, evaluate, isEmpty, isExpression, isMarked, type Scope } from './expression.ts';

export type Template = Scalar | Expression | readonly Template[] | TemplateMap | When | Each | Joined;
type Scalar = string | number | boolean;

export interface TemplateMap {
  readonly [key: string]: Template;
}

/** Stands in a list, in a map or for an object: where the condition is empty the other, or nothing. */
export interface When {
  readonly $: 'when';
  readonly condition: Expression;
  readonly then: Template;
  readonly otherwise?: Template;
}

/** Stands in a list or for objects: once for every item. */
export interface Each {
  readonly $: 'each';
  readonly over: Expression;
  readonly as: string;
  readonly body: Template;
}

/** A map with what somebody gives besides, under other keys. */
export interface Joined {
  readonly $: 'joined';
  readonly own: TemplateMap;
  readonly more: Expression;
}

export function when(condition: Expression, then: Template): When {
  return { $: 'when', condition, then };
}

/** What is given, or else the other. */
export function given(value: Expression, otherwise: Template): When {
  return { ...when(value, value), otherwise };
}

export function joined(own: TemplateMap, more: Expression): Joined {
  return { $: 'joined', own, more };
}

export function each(over: Expression, as: string, body: Template): Each {
  return { $: 'each', over, as, body };
}

export function isWhen(node: Template): node is When {
  return isMarked(node) && node.$ === 'when';
}

export function isEach(node: Template): node is Each {
  return isMarked(node) && node.$ === 'each';
}

export function isJoined(node: Template): node is Joined {
  return isMarked(node) && node.$ === 'joined';
}

export function isList(node: Template): node is readonly Template[] {
  return Array.isArray(node);
}

/** Without any place that is left to fill in. */
export type Plain = Scalar | null | readonly Plain[] | { readonly [key: string]: Plain };

/** What it comes to in one installation: nothing, one, or several. */
export function filledIn(node: Template, scope: Scope): readonly Plain[] {
  if (isWhen(node)) {
    const { condition, then, otherwise } = node;
    if (!isEmpty(evaluate(condition, scope))) return filledIn(then, scope);
    return otherwise === undefined ? [] : filledIn(otherwise, scope);
  }
  if (isJoined(node)) {
    const more = (evaluate(node.more, scope) ?? {}) as { readonly [key: string]: Plain };
    return filledIn(node.own, scope).map((own) => ({ ...(own as typeof more), ...more }));
  }
  if (isEach(node)) {
    const over = evaluate(node.over, scope);
    const items = Array.isArray(over) ? (over as readonly unknown[]) : [];
    return items.flatMap((one) => filledIn(node.body, { ...scope, items: { ...scope.items, [node.as]: one } }));
  }
  if (isExpression(node)) return [(evaluate(node, scope) ?? null) as Plain];
  if (isList(node)) return [node.flatMap((one) => filledIn(one, scope))];
  if (typeof node !== 'object') return [node];
  const members = Object.entries(node as TemplateMap).flatMap(([key, inner]) => {
    const [plain] = filledIn(inner, scope);
    return plain === undefined ? [] : [[key, plain] as const];
  });
  return [Object.fromEntries(members)];
}
