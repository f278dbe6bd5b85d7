import { fresh } from '../../base/fresh.ts';
import { SharedList } from '../../base/shared-json.ts';
import type { GroupVersionKind } from '../gvk.ts';
import { type Issue, plainPath, root } from '../issue.ts';
import { isObject, type JsonObject, put } from '../record.ts';
import { badRequest, issuesMax, type Status } from '../status.ts';
import type { SchemaNode } from './node.ts';
import { checkScalar, type Problem, zeroOf } from './scalar.ts';
import { zerosOf } from './zero.ts';

/*
 * One pass over an object on its way in: types, unknown fields, and the canonical form of quantities and times. It runs
 * on every write, so it allocates only where something changes, and a path becomes text only when there is an issue.
 */

export interface CheckOptions {
  /** Unknown fields are reported either way; `prune` also takes them out. */
  readonly unknownFields: 'prune' | 'keep';
  /** Not all of the object is there: of its own fields none is missing, so none is filled in. */
  readonly isPart?: boolean;
}

export interface Checked {
  /** The same reference when nothing changed. */
  readonly object: unknown;
  /**
   * Values of the wrong type. For a built-in kind they make a 400 (`typeErrorStatus`), for a custom resource a 422;
   * there they are also among what `validateValue` yields.
   */
  readonly typeErrors: readonly Issue[];
  /** Paths of fields that the schema does not know, e.g. `spec.template.foo`. */
  readonly unknown: readonly string[];
}

export function checkSchema(object: unknown, schema: SchemaNode, options: CheckOptions): Checked {
  const walk: Walk = {
    root: schema,
    path: [],
    owner: '',
    typeErrors: [],
    unknown: [],
    prune: options.unknownFields === 'prune',
    isPart: options.isPart === true,
  };
  const checked = check(walk, object, schema);
  return { object: checked, typeErrors: walk.typeErrors, unknown: walk.unknown };
}

/** The 400 for an object of a built-in kind that has values of the wrong type. */
export function typeErrorStatus(kind: GroupVersionKind, typeErrors: readonly Issue[]): Status {
  // As in Go, what a type reads for itself is told before what the decoder finds, wherever it stands.
  const first = typeErrors.find(({ message }) => !message.startsWith(goMismatch)) ?? typeErrors[0];
  const message = first?.message ?? 'the object cannot be read';
  const { kind: name } = kind;
  const causes = typeErrors.map(({ reason, field, message }) => ({ reason, field, message }));
  return {
    ...badRequest(`${name} in version "${kind.version}" cannot be handled as a ${name}: ${message}`),
    details: { causes },
  };
}

interface Walk {
  readonly root: SchemaNode;
  readonly path: (string | number)[];
  /** The built-in type that holds the current field. */
  owner: string;
  readonly typeErrors: Issue[];
  readonly unknown: string[];
  readonly prune: boolean;
  readonly isPart: boolean;
}

const dropped: unique symbol = Symbol('dropped');

function check(walk: Walk, value: unknown, node: SchemaNode): unknown {
  if (value === null || value === undefined) return value;
  switch (node.type) {
    case undefined:
      if (node.schemaOrBoolean === true && typeof value !== 'boolean' && !isObject(value))
        report(walk, { problem: 'boolean or JSON schema expected', found: value }, node);
      if (node.schemaOrList === true && !isObject(value) && !Array.isArray(value)) return dropped;
      if (node.properties === undefined && node.items === undefined) return value;
      return isObject(value)
        ? checkObject(walk, value, node)
        : Array.isArray(value)
          ? checkArray(walk, value, node)
          : value;
    case 'object':
      if (typeof value === 'object' && !Array.isArray(value)) return checkObject(walk, value as JsonObject, node);
      break;
    case 'array':
      if (Array.isArray(value)) return checkArray(walk, value, node);
      break;
    default: {
      if (node.format === undefined && typeof value === node.type && node.quantity !== true) return value;
      const outcome = checkScalar(value, node);
      if (!('problem' in outcome)) return outcome.value;
      if (node.nullIsAbsent !== true && isObject(value)) tellUnknown(walk, value);
      report(walk, outcome, node);
      return value;
    }
  }
  report(walk, { problem: 'type', found: value }, node);
  return value;
}

function checkObject(walk: Walk, object: JsonObject, node: SchemaNode): JsonObject {
  const { properties, additionalProperties } = node;
  const outerOwner = walk.owner;
  if (node.definition !== undefined) walk.owner = node.definition;
  const rest = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  const anything = node.preserveUnknownFields === true || additionalProperties === true;
  let next: Record<string, unknown> | undefined;
  for (const key in object) {
    const value = object[key];
    const property = properties?.get(key) ?? rest;
    walk.path.push(key);
    const checked =
      property !== undefined
        ? checkPart(walk, value, { node: property, parent: node, required: property !== rest })
        : checkUnknown(walk, value, anything);
    walk.path.pop();
    const saysNothing =
      typeof checked !== 'object'
        ? // Nearly no value is at its zero, and looking at it costs less than looking at the schema.
          isZero(checked) && property?.isLeftOutAtZero === true
        : checked !== null && property !== undefined && isEmptyIn(node, key, { value: checked, node: property });
    const kept = saysNothing ? dropped : checked;
    if (next === undefined && kept !== value) next = keysBefore(object, key);
    if (next !== undefined && kept !== dropped) put(next, key, kept);
  }
  for (const [field, zero] of zerosOf(node)) {
    if ((next ?? object)[field] !== undefined || (walk.isPart && walk.path.length === 0)) continue;
    next ??= { ...fresh, ...object };
    put(next, field, zero);
  }
  walk.owner = outerOwner;
  return next ?? object;
}

function keysBefore(object: JsonObject, end: string): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key in object) {
    if (key === end) break;
    put(copy, key, object[key]);
  }
  return copy;
}

/** Go leaves out an optional list or map that is empty, as most scalars at their zero, so upstream stores none. An empty struct says something. */
function isEmptyIn(
  parent: SchemaNode,
  key: string,
  { value, node }: { readonly value: object; readonly node: SchemaNode },
): boolean {
  if (Array.isArray(value)) {
    // Where any JSON may stand, an empty list is something.
    if (value.length > 0 || node.type !== 'array') return false;
  } else if (node.properties !== undefined || typeof node.additionalProperties !== 'object' || hasFields(value))
    return false;
  if (parent.nullIsAbsent !== true || parent.properties?.get(key) !== node) return false;
  return parent.required?.includes(key) !== true && parent.writtenAsNull?.has(key) !== true;
}

function isZero(value: unknown): boolean {
  return value === '' || value === false || value === 0;
}

function hasFields(value: object): boolean {
  for (const _ in value) return true;
  return false;
}

interface Part {
  readonly node: SchemaNode;
  readonly parent: SchemaNode;
  /** A named field may be absent; an entry of a map or list may not. */
  readonly required: boolean;
}

function checkPart(walk: Walk, value: unknown, { node, parent, required }: Part): unknown {
  if (value !== null) return check(walk, value, node);
  // Go reads null as the absence of the field, and as the empty value of an entry.
  if (parent.nullIsAbsent !== true || node.type === undefined) return value;
  return required ? dropped : check(walk, zeroOf(node), node);
}

function checkUnknown(walk: Walk, value: unknown, anything: boolean): unknown {
  if (anything) return value;
  // As upstream: nobody reads more of them.
  if (walk.unknown.length < issuesMax) walk.unknown.push(plainPath(walk.path));
  return walk.prune ? dropped : value;
}

/** A custom resource's value that should have no fields has some: as upstream, they are told of before its type. */
function tellUnknown(walk: Walk, object: JsonObject): void {
  for (const key of Object.keys(object)) {
    walk.path.push(key);
    checkUnknown(walk, object[key], false);
    walk.path.pop();
  }
}

function checkArray(walk: Walk, list: readonly unknown[], node: SchemaNode): readonly unknown[] {
  const { items } = node;
  // Nearly every object that was read and is written back has owners.
  if (items === undefined || list instanceof SharedList) return list;
  let next: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const value = list[index];
    walk.path.push(index);
    const checked = checkPart(walk, value, { node: items, parent: node, required: false });
    walk.path.pop();
    if (next === undefined && checked !== value) next = list.slice(0, index);
    next?.push(checked);
  }
  return next ?? list;
}

function report(walk: Walk, problem: Problem, node: SchemaNode): void {
  // What is wrong with the metadata counts for every kind, so other fields' mistakes must not hide it.
  const max = walk.path[0] === 'metadata' ? 2 * issuesMax : issuesMax;
  if (walk.typeErrors.length >= max) return;
  const at = root(...walk.path);
  if (node.nullIsAbsent !== true) {
    const type = node.intOrString === true ? 'integer,string' : (node.type ?? 'any');
    const found = jsonKind(problem.found);
    const detail = `${at.toString()} in body must be of type ${type}: "${found}"`;
    walk.typeErrors.push(at.typeInvalid(found, detail));
    return;
  }
  walk.typeErrors.push({
    reason: 'FieldValueTypeInvalid',
    field: at.toString() === '' ? '<nil>' : at.toString(),
    message: problem.problem === 'type' ? goMessage(walk, problem.found, node) : problem.problem,
  });
}

const goMismatch = 'json: cannot unmarshal ';

/** What clients expect to read: the type that holds the field, and the path without indexes and keys of maps. */
function goMessage(walk: Walk, found: unknown, node: SchemaNode): string {
  const owner = walk.owner.slice(walk.owner.lastIndexOf('.') + 1);
  const fields = fieldsOf(walk).join('.');
  return `${goMismatch}${goKind(found, node)} into Go struct field ${owner}.${fields} of type ${goType(node)}`;
}

function fieldsOf({ root, path }: Walk): readonly string[] {
  const fields: string[] = [];
  let node: SchemaNode | undefined = root;
  for (const step of path) {
    const property: SchemaNode | undefined = typeof step === 'string' ? node?.properties?.get(step) : undefined;
    const rest: SchemaNode | boolean | undefined = typeof step === 'number' ? node?.items : node?.additionalProperties;
    if (property !== undefined) fields.push(String(step));
    node = property ?? (typeof rest === 'object' ? rest : undefined);
  }
  return fields;
}

/** Of a number that fits no field for numbers the number is told. */
function goKind(value: unknown, { type, intOrString }: SchemaNode): string {
  const takesNumbers = type === 'integer' || type === 'number' || intOrString === true;
  if (typeof value === 'bigint' || typeof value === 'number') return takesNumbers ? `number ${value}` : 'number';
  return typeof value === 'boolean' ? 'bool' : jsonKind(value);
}

function goType(node: SchemaNode): string {
  if (node.intOrString === true) return 'int32';
  switch (node.type) {
    case 'integer':
      return node.format === 'int64' ? 'int64' : 'int32';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    case 'array':
      return `[]${node.items === undefined ? 'interface {}' : goType(node.items)}`;
    case 'object': {
      const { definition, additionalProperties } = node;
      if (typeof additionalProperties === 'object' && additionalProperties.quantity === true) return 'v1.ResourceList';
      // Only what authenticators add to a user is a map of lists.
      if (typeof additionalProperties === 'object' && additionalProperties.type === 'array')
        return 'map[string]v1.ExtraValue';
      if (typeof additionalProperties === 'object') return `map[string]${goType(additionalProperties)}`;
      return definition === undefined ? 'object' : definition.split('.').slice(-2).join('.');
    }
    default:
      return node.format === 'byte' ? '[]uint8' : 'string';
  }
}

function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return value === null ? 'null' : typeof value;
}
