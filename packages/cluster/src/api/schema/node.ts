import { present } from '../../base/assert.ts';
import { structFields } from '../generated/struct-fields.ts';
import type { GroupVersionKind } from '../gvk.ts';
import { isObject, type JsonObject } from '../record.ts';
import { definition as factsOf } from './definitions.ts';

export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

/** One rule of `x-kubernetes-validations`. */
export interface CelRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/**
 * A resolved schema: references are followed, so a recursive definition is a recursive graph. Shared and never changed.
 * Without a type, anything goes.
 */
export interface SchemaNode {
  /** Name of the built-in definition; absent in schemas of custom resources. */
  readonly definition?: string;
  /** Built-in types know no null: it reads as absent. Schemas of custom resources say `nullable`. */
  readonly nullIsAbsent?: boolean;
  /** The whole object of a built-in kind that is in no facts. */
  readonly isOwnKind?: boolean;
  /** A scalar of a built-in type that Go leaves out at its zero, so that who sends that has said nothing. */
  readonly isLeftOutAtZero?: boolean;
  /** Lists, maps and pointers that Go writes as null where there is nothing. */
  readonly writtenAsNull?: ReadonlySet<string>;
  readonly type?: SchemaType;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: ReadonlyMap<string, SchemaNode>;
  readonly required?: readonly string[];
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly nullable?: boolean;

  readonly quantity?: boolean;
  readonly intOrString?: boolean;
  /** Anything that is neither is refused; what the schema says is read elsewhere. */
  readonly schemaOrBoolean?: boolean;
  /** A JSON schema, or a list; whatever else is sent there, Go reads as nothing. */
  readonly schemaOrList?: boolean;
  readonly preserveUnknownFields?: boolean;
  readonly embeddedResource?: boolean;
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  readonly patchMergeKey?: string;
  readonly patchStrategy?: readonly string[];
  readonly groupVersionKinds?: readonly GroupVersionKind[];

  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly uniqueItems?: boolean;
  readonly allOf?: readonly SchemaNode[];
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly not?: SchemaNode;
  readonly validations?: readonly CelRule[];
}

type Draft = { -readonly [Name in keyof SchemaNode]: SchemaNode[Name] };

export const objectMetaDefinition: string = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
export const listMetaDefinition: string = 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta';

const built = new Map<string, SchemaNode>();

/** The schema of a built-in definition, e.g. `io.k8s.api.apps.v1.DaemonSet`. Built at first use. */
export function schemaOf(definition: string): SchemaNode {
  const known = built.get(definition);
  if (known !== undefined) return known;
  const later: (() => void)[] = [];
  const node = buildDefinition(definition, later);
  for (const fill of later) fill();
  return node;
}

export function hasDefinition(definition: string): boolean {
  return factsOf(definition) !== undefined;
}

function buildDefinition(definition: string, later: (() => void)[]): SchemaNode {
  const known = built.get(definition);
  if (known !== undefined) return known;
  const schema = present(factsOf(definition), `the definition ${definition}`);
  const node: Draft = { definition };
  // Known before it is filled, so that a definition may contain itself.
  built.set(definition, node);
  Object.assign(node, particulars(definition, schema), writtenByGo(definition, fromDefinition(schema, later)));
  // Holds any JSON, whatever its type says.
  if (definition.endsWith('.RawExtension')) delete node.type;
  return node;
}

function writtenByGo(definition: string, node: SchemaNode): SchemaNode {
  const { bare = [], nulls = [] } = structFields[definition] ?? {};
  const properties = new Map(node.properties);
  for (const name of bare) {
    const property = properties.get(name);
    // What is referred to stands in other places as well, and what is required is filled in.
    if (property !== undefined && property.definition === undefined && node.required?.includes(name) !== true)
      properties.set(name, { ...property, isLeftOutAtZero: true });
  }
  return {
    ...node,
    ...(bare.length > 0 && { properties }),
    ...(nulls.length > 0 && { writtenAsNull: new Set(nulls) }),
  };
}

/** What the facts cannot say about a few definitions. */
function particulars(definition: string, schema: JsonObject): Partial<SchemaNode> {
  const name = definition.slice(definition.lastIndexOf('.') + 1);
  const anything = !('properties' in schema) && !('additionalProperties' in schema) && schema['type'] === 'object';
  return {
    ...(name === 'Quantity' && { quantity: true }),
    ...(name === 'JSONSchemaPropsOrBool' && { schemaOrBoolean: true }),
    ...(/^JSONSchemaPropsOr(?:String)?Array$/.test(name) && { schemaOrList: true }),
    ...(schema['format'] === 'int-or-string' && { intOrString: true }),
    ...(anything && { preserveUnknownFields: true }),
  };
}

function fromDefinition(schema: JsonObject, later: (() => void)[]): SchemaNode {
  const { $ref, properties, items, additionalProperties } = schema;
  const node: Draft = { nullIsAbsent: true, ...plainFacts(schema) };
  if (typeof $ref === 'string') return referring($ref, node, { alone: Object.keys(schema).length === 1, later });
  if (isObject(properties)) {
    node.properties = new Map(
      Object.entries(properties).map(([name, property]) => [name, fromDefinition(property as JsonObject, later)]),
    );
  }
  if (isObject(items)) node.items = fromDefinition(items, later);
  if (isObject(additionalProperties)) node.additionalProperties = fromDefinition(additionalProperties, later);
  return node;
}

/** The definition itself, or a copy of it with what stands beside the reference. */
function referring(
  definition: string,
  beside: Draft,
  { alone, later }: { readonly alone: boolean; readonly later: (() => void)[] },
): SchemaNode {
  const target = buildDefinition(definition, later);
  if (alone) return target;
  const node: Draft = {};
  // The target may be under construction still.
  later.push(() => {
    Object.assign(node, target, beside);
  });
  return node;
}

/**
 * The schema of a custom resource, as it stands in a CustomResourceDefinition. Parts of the wrong type are left out:
 * `validateStructural` reports them.
 */
export function fromOpenApiV3(schema: unknown): SchemaNode {
  if (!isObject(schema)) return {};
  const known = readSchemas.get(schema);
  if (known !== undefined) return known;
  const node = readSchema(schema);
  readSchemas.set(schema, node);
  return node;
}

/** A definition's schema is asked for when it is checked, stored and served; nobody changes it in between. */
const readSchemas = new WeakMap<object, SchemaNode>();

function readSchema(schema: unknown): SchemaNode {
  if (!isObject(schema)) return {};
  const { properties, items, additionalProperties, not } = schema;
  const node: Draft = plainFacts(schema);
  if (isObject(properties)) {
    node.properties = new Map(Object.entries(properties).map(([name, property]) => [name, readSchema(property)]));
  }
  if (isObject(items)) node.items = readSchema(items);
  if (typeof additionalProperties === 'boolean') node.additionalProperties = additionalProperties;
  else if (isObject(additionalProperties)) node.additionalProperties = readSchema(additionalProperties);
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) {
    const list = schema[name];
    if (Array.isArray(list)) node[name] = list.map(readSchema);
  }
  if (isObject(not)) node.not = readSchema(not);
  return node.embeddedResource === true ? withMeta(node) : node;
}

/**
 * The whole object of a custom resource: `apiVersion`, `kind` and `metadata` are those of every object, whatever the
 * schema says about them.
 */
export function customResourceSchema(schema: unknown): SchemaNode {
  return withMeta({ ...fromOpenApiV3(schema), type: 'object' });
}

/** Of a built-in kind that is in no facts. Its times and bytes are read as those of the others. */
export function ownSchema(schema: unknown): SchemaNode {
  return withMeta({ ...withReadFormats(fromOpenApiV3(schema)), type: 'object', isOwnKind: true });
}

function withReadFormats(node: SchemaNode): SchemaNode {
  const { properties, items } = node;
  return {
    ...node,
    ...((node.format === 'date-time' || node.format === 'byte') && { nullIsAbsent: true }),
    ...(properties !== undefined && {
      properties: new Map([...properties].map(([name, property]) => [name, ownField(name, property, node)])),
    }),
    ...(items !== undefined && { items: withReadFormats(items) }),
  };
}

/** Texts and switches that are not required are none in Go at their zero, as in most built-in types. */
function ownField(name: string, field: SchemaNode, { required }: SchemaNode): SchemaNode {
  const isLeftOutAtZero = (field.type === 'string' || field.type === 'boolean') && required?.includes(name) !== true;
  return { ...withReadFormats(field), ...(isLeftOutAtZero && { isLeftOutAtZero }) };
}

function withMeta(node: SchemaNode): SchemaNode {
  const properties = new Map(node.properties);
  properties.set('apiVersion', { type: 'string' });
  properties.set('kind', { type: 'string' });
  properties.set('metadata', schemaOf(objectMetaDefinition));
  return { ...node, properties };
}

const extensions = {
  'x-kubernetes-int-or-string': 'intOrString',
  'x-kubernetes-preserve-unknown-fields': 'preserveUnknownFields',
  'x-kubernetes-embedded-resource': 'embeddedResource',
  'x-kubernetes-list-type': 'listType',
  'x-kubernetes-list-map-keys': 'listMapKeys',
  'x-kubernetes-map-type': 'mapType',
  'x-kubernetes-patch-merge-key': 'patchMergeKey',
  'x-kubernetes-group-version-kind': 'groupVersionKinds',
  'x-kubernetes-validations': 'validations',
} as const;

const copied = {
  boolean: ['nullable', 'exclusiveMinimum', 'exclusiveMaximum', 'uniqueItems'],
  number: [
    'minimum',
    'maximum',
    'multipleOf',
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'minProperties',
    'maxProperties',
  ],
  string: ['type', 'format', 'description', 'pattern'],
} as const;

function plainFacts(schema: JsonObject): Draft {
  const facts: Record<string, unknown> = {};
  for (const [type, names] of Object.entries(copied)) {
    for (const name of names) if (typeof schema[name] === type) facts[name] = schema[name];
  }
  for (const name of ['required', 'enum']) if (Array.isArray(schema[name])) facts[name] = schema[name];
  if (Object.hasOwn(schema, 'default')) facts['default'] = schema['default'];
  for (const [name, field] of Object.entries(extensions)) {
    if (schema[name] !== undefined) facts[field] = schema[name];
  }
  const strategy = schema['x-kubernetes-patch-strategy'];
  if (typeof strategy === 'string') facts['patchStrategy'] = strategy.split(',');
  return facts as Draft;
}
