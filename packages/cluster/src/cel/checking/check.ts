import type { Environment } from '../environment.ts';
import type { Overload } from '../library/overload.ts';
import type { Problem } from '../syntax/problem.ts';
import type {
  Call,
  Expression,
  Fold,
  Identifier,
  ListLiteral,
  MapLiteral,
  Select,
  StructLiteral,
} from '../syntax/tree.ts';
import { assignAll, type Bindings, isSameType, join, substitute } from '../types/assign.ts';
import {
  bool,
  dyn,
  errorType,
  first,
  formatType,
  int,
  isDyn,
  listOf,
  mapOf,
  optionalOf,
  parameter,
  second,
  string,
  type Type,
  typeOf,
} from '../types/type.ts';
import { typeOfConstant } from './constant.ts';
import { literalProblems } from './literals.ts';
import { resolve } from './resolve.ts';

/** What the checker found out of an expression without problems. */
export interface Checked {
  readonly expression: Expression;
  readonly type: Type;
  readonly types: ReadonlyMap<Expression, Type>;
  /** What a call may mean, given the types of its arguments. */
  readonly overloads: ReadonlyMap<Expression, readonly Overload[]>;
  /** Expressions that are one dotted name: of a variable, a type, or a function's room. */
  readonly names: ReadonlyMap<Expression, string>;
  /** Calls whose target is a room of functions: `sets.contains(…)`. */
  readonly functions: ReadonlyMap<Expression, string>;
}

export function check(
  expression: Expression,
  environment: Environment,
): Checked | { readonly problems: readonly Problem[] } {
  const checker = new Checker(environment);
  const type = checker.type(expression);
  const { problems } = checker;
  if (problems.length === 0) problems.push(...literalProblems(expression, checker.found()));
  return problems.length > 0 ? { problems } : { expression, type: checker.settled(type), ...checker.found() };
}

export type Found = Omit<Checked, 'expression' | 'type'>;

class Checker {
  readonly problems: Problem[] = [];
  readonly #environment: Environment;
  readonly #types = new Map<Expression, Type>();
  readonly #overloads = new Map<Expression, readonly Overload[]>();
  readonly #names = new Map<Expression, string>();
  readonly #functions = new Map<Expression, string>();
  readonly #scopes: Map<string, Type>[] = [];
  #bindings: Bindings = new Map();
  #fresh = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  found(): Found {
    for (const [expression, type] of this.#types) this.#types.set(expression, this.settled(type));
    return { types: this.#types, overloads: this.#overloads, names: this.#names, functions: this.#functions };
  }

  settled(type: Type): Type {
    return substitute(this.#bindings, type, { rest: dyn });
  }

  type(expression: Expression): Type {
    const type = this.#check(expression);
    this.#types.set(expression, type);
    return type;
  }

  #check(expression: Expression): Type {
    switch (expression.kind) {
      case 'constant':
        return typeOfConstant(expression.value);
      case 'identifier':
        return this.#identifier(expression);
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'struct':
        return this.#struct(expression);
      case 'fold':
        return this.#fold(expression);
      default:
        return expression satisfies never;
    }
  }

  #problem(at: number, text: string): Type {
    this.problems.push({ at, text });
    return errorType;
  }

  #variable(name: string): Type | undefined {
    for (let index = this.#scopes.length - 1; index >= 0; index--) {
      const found = this.#scopes[index]?.get(name);
      if (found !== undefined) return found;
    }
    return this.#outermost(name);
  }

  /** A leading dot passes over the variables of macros. */
  #outermost(name: string): Type | undefined {
    const plain = name.replace(/^\./, '');
    const variable = this.#environment.variables.get(plain)?.type;
    if (variable !== undefined) return variable;
    const type = this.#environment.types.get(plain);
    return type === undefined ? undefined : typeOf(type);
  }

  #identifier(expression: Identifier): Type {
    const { name, at } = expression;
    const type = this.#variable(name);
    if (type === undefined) return this.#problem(at, `undeclared reference to '${name}' (in container '')`);
    this.#names.set(expression, name);
    return type;
  }

  #select(expression: Select): Type {
    const { operand, field, at, tests } = expression;
    const name = tests ? undefined : this.#qualified(expression);
    if (name !== undefined) {
      const type = this.#variable(name);
      if (type !== undefined) {
        this.#names.set(expression, name);
        return type;
      }
    }
    const found = this.#field(this.type(operand), { field, at });
    return tests ? bool : found;
  }

  /** `a.b.c` as one name, where it starts at no variable of a macro. */
  #qualified({ operand, field }: Select): string | undefined {
    const before = nameOf(operand);
    if (before === undefined) return undefined;
    const [root = ''] = before.split('.');
    if (this.#scopes.some((scope) => scope.has(root))) return undefined;
    const whole = `${before}.${field}`;
    const { variables } = this.#environment;
    // A variable with a dot in its name comes before a field of a shorter one: `authorizer.requestResource`.
    return variables.has(root) && !variables.has(whole) ? undefined : whole;
  }

  #field(operand: Type, { field, at }: { readonly field: string; readonly at: number }): Type {
    const target = substitute(this.#bindings, operand);
    switch (target.kind) {
      case 'optional':
        return optionalOf(this.#field(first(target), { field, at }));
      case 'map':
        return second(target);
      case 'object':
        return target.field?.(field) ?? this.#problem(at, `undefined field '${field}'`);
      case 'error':
      case 'dyn':
        return dyn;
      case 'parameter': {
        // Nothing is known of it yet, and nothing will be.
        this.#bindings.set(target.name, dyn);
        return dyn;
      }
      case 'opaque':
        return this.#problem(at, `unexpected failed resolution of '${formatType(target)}'`);
      default:
        return this.#problem(at, `type '${formatType(target)}' does not support field selection`);
    }
  }

  #call(expression: Call): Type {
    const { target, name, args, at } = expression;
    if (name === '_?._') return this.#optionalField(expression);
    const room = target === undefined ? undefined : nameOf(target);
    const roomName = room === undefined ? undefined : `${room}.${name}`;
    if (
      roomName !== undefined &&
      this.#environment.functions.has(roomName) &&
      this.#variable(room ?? '') === undefined
    ) {
      this.#functions.set(expression, roomName);
      return this.#resolve(expression, { name: roomName, types: args.map((arg) => this.type(arg)), isMember: false });
    }
    if (!this.#environment.functions.has(name)) {
      for (const arg of args) this.type(arg);
      if (target !== undefined) this.type(target);
      return this.#problem(at, `undeclared reference to '${name}' (in container '')`);
    }
    const types = args.map((arg) => this.type(arg));
    if (name === '_&&_' || name === '_||_') return this.#logic(expression, types);
    if (target === undefined) return this.#resolve(expression, { name, types, isMember: false });
    return this.#resolve(expression, { name, types: [this.type(target), ...types], isMember: true });
  }

  /** Each side is told of by itself. */
  #logic(expression: Call, types: readonly Type[]): Type {
    for (const [index, type] of types.entries()) {
      const learnt = assignAll(this.#bindings, [bool], [type]);
      if (learnt !== undefined) this.#bindings = learnt;
      else
        this.#problem(
          expression.args[index]?.at ?? expression.at,
          `expected type 'bool' but found '${formatType(this.settled(type))}'`,
        );
    }
    this.#overloads.set(expression, this.#environment.functions.get(expression.name) ?? []);
    return bool;
  }

  #optionalField(expression: Call): Type {
    const [operand, field] = expression.args;
    if (operand === undefined || field?.kind !== 'constant' || typeof field.value !== 'string') return errorType;
    this.#types.set(field, string);
    const { at } = expression;
    const target = substitute(this.#bindings, this.type(operand));
    const inner = target.kind === 'optional' ? first(target) : target;
    const found = this.#field(inner, { field: field.value, at });
    this.#overloads.set(expression, this.#environment.functions.get('_?._') ?? []);
    return optionalOf(found);
  }

  #resolve(
    expression: Call,
    { name, types, isMember }: { name: string; types: readonly Type[]; isMember: boolean },
  ): Type {
    const resolved = resolve(this.#environment.functions.get(name) ?? [], {
      types,
      isMember,
      bindings: this.#bindings,
      fresh: () => ++this.#fresh,
    });
    if (resolved === undefined) {
      const shown = types.map((type) => formatType(substitute(this.#bindings, type, { rest: dyn })));
      const signature = isMember ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
      return this.#problem(expression.at, `found no matching overload for '${name}' applied to '${signature}'`);
    }
    this.#bindings = resolved.bindings;
    this.#overloads.set(expression, resolved.overloads);
    return resolved.result;
  }

  #join(left: Type | undefined, right: Type): Type {
    if (left === undefined) return right;
    const joined = join(this.#bindings, left, right);
    if (joined === undefined) return dyn;
    this.#bindings = joined.learnt;
    return joined.type;
  }

  #list({ elements, optional }: ListLiteral): Type {
    let element: Type | undefined;
    for (const [index, each] of elements.entries()) {
      const type = this.type(each);
      element = this.#join(element, optional.has(index) ? this.#unwrapped(type, each) : type);
    }
    return listOf(element ?? this.#parameter());
  }

  #unwrapped(type: Type, { at }: Expression): Type {
    const target = substitute(this.#bindings, type);
    if (target.kind === 'optional') return first(target);
    if (isDyn(target)) return dyn;
    return this.#problem(at, `expected type '${formatType(optionalOf(target))}' but found '${formatType(target)}'`);
  }

  #map({ entries }: MapLiteral): Type {
    let key: Type | undefined;
    let value: Type | undefined;
    for (const entry of entries) {
      key = this.#join(key, this.type(entry.key));
      const type = this.type(entry.value);
      value = this.#join(value, entry.optional ? this.#unwrapped(type, entry.value) : type);
    }
    return mapOf(key ?? this.#parameter(), value ?? this.#parameter());
  }

  #parameter(): Type {
    return parameter(`_${++this.#fresh}`);
  }

  #struct({ name, fields, at }: StructLiteral): Type {
    const type = this.#environment.struct?.(name.replace(/^\./, ''));
    for (const { name: field, value, at: fieldAt, optional } of fields) {
      const given = this.type(value);
      if (type === undefined) continue;
      const wanted = type.field?.(field);
      if (wanted === undefined) this.#problem(fieldAt, `undefined field '${field}'`);
      else this.#assign(wanted, { given: optional ? this.#unwrapped(given, value) : given, field, at: fieldAt });
    }
    return type ?? this.#problem(at, `undeclared reference to '${name}' (in container '')`);
  }

  #assign(wanted: Type, { given, field, at }: { given: Type; field: string; at: number }): void {
    const learnt = assignAll(this.#bindings, [wanted], [given]);
    if (learnt !== undefined) this.#bindings = learnt;
    else
      this.#problem(
        at,
        `expected type of field '${field}' is '${formatType(wanted)}' but provided type is '${formatType(this.settled(given))}'`,
      );
  }

  #fold({ range, variable, second: other, accumulator, ...parts }: Fold): Type {
    const over = substitute(this.#bindings, this.type(range));
    const accumulated = this.type(parts.initial);
    const scope = new Map<string, Type>([[accumulator, accumulated]]);
    this.#scopes.push(scope);
    const [one, two] = this.#variables(over, { at: range.at, isPair: other !== undefined });
    scope.set(variable, one);
    if (other !== undefined) scope.set(other, two);
    this.#expect(bool, parts.condition);
    const step = this.type(parts.step);
    const learnt = assignAll(this.#bindings, [accumulated], [step]);
    if (learnt !== undefined) this.#bindings = learnt;
    else if (!isSameType(accumulated, step))
      this.#problem(
        parts.step.at,
        `expected type '${formatType(this.settled(accumulated))}' but found '${formatType(this.settled(step))}'`,
      );
    scope.delete(variable);
    const result = this.type(parts.result);
    this.#scopes.pop();
    return result;
  }

  #variables(over: Type, { at, isPair }: { at: number; isPair: boolean }): readonly [Type, Type] {
    switch (over.kind) {
      case 'list':
        return isPair ? [int, first(over)] : [first(over), dyn];
      case 'map':
        return [first(over), second(over)];
      case 'dyn':
      case 'error':
        return [dyn, dyn];
      case 'parameter':
        this.#bindings.set(over.name, dyn);
        return [dyn, dyn];
      default:
        this.#problem(
          at,
          `expression of type '${formatType(over)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [errorType, errorType];
    }
  }

  #expect(wanted: Type, expression: Expression): void {
    const type = this.type(expression);
    const learnt = assignAll(this.#bindings, [wanted], [type]);
    if (learnt !== undefined) this.#bindings = learnt;
    else
      this.#problem(
        expression.at,
        `expected type '${formatType(wanted)}' but found '${formatType(this.settled(type))}'`,
      );
  }
}

/** Plain names with dots between them. */
function nameOf(expression: Expression): string | undefined {
  if (expression.kind === 'identifier') return expression.name.replace(/^\./, '');
  if (expression.kind !== 'select' || expression.tests) return undefined;
  const before = nameOf(expression.operand);
  return before === undefined ? undefined : `${before}.${expression.field}`;
}
