/** What is known only when somebody installs: written as Helm reads it, and worked out here for values that are known. Pure. */

/** `$` stands in no field of Kubernetes, so it tells these from the objects that they stand in. */
export type Expression =
  | { readonly $: 'path'; readonly path: string }
  | { readonly $: 'item'; readonly name: string }
  /** A file of the chart. */
  | { readonly $: 'file'; readonly path: string; readonly text: string }
  | { readonly $: 'text'; readonly parts: readonly (string | Expression)[] }
  /** The first that is not empty; else the last. */
  | { readonly $: 'or'; readonly of: readonly Expression[] }
  /** The first that is empty; else the last. */
  | { readonly $: 'and'; readonly of: readonly Expression[] }
  | { readonly $: 'not'; readonly of: Expression };

/** For whom it is worked out: one installation. */
export interface Scope {
  readonly Values: Readonly<Record<string, unknown>>;
  readonly Release: { readonly Name: string; readonly Namespace: string };
  readonly Chart: { readonly AppVersion: string };
  /** What stands in the place of `item`, by its name. */
  readonly items?: Readonly<Record<string, unknown>>;
}

export const releaseName: Expression = { $: 'path', path: 'Release.Name' };
export const releaseNamespace: Expression = { $: 'path', path: 'Release.Namespace' };
export const appVersion: Expression = { $: 'path', path: 'Chart.AppVersion' };

/** What the user gives: `value('image.tag')`. */
export function value(path: string): Expression {
  return { $: 'path', path: `Values.${path}` };
}

export function item(name: string): Expression {
  return { $: 'item', name };
}

export function text(strings: TemplateStringsArray, ...expressions: readonly Expression[]): Expression {
  const parts = strings.flatMap((string, index) => [string, expressions[index] ?? '']);
  return { $: 'text', parts: parts.filter((part) => part !== '') };
}

export function or(...of: readonly Expression[]): Expression {
  return { $: 'or', of };
}

export function and(...of: readonly Expression[]): Expression {
  return { $: 'and', of };
}

export function not(of: Expression): Expression {
  return { $: 'not', of };
}

export function isExpression(node: unknown): node is Expression {
  return isMarked(node) && kinds.has(node.$);
}

const kinds: ReadonlySet<string> = new Set<Expression['$']>(['path', 'item', 'file', 'text', 'or', 'and', 'not']);

export function isMarked(node: unknown): node is { readonly $: string } {
  return typeof node === 'object' && node !== null && '$' in node;
}

/** As Helm reads it, between braces: `printf "%v-operator" $.Release.Name`. */
export function toHelm(expression: Expression): string {
  switch (expression.$) {
    case 'path':
      return `$.${expression.path}`;
    case 'item':
      return `$${expression.name}`;
    case 'file':
      return `$.Files.Get ${JSON.stringify(expression.path)}`;
    case 'text': {
      const { parts } = expression;
      const form = parts.map((part) => (typeof part === 'string' ? part.replaceAll('%', '%%') : '%v')).join('');
      const values = parts.filter(isExpression).map(argument);
      return ['printf', JSON.stringify(form), ...values].join(' ');
    }
    case 'or':
    case 'and':
      return [expression.$, ...expression.of.map(argument)].join(' ');
    case 'not':
      return `not ${argument(expression.of)}`;
    default:
      return expression satisfies never;
  }
}

function argument(expression: Expression): string {
  const written = toHelm(expression);
  return written.includes(' ') ? `(${written})` : written;
}

export function evaluate(expression: Expression, scope: Scope): unknown {
  switch (expression.$) {
    case 'path':
      return expression.path.split('.').reduce<unknown>(memberOf, scope);
    case 'item':
      return scope.items?.[expression.name];
    case 'file':
      return expression.text;
    case 'text':
      return expression.parts.map((part) => (isExpression(part) ? String(evaluate(part, scope)) : part)).join('');
    case 'or':
    case 'and': {
      const values = expression.of.map((each) => evaluate(each, scope));
      const index = values.findIndex((each) => isEmpty(each) === (expression.$ === 'and'));
      return values.at(index);
    }
    case 'not':
      return isEmpty(evaluate(expression.of, scope));
    default:
      return expression satisfies never;
  }
}

function memberOf(tree: unknown, name: string): unknown {
  return typeof tree === 'object' && tree !== null ? (tree as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** As Go's templates have it. */
export function isEmpty(given: unknown): boolean {
  if (given === undefined || given === null || given === false || given === 0 || given === '') return true;
  return typeof given === 'object' && Object.keys(given).length === 0;
}
