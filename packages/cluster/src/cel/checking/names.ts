import type { Environment } from '../environment.ts';
import type { Expression, Select } from '../syntax/tree.ts';
import { type Type, typeOf } from '../types/type.ts';

/** What a name means where it stands: variables of macros first, then those of the environment, then types. */
export class Names {
  readonly #environment: Environment;
  readonly #scopes: ReadonlyMap<string, Type>[] = [];

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  enter(scope: ReadonlyMap<string, Type>): void {
    this.#scopes.push(scope);
  }

  leave(): void {
    this.#scopes.pop();
  }

  typeOf(name: string): Type | undefined {
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

  /** `a.b.c` as one name, where it starts at no variable of a macro. */
  qualified({ operand, field }: Select): string | undefined {
    const before = nameOf(operand);
    if (before === undefined) return undefined;
    const [root = ''] = before.split('.');
    if (this.#scopes.some((scope) => scope.has(root))) return undefined;
    const whole = `${before}.${field}`;
    const { variables } = this.#environment;
    // A variable with a dot in its name comes before a field of a shorter one: `authorizer.requestResource`.
    return variables.has(root) && !variables.has(whole) ? undefined : whole;
  }
}

/** Plain names with dots between them. */
export function nameOf(expression: Expression): string | undefined {
  if (expression.kind === 'identifier') return expression.name.replace(/^\./, '');
  if (expression.kind !== 'select' || expression.tests) return undefined;
  const before = nameOf(expression.operand);
  return before === undefined ? undefined : `${before}.${expression.field}`;
}
