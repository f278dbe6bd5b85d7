import { bareDefinitions } from '../resources/bare-crds.ts';

/** A place in a custom resource where its author may write any text. */
export interface StringField {
  /** `spec.endpoints[0].params{}[0]`; a map's key is `{key}`. */
  readonly path: string;
  /** The object with the text there, and around it what the definition demands. */
  with(text: string, base: Tree): Tree;
}

type Tree = Readonly<Record<string, unknown>>;

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/** All of them, read from the definition, so that none that comes later is forgotten. */
export function stringFieldsOf(kind: string): readonly StringField[] {
  const definition = bareDefinitions().find(({ spec }) => spec.names.kind === kind);
  const schema = definition?.spec.versions[0]?.schema?.openAPIV3Schema as Schema | undefined;
  const spec = schema?.properties?.['spec'];
  if (spec === undefined) throw new Error(`there is no definition of ${kind}`);
  return [...walk(spec, '')].map(({ path, put }) => ({
    path: `spec${path}`,
    with: (text, base) => ({ ...base, spec: put(base['spec'], text) }),
  }));
}

interface Step {
  readonly path: string;
  put(base: unknown, text: string): unknown;
}

function* walk(schema: Schema, path: string): Iterable<Step> {
  if (schema.enum !== undefined) return;
  if (schema.type === 'string' || schema['x-kubernetes-int-or-string'] === true) yield { path, put: (_, text) => text };
  if (schema['x-kubernetes-preserve-unknown-fields'] === true && schema.properties === undefined)
    yield { path: `${path}{}[0]`, put: (_, text) => ({ any: [text], [text]: text }) };
  for (const [name, inner] of Object.entries(schema.properties ?? {}))
    for (const step of walk(inner, `${path}.${name}`))
      yield {
        path: step.path,
        put: (base, text) => ({ ...asTree(base, schema), [name]: step.put(at(base, name), text) }),
      };
  if (schema.items !== undefined) {
    const { items } = schema;
    for (const step of walk(items, `${path}[0]`))
      yield {
        path: step.path,
        put: (base, text) => [step.put(Array.isArray(base) ? base[0] : undefined, text)],
      };
  }
  const { additionalProperties: members } = schema;
  if (typeof members !== 'object') return;
  yield { path: `${path}{key}`, put: (_, text) => ({ [text]: minimal(members) }) };
  for (const step of walk(members, `${path}{}`))
    yield { path: step.path, put: (_, text) => ({ x: step.put(undefined, text) }) };
}

function asTree(base: unknown, schema: Schema): Tree {
  return typeof base === 'object' && base !== null ? (base as Tree) : (minimal(schema) as Tree);
}

function at(base: unknown, name: string): unknown {
  return typeof base === 'object' && base !== null ? (base as Tree)[name] : undefined;
}

/** The least that the definition takes; texts are `x`. */
function minimal(schema: Schema): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, minimal(schema.properties?.[name] ?? {})] as const),
      );
    case 'array':
      return schema.items === undefined ? [] : [minimal(schema.items)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return 'x';
  }
}
