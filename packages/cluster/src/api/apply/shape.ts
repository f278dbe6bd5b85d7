import { structFields } from '../generated/struct-fields.ts';
import type { SchemaNode } from '../schema/node.ts';
import { zerosOf } from '../schema/zero.ts';
import { Lately } from './lately.ts';
import type { Outline } from './outline.ts';
import { SharedSets } from './shared-sets.ts';

/** How a place in an object is owned, by its schema: as one, field by field, or element by element. */
export type Shape = LeafShape | MapShape | ListShape | AnyShape;

/** Owned as one: scalars, and lists and maps that are atomic. */
export interface LeafShape {
  readonly is: 'leaf';
  readonly wants: 'string' | 'number' | 'boolean' | 'scalar' | 'list' | 'map' | 'anything';
  /** Of a list or map. */
  readonly within?: ListShape | MapShape;
}

/** Owned field by field, or entry by entry. */
export interface MapShape {
  readonly is: 'map';
  /** Undefined: the schema knows no such field. */
  at(name: string): Shape | undefined;
  /** Whether the schema names the field; an entry of a map is not named. */
  names(name: string): boolean;
  /** What Go's structs have in fields that nobody gave, also as null: such a field never comes or goes, only what is in it. */
  readonly zeros: ReadonlyMap<string, unknown>;
  readonly sets: SharedSets;
  readonly outlines: Lately<Outline>;
}

/** Owned element by element; an element is known by its value where there are no keys. */
export interface ListShape {
  readonly is: 'list';
  /** In the order of their names. */
  readonly keys: readonly string[];
  /** Whether an element may lack all of them: those of built-in types have one that says nothing. */
  readonly mayLackKeys: boolean;
  /** What an element has that gives no such key. */
  readonly keyDefaults: Readonly<Record<string, unknown>>;
  readonly items: Shape;
  readonly sets: SharedSets;
  /** The steps to elements that were seen lately, by the value of their only key. */
  readonly steps: Map<string, string>;
}

/** Nothing is known: maps are owned entry by entry, everything else as one. */
export interface AnyShape {
  readonly is: 'any';
}

export const anyShape: AnyShape = { is: 'any' };
const anyMap: MapShape = {
  is: 'map',
  at: () => anyShape,
  names: () => false,
  zeros: new Map(),
  sets: new SharedSets(),
  outlines: new Lately(),
};
const anyLeaf: LeafShape = { is: 'leaf', wants: 'anything' };

/** The shape that this value has where anything may stand. */
export function shapeFor(shape: Shape, value: unknown): LeafShape | MapShape | ListShape {
  if (shape.is !== 'any') return shape;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? anyMap : anyLeaf;
}

const known = new WeakMap<SchemaNode, Shape>();
const knownFree = new WeakMap<SchemaNode, Shape>();

/** The shape of objects of built-in types, which are structs in Go. */
export function shapeOf(node: SchemaNode): Shape {
  return remembered(node, { known, read: shapeOf });
}

/** The shape of custom resources: they have what was sent and nothing else, also in parts of a built-in type. */
export function customShapeOf(node: SchemaNode): Shape {
  return remembered(node, { known: knownFree, read: customShapeOf });
}

interface Reading {
  readonly known: WeakMap<SchemaNode, Shape>;
  /** Of what is within. */
  readonly read: (node: SchemaNode) => Shape;
}

function remembered(node: SchemaNode, reading: Reading): Shape {
  let shape = reading.known.get(node);
  if (shape === undefined) {
    shape = readShape(node, reading);
    reading.known.set(node, shape);
  }
  return shape;
}

function readShape(node: SchemaNode, reading: Reading): Shape {
  if (node.quantity === true) return { is: 'leaf', wants: 'scalar' };
  // What may be of two types may be anything here: which ones they are is for validation to find.
  if (node.intOrString === true) return anyShape;
  switch (node.type) {
    case 'string':
      // What a text of some form may be is found when it is read.
      return { is: 'leaf', wants: node.format === undefined || node.format === 'byte' ? 'string' : 'scalar' };
    case 'boolean':
      return { is: 'leaf', wants: node.type };
    case 'integer':
    case 'number':
      return { is: 'leaf', wants: 'number' };
    case 'array':
      return listShape(node, reading);
    case 'object':
    case undefined:
      return mapShape(node, reading);
    default:
      return node.type satisfies never;
  }
}

/** What may lack its key has none then, whereas others have one that says nothing. */
const withOptionalKeys = /\.(?:ObjectReference|FlowSchemaCondition|PriorityLevelConfigurationCondition)$/;

function listShape({ listType, listMapKeys = [], items = {} }: SchemaNode, { read, known: kept }: Reading): Shape {
  const keys = [...listMapKeys].sort();
  const list: ListShape = {
    is: 'list',
    keys: listType === 'map' ? keys : [],
    mayLackKeys: kept === known && !withOptionalKeys.test(items.definition ?? ''),
    keyDefaults: listType === 'map' ? defaultsOf(items, keys) : {},
    items: read(items),
    sets: new SharedSets(),
    steps: new Map(),
  };
  return listType === 'map' || listType === 'set' ? list : { is: 'leaf', wants: 'list', within: list };
}

/** The protocol of a port, and the name of what is referred to, have defaults that OpenAPI version 2 does not tell. */
function defaultsOf(items: SchemaNode, keys: readonly string[]): Readonly<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const key of keys) {
    const given = items.properties?.get(key)?.default;
    if (given !== undefined) found[key] = given;
    else if (key === 'protocol' && items.definition !== undefined) found[key] = 'TCP';
    else if (items.definition === 'io.k8s.api.core.v1.LocalObjectReference') found[key] = '';
  }
  return found;
}

const rawDefinition = 'io.k8s.apimachinery.pkg.runtime.RawExtension';

function mapShape(node: SchemaNode, { read, known: kept }: Reading): Shape {
  const { properties, additionalProperties, preserveUnknownFields, mapType } = node;
  // Bytes in Go, whatever they say.
  if (node.definition === rawDefinition) return { is: 'leaf', wants: 'anything' };
  if (properties === undefined && typeof additionalProperties !== 'object') {
    if (mapType === 'atomic') return { is: 'leaf', wants: 'map' };
    return node.type === 'object' ? anyMap : anyShape;
  }
  const rest =
    typeof additionalProperties === 'object'
      ? read(additionalProperties)
      : preserveUnknownFields === true || additionalProperties === true
        ? anyShape
        : undefined;
  const seen = new Map<string, Shape>();
  const map: MapShape = {
    is: 'map',
    at(name) {
      const known = seen.get(name);
      if (known !== undefined) return known;
      const property = properties?.get(name);
      if (property === undefined) return rest;
      const found = read(property);
      seen.set(name, found);
      return found;
    },
    names: (name) => properties?.has(name) === true,
    zeros: kept === known ? structZeros(node) : none,
    sets: new SharedSets(),
    outlines: new Lately(),
  };
  return mapType === 'atomic' ? { is: 'leaf', wants: 'map', within: map } : map;
}

const empty: Readonly<Record<string, unknown>> = Object.freeze({});

const structsOfObjects: ReadonlyMap<string, unknown> = new Map(
  ['metadata', 'spec', 'status'].map((field) => [field, empty]),
);

function structZeros(node: SchemaNode): ReadonlyMap<string, unknown> {
  if (node.isOwnKind === true) return structsOfObjects;
  if (node.nullIsAbsent !== true || node.properties === undefined) return none;
  const facts = structFields[node.definition ?? ''];
  // Of what is in no table, a document tells as much.
  const zeros = new Map<string, unknown>(
    (facts === undefined ? (node.required ?? []) : (facts.nulls ?? [])).map((field) => [field, null]),
  );
  for (const [field, value] of zerosOf(node)) zeros.set(field, typeof value === 'object' ? empty : value);
  const { structs = [], times = [], bare = [] } = facts ?? {};
  for (const field of bare) zeros.delete(field);
  for (const field of structs) zeros.set(field, empty);
  for (const field of times) zeros.set(field, null);
  return zeros.size === 0 ? none : zeros;
}

const none: ReadonlyMap<string, unknown> = new Map();
