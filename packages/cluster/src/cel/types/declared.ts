import type { SchemaNode } from '../../api/schema/node.ts';
import { listReader, mapReader, objectReader } from '../values/data.ts';
import {
  readBoolean,
  readBytes,
  readDate,
  readDouble,
  readDuration,
  readDyn,
  readInt,
  readIntOrString,
  readMoment,
  readString,
} from '../values/scalars.ts';
import type { Value } from '../values/value.ts';
import { escapeName } from './escape.ts';
import { bool, bytes, double, duration, dyn, int, listOf, mapOf, string, type Type, timestamp } from './type.ts';

/** A body has no more bytes than this, so nothing in it is longer. */
export const bodyBytesMax: number = 3 * 1024 * 1024;

/**
 * What a schema means to expressions: the type of its values, how they are read, and how many elements or characters one may
 * have, from which costs are estimated. Fields are declared when they are first asked for: schemas are large, and rules look
 * at little of them.
 */
export interface Declared {
  readonly type: Type;
  /** Of characters, elements or entries. */
  readonly sizeMax: number;
  /** Bytes that a value takes at least, as JSON. */
  readonly bytesMin: number;
  readonly element?: Declared;
  readonly key?: Declared;
  field?(name: string): Declared | undefined;
  read(data: unknown): Value;
}

interface DeclareOptions {
  /** `apiVersion`, `kind`, `metadata.name` and `metadata.generateName` are there whatever the schema says. */
  readonly isResource: boolean;
  /** What messages call the type. */
  readonly name: string;
}

/** Undefined where a schema says too little for expressions to look at its values. */
export function declare(schema: SchemaNode, { isResource, name }: DeclareOptions): Declared | undefined {
  const declared = declareNode(isResource ? asResource(schema) : schema, name);
  return declared === undefined ? undefined : reading(declared, schema);
}

type Unread = Declared;

/** Null is a value where the schema allows it. */
function reading(declared: Unread, { nullable }: SchemaNode): Declared {
  if (nullable !== true) return declared;
  return { ...declared, read: (data) => (data === null ? null : declared.read(data)) };
}

const metadataProperties: ReadonlyMap<string, SchemaNode> = new Map([
  ['name', { type: 'string' }],
  ['generateName', { type: 'string' }],
] as const);

function asResource(schema: SchemaNode): SchemaNode {
  const properties = new Map(schema.properties);
  properties.set('apiVersion', { type: 'string' });
  properties.set('kind', { type: 'string' });
  properties.set('metadata', { type: 'object', properties: metadataProperties });
  return { ...schema, properties };
}

function declareNode(schema: SchemaNode, name: string): Unread | undefined {
  // Upstream says no type of quantities, so that nothing can be said of them beforehand.
  if (schema.quantity === true) return undefined;
  if (schema.intOrString === true) return { type: dyn, sizeMax: bodyBytesMax - 2, bytesMin: 1, read: readIntOrString };
  switch (schema.type) {
    case 'array':
      return declareArray(schema, name);
    case 'object':
      return declareObject(schema, name);
    case 'string':
      return declareString(schema);
    case 'boolean':
      return { type: bool, sizeMax: none, bytesMin: 4, read: readBoolean };
    case 'number':
      return { type: double, sizeMax: none, bytesMin: 1, read: readDouble };
    case 'integer':
      return { type: int, sizeMax: none, bytesMin: 1, read: readInt };
    default:
      return undefined;
  }
}

/** Of scalars, objects and keys of maps upstream says no size, and counts none. */
const none = 0;

function declareArray(schema: SchemaNode, name: string): Unread | undefined {
  const { items, maxItems } = schema;
  const element = items === undefined ? undefined : within(items, `${name}.@idx`);
  if (element === undefined) return undefined;
  return {
    type: listOf(element.type),
    sizeMax: maxItems === undefined ? Math.floor((bodyBytesMax - 2) / (element.bytesMin + 1)) : Math.max(0, maxItems),
    bytesMin: 2,
    element,
    read: listReader(schema, element),
  };
}

function within(schema: SchemaNode, name: string): Declared | undefined {
  return declare(schema, { isResource: schema.embeddedResource === true, name });
}

function declareObject(schema: SchemaNode, name: string): Unread | undefined {
  const { additionalProperties, maxProperties } = schema;
  if (typeof additionalProperties === 'object') {
    const element = within(additionalProperties, `${name}.@elem`);
    if (element === undefined) return undefined;
    return {
      type: mapOf(string, element.type),
      sizeMax:
        maxProperties === undefined
          ? Math.floor((bodyBytesMax - 2) / (element.bytesMin + 6))
          : Math.max(0, maxProperties),
      bytesMin: 2,
      element,
      key: anyText,
      read: mapReader(element),
    };
  }
  return declareFields(schema, name);
}

const anyText: Declared = { type: string, sizeMax: none, bytesMin: 2, read: readString };

function declareFields(schema: SchemaNode, name: string): Unread {
  const fields = new Map<string, Declared | undefined>();
  const names = new Map<string, string>();
  for (const property of schema.properties?.keys() ?? []) {
    const escaped = escapeName(property);
    if (escaped !== undefined) names.set(escaped, property);
  }
  const field = (escaped: string): Declared | undefined => {
    if (fields.has(escaped)) return fields.get(escaped);
    const property = names.get(escaped);
    const inner = property === undefined ? undefined : schema.properties?.get(property);
    const declared = inner === undefined ? undefined : within(inner, `${name}.${escaped}`);
    fields.set(escaped, declared);
    return declared;
  };
  let bytesMin: number | undefined;
  return {
    type: { kind: 'object', name, parameters: [], field: (escaped) => field(escaped)?.type },
    sizeMax: none,
    get bytesMin() {
      bytesMin ??= requiredBytes(schema, field);
      return bytesMin;
    },
    field,
    read: objectReader({ names, field }),
  };
}

/** An object of which all fields are known already. */
export function declareRecord(name: string, fields: Readonly<Record<string, Declared>>): Declared {
  const known = new Map(Object.entries(fields));
  const field = (of: string): Declared | undefined => known.get(of);
  return {
    type: { kind: 'object', name, parameters: [], field: (of) => field(of)?.type },
    sizeMax: none,
    bytesMin: 2,
    field,
    read: objectReader({ names: new Map([...known.keys()].map((each) => [each, each])), field }),
  };
}

/** Of an object at least its braces are there, and what is required and has no default. */
function requiredBytes(
  { required = [], properties }: SchemaNode,
  field: (escaped: string) => Declared | undefined,
): number {
  let bytes = 2;
  for (const name of required) {
    const escaped = escapeName(name);
    const declared = escaped === undefined ? undefined : field(escaped);
    if (declared === undefined || properties?.get(name)?.default !== undefined) continue;
    bytes += name.length + declared.bytesMin + 4;
  }
  return bytes;
}

function declareString({ format, maxLength, enum: values }: SchemaNode): Unread {
  switch (format) {
    case 'byte':
      return { type: bytes, sizeMax: maxLength ?? bodyBytesMax - 2, bytesMin: 2, read: readBytes };
    case 'duration':
      return { type: duration, sizeMax: 32, bytesMin: 4, read: readDuration };
    case 'date':
      return { type: timestamp, sizeMax: 12, bytesMin: 12, read: readDate };
    case 'date-time':
      return { type: timestamp, sizeMax: 29, bytesMin: 22, read: readMoment };
    default:
      return { type: string, sizeMax: textMax(maxLength, values), bytesMin: 2, read: readString };
  }
}

/** A character may take four bytes. */
function textMax(maxLength: number | undefined, values: readonly unknown[] = []): number {
  if (maxLength !== undefined) return Math.max(0, maxLength) * 4;
  if (values.length === 0) return bodyBytesMax - 2;
  return Math.max(...values.map((value) => (typeof value === 'string' ? value.length : 0)));
}

/** Values of which no schema is known: read as what they are. */
export const anything: Declared = { type: dyn, sizeMax: none, bytesMin: 0, read: readDyn };
