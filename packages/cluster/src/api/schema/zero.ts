import type { SchemaNode } from './node.ts';

/**
 * What a Go struct has in a required field that nobody gave: upstream's types are structs, so a text is empty, a number 0
 * and a struct empty in turn, and validation finds that and not a hole. `spec` is such a struct in every kind, though no
 * document says that it is required.
 */
export type Zeros = readonly (readonly [field: string, value: unknown])[];

const none: Zeros = [];
const known = new WeakMap<SchemaNode, Zeros>();

/** The fields of an object of a built-in type that are there even when they are not. Shared and frozen. */
export function zerosOf(node: SchemaNode): Zeros {
  if (node.nullIsAbsent !== true || node.properties === undefined) return none;
  let zeros = known.get(node);
  if (zeros === undefined) {
    zeros = [...requiredOf(node)].flatMap((field) => {
      const value = zeroField(node.properties?.get(field));
      return value === undefined ? [] : [[field, value] as const];
    });
    known.set(node, zeros);
  }
  return zeros;
}

/** Of a pointer that nobody gave nothing is there, though it is required. */
function requiredOf({ required = [], properties, writtenAsNull }: SchemaNode): ReadonlySet<string> {
  const given = required.filter((field) => writtenAsNull?.has(field) !== true);
  return new Set([...given, ...(properties?.has('spec') === true ? ['spec'] : [])]);
}

/** Structs that required fields point to. */
const pointers: ReadonlySet<string> = new Set(['LabelSelector', 'ParentReference']);

/** Undefined for what is a pointer, a list or a map in Go: nothing is what it has then. */
function zeroField(node: SchemaNode | undefined): unknown {
  if (node === undefined || node.format === 'date-time') return undefined;
  if (pointers.has(node.definition?.split('.').at(-1) ?? '')) return undefined;
  if (node.intOrString === true) return 0;
  if (node.quantity === true) return '0';
  switch (node.type) {
    case 'string':
      return '';
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'object':
      return node.properties === undefined ? undefined : Object.freeze(Object.fromEntries(zerosOf(node)));
    default:
      return undefined;
  }
}
