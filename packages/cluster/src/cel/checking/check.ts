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
import { type Visitor, visit } from '../syntax/visit.ts';
import { isSameType } from '../types/assign.ts';
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
  second,
  string,
  type Type,
} from '../types/type.ts';
import type { Checked, Found } from './checked.ts';
import { typeOfConstant } from './constant.ts';
import { Inference } from './inference.ts';
import { literalProblems } from './literals.ts';
import { Names, nameOf } from './names.ts';
import { resolve } from './resolve.ts';

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

class Checker {
  readonly problems: Problem[] = [];
  readonly #environment: Environment;
  readonly #types = new Map<Expression, Type>();
  readonly #overloads = new Map<Expression, readonly Overload[]>();
  readonly #names = new Map<Expression, string>();
  readonly #functions = new Map<Expression, string>();
  readonly #scopes: Names;
  readonly #visitor: Visitor<Type> = {
    constant: ({ value }) => typeOfConstant(value),
    identifier: (expression) => this.#identifier(expression),
    select: (expression) => this.#select(expression),
    call: (expression) => this.#call(expression),
    list: (expression) => this.#list(expression),
    map: (expression) => this.#map(expression),
    struct: (expression) => this.#struct(expression),
    fold: (expression) => this.#fold(expression),
  };
  readonly #inference = new Inference();

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#scopes = new Names(environment);
  }

  found(): Found {
    for (const [expression, type] of this.#types) this.#types.set(expression, this.settled(type));
    return { types: this.#types, overloads: this.#overloads, names: this.#names, functions: this.#functions };
  }

  settled(type: Type): Type {
    return this.#inference.settled(type);
  }

  type(expression: Expression): Type {
    const type = visit(expression, this.#visitor);
    this.#types.set(expression, type);
    return type;
  }

  #problem(at: number, text: string): Type {
    this.problems.push({ at, text });
    return errorType;
  }

  #identifier(expression: Identifier): Type {
    const { name, at } = expression;
    const type = this.#scopes.typeOf(name);
    if (type === undefined) return this.#problem(at, `undeclared reference to '${name}' (in container '')`);
    this.#names.set(expression, name);
    return type;
  }

  #select(expression: Select): Type {
    const { operand, field, at, tests } = expression;
    const name = tests ? undefined : this.#scopes.qualified(expression);
    const type = name === undefined ? undefined : this.#scopes.typeOf(name);
    if (name !== undefined && type !== undefined) {
      this.#names.set(expression, name);
      return type;
    }
    const found = this.#field(this.type(operand), { field, at });
    return tests ? bool : found;
  }

  #field(operand: Type, { field, at }: { readonly field: string; readonly at: number }): Type {
    const target = this.#inference.known(operand);
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
      case 'parameter':
        this.#inference.giveUp(target);
        return dyn;
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
      this.#scopes.typeOf(room ?? '') === undefined
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
      if (!this.#inference.takes(bool, type))
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
    const target = this.#inference.known(this.type(operand));
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
      bindings: this.#inference.bindings,
      fresh: () => this.#inference.fresh(),
    });
    if (resolved === undefined) {
      const shown = types.map((type) => formatType(this.settled(type)));
      const signature = isMember ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
      return this.#problem(expression.at, `found no matching overload for '${name}' applied to '${signature}'`);
    }
    this.#inference.bindings = resolved.bindings;
    this.#overloads.set(expression, resolved.overloads);
    return resolved.result;
  }

  #list({ elements, optional }: ListLiteral): Type {
    let element: Type | undefined;
    for (const [index, each] of elements.entries()) {
      const type = this.type(each);
      element = this.#inference.join(element, optional.has(index) ? this.#unwrapped(type, each) : type);
    }
    return listOf(element ?? this.#inference.unknown());
  }

  #unwrapped(type: Type, { at }: Expression): Type {
    const target = this.#inference.known(type);
    if (target.kind === 'optional') return first(target);
    if (isDyn(target)) return dyn;
    return this.#problem(at, `expected type '${formatType(optionalOf(target))}' but found '${formatType(target)}'`);
  }

  #map({ entries }: MapLiteral): Type {
    let key: Type | undefined;
    let value: Type | undefined;
    for (const entry of entries) {
      key = this.#inference.join(key, this.type(entry.key));
      const type = this.type(entry.value);
      value = this.#inference.join(value, entry.optional ? this.#unwrapped(type, entry.value) : type);
    }
    return mapOf(key ?? this.#inference.unknown(), value ?? this.#inference.unknown());
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
    if (!this.#inference.takes(wanted, given))
      this.#problem(
        at,
        `expected type of field '${field}' is '${formatType(wanted)}' but provided type is '${formatType(this.settled(given))}'`,
      );
  }

  #fold({ range, variable, second: other, accumulator, ...parts }: Fold): Type {
    const over = this.#inference.known(this.type(range));
    const accumulated = this.type(parts.initial);
    const scope = new Map<string, Type>([[accumulator, accumulated]]);
    this.#scopes.enter(scope);
    const [one, two] = this.#variables(over, { at: range.at, isPair: other !== undefined });
    scope.set(variable, one);
    if (other !== undefined) scope.set(other, two);
    this.#expect(bool, parts.condition);
    const step = this.type(parts.step);
    if (!this.#inference.takes(accumulated, step) && !isSameType(accumulated, step))
      this.#problem(
        parts.step.at,
        `expected type '${formatType(this.settled(accumulated))}' but found '${formatType(this.settled(step))}'`,
      );
    scope.delete(variable);
    const result = this.type(parts.result);
    this.#scopes.leave();
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
        this.#inference.giveUp(over);
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
    if (!this.#inference.takes(wanted, type))
      this.#problem(
        expression.at,
        `expected type '${formatType(wanted)}' but found '${formatType(this.settled(type))}'`,
      );
  }
}
