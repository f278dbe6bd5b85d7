import type { SchemaNode } from '@signalbox/cluster/testing';

/** A place in an object: names of fields, and 0 for the first item of a list. */
export type Path = readonly (string | 0)[];

/** A field that the schema knows. */
export interface Site {
  readonly path: Path;
  readonly node: SchemaNode;
}

const depthMax = 14;
/** One key stands for all keys of a map. */
export const mapKey = 'some-key';

/** Every field of a schema, also those that an object leaves out. A definition that holds itself is entered once. */
export function sitesOf(root: SchemaNode): readonly Site[] {
  const sites: Site[] = [];
  const visit = (node: SchemaNode, path: Path, above: ReadonlySet<SchemaNode>): void => {
    if (path.length > 0) sites.push({ path, node });
    if (path.length >= depthMax || above.has(node)) return;
    const inside = new Set(above).add(node);
    for (const [name, child] of node.properties ?? []) visit(child, [...path, name], inside);
    if (node.items !== undefined) visit(node.items, [...path, 0], inside);
    if (typeof node.additionalProperties === 'object') visit(node.additionalProperties, [...path, mapKey], inside);
  };
  visit(root, [], new Set());
  return sites.filter(({ path }) => path[0] !== 'apiVersion' && path[0] !== 'kind' && path[1] !== 'managedFields');
}

/** The object with a value at a place; `undefined` takes it out. What is missing above is made by `missing`. */
export function withValueAt(
  object: unknown,
  path: Path,
  { value, missing }: { readonly value: unknown; readonly missing: (path: Path) => unknown },
  at: Path = [],
): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const here = isContainer(object) ? object : containerFor(missing(at), step);
  const below = (here as Readonly<Record<string | number, unknown>>)[step];
  const next = withValueAt(below, rest, { value, missing }, [...at, step]);
  if (Array.isArray(here)) return next === undefined ? here.slice(1) : [next, ...here.slice(1)];
  const { [step]: _old, ...others } = here as Readonly<Record<string, unknown>>;
  return next === undefined ? others : { ...here, [step]: next };
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function containerFor(made: unknown, step: string | 0): object {
  if (isContainer(made) && Array.isArray(made) === (step === 0)) return made;
  return step === 0 ? [] : {};
}

/** The node at a place. */
export function nodeAt(root: SchemaNode, path: Path): SchemaNode | undefined {
  let node: SchemaNode | undefined = root;
  for (const step of path) {
    if (step === 0) node = node?.items;
    else node = node?.properties?.get(step) ?? asNode(node?.additionalProperties);
  }
  return node;
}

function asNode(node: SchemaNode | boolean | undefined): SchemaNode | undefined {
  return typeof node === 'object' ? node : undefined;
}

const plausibleDepthMax = 6;

/** A value as its schema wants it, with what is required and nothing else: so that one mutated field is all that is wrong. */
export function plausible(node: SchemaNode | undefined, depth = 0): unknown {
  if (node === undefined || depth > plausibleDepthMax) return {};
  if (node.enum !== undefined && node.enum.length > 0) return node.enum[0];
  if (node.quantity === true) return '1';
  if (node.intOrString === true) return 1;
  switch (node.type) {
    case 'string':
      return node.format === 'date-time' ? '2026-01-01T00:00:00Z' : 'a';
    case 'integer':
    case 'number':
      return Math.max(1, node.minimum ?? 1);
    case 'boolean':
      return true;
    case 'array':
      return [plausible(node.items, depth + 1)];
    default:
      return Object.fromEntries(
        (node.required ?? []).map((name) => [name, plausible(node.properties?.get(name), depth + 1)]),
      );
  }
}
