import { equal } from '../../base/equal.ts';
import { formatExactJson } from '../../base/exact-json.ts';
import { type FieldPath, type Issue, root } from '../issue.ts';
import { isObject, type JsonObject, own } from '../record.ts';
import { formatProblem } from './format.ts';
import type { SchemaNode } from './node.ts';
import { matchesPattern } from './pattern.ts';

/**
 * What is wrong with a custom resource (or a part of it) by its schema, with upstream's words, field paths and order. Parts that
 * have a built-in type, such as `metadata`, are not looked into: `checkSchema` does that. What stands twice in a list
 * `duplicates` finds.
 */
export function validateValue(value: unknown, schema: SchemaNode, at: FieldPath): Iterable<Issue> {
  return validateChange({ value, old: undefined }, schema, at);
}

export interface ValueChange {
  readonly value: unknown;
  /** Undefined where there was none, or none that could be told to be the same. */
  readonly old: unknown;
  /** Tells what was before; absent where nothing was. */
  readonly past?: Past | undefined;
}

/** What compares a value with the one before it: `correlate.ts`. Who only checks values does not load it. */
export interface Past {
  isSame(value: unknown, old: unknown, node: SchemaNode): boolean;
  /** Finds what an element of a list was before. */
  itemsOf(node: SchemaNode, old: readonly unknown[]): (item: unknown) => unknown;
}

/** The same of a value that another one is replaced by: what has not changed is let be, as it was let in before. */
export function* validateChange(change: ValueChange, schema: SchemaNode, at: FieldPath): Iterable<Issue> {
  const { value, old, past } = change;
  if (schema.definition !== undefined || (old !== undefined && past?.isSame(value, old, schema) === true)) return;
  if (value === null && schema.nullable === true) return;
  if (!hasType(value, schema)) {
    yield wrongType(value, schema, at);
    return;
  }
  yield* validateJunctors(value, schema, at);
  if (typeof value === 'string') yield* validateText(value, schema, at);
  else if (typeof value === 'number' || typeof value === 'bigint') yield* validateNumber(value, schema, at);
  else if (Array.isArray(value)) yield* validateArray({ ...change, value }, schema, at);
  yield* validateEnum(value, schema, at);
  if (isObject(value)) yield* validateObject({ ...change, value }, schema, at);
}

function hasType(value: unknown, { type, intOrString }: SchemaNode): boolean {
  if (intOrString === true) return typeof value === 'string' || isWhole(value);
  switch (type) {
    case undefined:
      return true;
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return isWhole(value);
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'string':
    case 'boolean':
      return typeof value === type;
    default:
      return type satisfies never;
  }
}

function isWhole(value: unknown): boolean {
  return typeof value === 'bigint' || Number.isInteger(value);
}

function wrongType(value: unknown, { type, intOrString }: SchemaNode, at: FieldPath): Issue {
  const found = kindOf(value);
  const wanted = intOrString === true ? 'integer,string' : (type ?? 'any');
  return at.typeInvalid(found, `${nameOf(at)} in body must be of type ${wanted}: "${found}"`);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  return isWhole(value) ? 'integer' : typeof value;
}

function nameOf(at: FieldPath): string {
  return at.toString();
}

function* validateEnum(value: unknown, schema: SchemaNode, at: FieldPath): Iterable<Issue> {
  if (schema.enum === undefined || schema.enum.some((allowed) => equal(allowed, value))) return;
  yield at.notSupported(
    value,
    schema.enum.map((allowed) => (typeof allowed === 'string' ? allowed : formatExactJson(allowed))),
  );
}

function* validateText(text: string, schema: SchemaNode, at: FieldPath): Iterable<Issue> {
  const { minLength, maxLength, pattern, format } = schema;
  // Both limits count characters, not UTF-16 units.
  const length = minLength === undefined && maxLength === undefined ? 0 : Array.from(text).length;
  // Only the first of these is told.
  if (maxLength !== undefined && length > maxLength) yield at.tooLong(text, maxLength);
  else if (minLength !== undefined && length < minLength) {
    yield at.invalid(text, `${nameOf(at)} in body should be at least ${minLength} chars long`);
  } else if (pattern !== undefined && !matchesPattern(pattern, text)) {
    yield at.invalid(text, `${nameOf(at)} in body should match '${pattern}'`);
  }
  if (format !== undefined && formatProblem(text, format)) {
    yield at.typeInvalid(text, `${nameOf(at)} in body must be of type ${format}: ${JSON.stringify(text)}`);
  }
}

function* validateNumber(number: number | bigint, schema: SchemaNode, at: FieldPath): Iterable<Issue> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format } = schema;
  const name = nameOf(at);
  if (format === 'int32' && (typeof number === 'bigint' || number !== (number | 0))) {
    yield at.typeInvalid(number, `${name} in body must be of type int32: "${number}"`);
  }
  if (multipleOf !== undefined && multipleOf > 0) {
    const quotient = Number(number) / multipleOf;
    // 0.3 / 0.1 is not quite 3.
    if (Math.abs(quotient - Math.round(quotient)) > 1e-9) {
      yield at.invalid(number, `${name} in body should be a multiple of ${multipleOf}`);
    }
  }
  if (maximum !== undefined && (exclusiveMaximum === true ? number >= maximum : number > maximum)) {
    const words = exclusiveMaximum === true ? 'less than' : 'less than or equal to';
    yield at.invalid(number, `${name} in body should be ${words} ${maximum}`);
  }
  if (minimum !== undefined && (exclusiveMinimum === true ? number <= minimum : number < minimum)) {
    const words = exclusiveMinimum === true ? 'greater than' : 'greater than or equal to';
    yield at.invalid(number, `${name} in body should be ${words} ${minimum}`);
  }
}

interface Change<T> extends ValueChange {
  readonly value: T;
}

function* validateArray(
  { value: list, old, past }: Change<readonly unknown[]>,
  schema: SchemaNode,
  at: FieldPath,
): Iterable<Issue> {
  const { minItems, maxItems, items } = schema;
  if (items !== undefined) {
    const before = past?.itemsOf(schema, Array.isArray(old) ? old : []);
    for (const [index, item] of list.entries())
      yield* validateChange({ value: item, old: before?.(item), past }, items, at(index));
  }
  if (minItems !== undefined && list.length < minItems) {
    yield at.invalid(list.length, `${nameOf(at)} in body should have at least ${minItems} items`);
  }
  if (maxItems !== undefined && list.length > maxItems) yield at.tooMany(list.length, maxItems);
}

function* validateObject(
  { value: object, old, past }: Change<JsonObject>,
  schema: SchemaNode,
  at: FieldPath,
): Iterable<Issue> {
  const { properties, additionalProperties, required = [], minProperties, maxProperties } = schema;
  if (schema.embeddedResource === true) yield* validateEmbedded(object, at);
  const keys = Object.keys(object);
  if (maxProperties !== undefined && keys.length > maxProperties) yield at.tooMany(keys.length, maxProperties);
  if (minProperties !== undefined && keys.length < minProperties) {
    yield at.invalid(keys.length, `${nameOf(at)} in body should have at least ${minProperties} properties`);
  }
  const before = isObject(old) ? old : {};
  for (const key of keys) {
    const part = properties?.get(key) ?? additionalProperties;
    if (typeof part === 'object')
      yield* validateChange({ value: object[key], old: own(before, key), past }, part, at(key));
  }
  for (const name of required) {
    if (!Object.hasOwn(object, name)) yield at(name).required();
  }
}

function* validateEmbedded(object: JsonObject, at: FieldPath): Iterable<Issue> {
  for (const name of ['apiVersion', 'kind']) {
    if (!Object.hasOwn(object, name) || object[name] === '') yield at(name).required('must not be empty');
  }
  if (object['metadata'] !== undefined && !isObject(object['metadata'])) {
    yield at('metadata').typeInvalid(kindOf(object['metadata']), 'must be of type object');
  }
}

/**
 * Each part is judged once, however deep they are nested: twice per level would double with every level. What no alternative lets
 * through is told of the object as a whole.
 */
function* validateJunctors(value: unknown, schema: SchemaNode, at: FieldPath): Iterable<Issue> {
  const { allOf, anyOf, oneOf, not } = schema;
  const judge = (part: SchemaNode): readonly Issue[] => [...validateValue(value, part, at)];
  const told = (words: string): Issue => root.invalid('', `${JSON.stringify(nameOf(at))} ${words}`);
  if (anyOf !== undefined) {
    const attempts = anyOf.map(judge);
    if (!attempts.some(isClean)) {
      yield told('must validate at least one schema (anyOf)');
      yield* closest(attempts);
    }
  }
  if (oneOf !== undefined) {
    const attempts = oneOf.map(judge);
    const count = attempts.filter(isClean).length;
    if (count !== 1) {
      const found = count === 0 ? 'Found none valid' : `Found ${count} valid alternatives`;
      yield told(`must validate one and only one schema (oneOf). ${found}`);
      if (count === 0) yield* closest(attempts);
    }
  }
  if (allOf !== undefined) {
    const attempts = allOf.map(judge);
    if (!attempts.every(isClean)) {
      yield* attempts.flat();
      yield told(`must validate all the schemas (allOf)${attempts.some(isClean) ? '' : '. None validated'}`);
    }
  }
  if (not !== undefined && isClean(judge(not))) yield told('must not validate the schema (not)');
}

function isClean(issues: readonly Issue[]): boolean {
  return issues.length === 0;
}

/** What is missing for the alternative that comes closest. */
function closest(attempts: readonly (readonly Issue[])[]): readonly Issue[] {
  return [...attempts].sort((a, b) => a.length - b.length)[0] ?? [];
}
