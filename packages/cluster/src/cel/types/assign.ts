import { dyn, isDyn, type Type } from './type.ts';

/** What the parameters of types (`A` in `list(A)`) were found to stand for. */
export type Bindings = Map<string, Type>;

/** Whether a value of one type may stand where another is wanted. What is learnt of parameters is kept only if so. */
export function assignAll(bindings: Bindings, wanted: readonly Type[], given: readonly Type[]): Bindings | undefined {
  if (wanted.length !== given.length) return undefined;
  const learnt = new Map(bindings);
  return wanted.every((type, index) => assign(learnt, type, given[index] ?? dyn)) ? learnt : undefined;
}

function assign(bindings: Bindings, wanted: Type, given: Type): boolean {
  const left = bound(bindings, wanted);
  const right = bound(bindings, given);
  if (left === right) return true;
  if (left.kind === 'parameter') return bind(bindings, { name: left.name, type: right, wanted: left });
  if (right.kind === 'parameter') return bind(bindings, { name: right.name, type: left, wanted: right });
  if (isDyn(left) || isDyn(right)) return true;
  // Whatever has fields may be null.
  if (right.kind === 'null' && mayBeNull(left)) return true;
  if (left.kind === 'null' && mayBeNull(right)) return true;
  if (left.kind !== right.kind || left.name !== right.name) return false;
  if (left.kind === 'type') return true;
  return left.parameters.every((inner, index) => {
    const other = right.parameters[index];
    return other !== undefined && assignWithin(bindings, inner, other);
  });
}

/** Within a container a parameter that stands for something narrower is widened. */
function assignWithin(bindings: Bindings, wanted: Type, given: Type): boolean {
  return assign(bindings, wanted, given);
}

function mayBeNull({ kind }: Type): boolean {
  return kind === 'object' || kind === 'opaque' || kind === 'timestamp' || kind === 'duration';
}

function bound(bindings: Bindings, type: Type): Type {
  let found = type;
  while (found.kind === 'parameter') {
    const next = bindings.get(found.name);
    if (next === undefined || next === found) return found;
    found = next;
  }
  return found;
}

function bind(bindings: Bindings, { name, type, wanted }: { name: string; type: Type; wanted: Type }): boolean {
  if (type.kind === 'parameter' && type.name === name) return true;
  if (contains(bindings, type, wanted)) return false;
  bindings.set(name, type);
  return true;
}

function contains(bindings: Bindings, type: Type, wanted: Type): boolean {
  return type.parameters.some((inner) => {
    const found = bound(bindings, inner);
    return (found.kind === 'parameter' && found.name === wanted.name) || contains(bindings, found, wanted);
  });
}

export interface SubstituteOptions {
  /** What a parameter becomes that stands for nothing; itself when absent. */
  readonly rest?: Type;
}

export function substitute(bindings: Bindings, type: Type, { rest }: SubstituteOptions = {}): Type {
  const found = bound(bindings, type);
  if (found.kind === 'parameter') return rest ?? found;
  if (found.parameters.length === 0) return found;
  const parameters = found.parameters.map((inner) =>
    substitute(bindings, inner, { ...(rest !== undefined && { rest }) }),
  );
  return parameters.every((inner, index) => inner === found.parameters[index]) ? found : { ...found, parameters };
}

/** The type of elements of both: the wider one, or any at all. */
export function join(
  bindings: Bindings,
  left: Type,
  right: Type,
): { readonly type: Type; readonly learnt: Bindings } | undefined {
  const learnt = assignAll(bindings, [left], [right]);
  if (learnt === undefined) return undefined;
  return { type: isDyn(bound(bindings, left)) ? left : isDyn(bound(bindings, right)) ? right : left, learnt };
}

export function isSameType(left: Type, right: Type): boolean {
  if (left === right) return true;
  return (
    left.kind === right.kind &&
    left.name === right.name &&
    left.parameters.length === right.parameters.length &&
    left.parameters.every((inner, index) => isSameType(inner, right.parameters[index] ?? dyn))
  );
}
