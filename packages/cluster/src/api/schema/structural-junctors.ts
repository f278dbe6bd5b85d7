import type { FieldPath, Issue } from '../issue.ts';
import { isObject, type JsonObject } from '../record.ts';
import { patternProblem } from './pattern.ts';

/** What stands outside only, and what it has to be in here. */
const outsideOnly: Readonly<Record<string, 'empty' | 'undefined' | 'false'>> = {
  ...{ type: 'empty', additionalProperties: 'undefined', default: 'undefined', title: 'empty', description: 'empty' },
  ...{ nullable: 'false', 'x-kubernetes-preserve-unknown-fields': 'false', 'x-kubernetes-embedded-resource': 'false' },
  ...{ 'x-kubernetes-int-or-string': 'false', 'x-kubernetes-list-map-keys': 'empty' },
  ...{ 'x-kubernetes-list-type': 'undefined', 'x-kubernetes-map-type': 'undefined' },
  ...{ 'x-kubernetes-validations': 'empty' },
};

/**
 * allOf, anyOf, oneOf and not may restrict fields, but not bring them in: what they name must be specified outside, and
 * types and defaults stand outside only.
 */
export function* validateJunctors(schema: JsonObject, at: FieldPath): Iterable<Issue> {
  for (const { part, where, isTypeChoice } of junctorsOf(schema, at)) {
    if (!isTypeChoice) yield* validatePart(part, { where, outside: schema, specified: at });
  }
}

interface Junctor {
  readonly part: JsonObject;
  readonly where: FieldPath;
  /** `anyOf: [{type: integer}, {type: string}]` is how an int-or-string is spelled out. */
  readonly isTypeChoice: boolean;
}

function* junctorsOf(schema: JsonObject, at: FieldPath): Iterable<Junctor> {
  const intOrString = schema['x-kubernetes-int-or-string'] === true;
  for (const name of ['allOf', 'anyOf', 'oneOf']) {
    const list = schema[name];
    if (!Array.isArray(list)) continue;
    const isTypeChoice = intOrString && isIntOrStringChoice(name, list);
    for (const [index, part] of list.entries()) {
      if (isObject(part)) yield { part, where: at(name, index), isTypeChoice };
    }
  }
  const { not } = schema;
  if (isObject(not)) yield { part: not, where: at('not'), isTypeChoice: false };
}

function isIntOrStringChoice(name: string, list: readonly unknown[]): boolean {
  const [first] = list;
  if (name === 'allOf')
    return isObject(first) && Array.isArray(first['anyOf']) && isIntOrStringChoice('anyOf', first['anyOf']);
  const wanted = list.map((part) => (isObject(part) ? part['type'] : undefined));
  return name === 'anyOf' && wanted.length === 2 && wanted.includes('integer') && wanted.includes('string');
}

interface Inside {
  readonly where: FieldPath;
  /** The schema that the junctor restricts; undefined where nothing is specified. */
  readonly outside: JsonObject | undefined;
  readonly specified: FieldPath;
}

function* validatePart(part: JsonObject, { where, outside, specified }: Inside): Iterable<Issue> {
  for (const name of Object.keys(part)) {
    const wanted = Object.hasOwn(outsideOnly, name) ? outsideOnly[name] : undefined;
    if (wanted !== undefined && !isNothing(part[name], wanted))
      yield where(name).forbidden(`must be ${wanted} to be structural`);
  }
  const { properties, items, pattern } = part;
  if (isObject(properties) && Object.hasOwn(properties, 'metadata'))
    yield where('properties').key('metadata').forbidden('must not be specified in a nested context');
  if (typeof pattern === 'string') {
    const problem = patternProblem(pattern);
    if (problem !== undefined)
      yield where('pattern').invalid(pattern, `must be a valid regular expression, but isn't: ${problem}`);
  }
  if (isObject(properties)) {
    for (const [name, property] of Object.entries(properties)) {
      const place = where('properties').key(name);
      const target = specified('properties').key(name);
      const known = isObject(outside?.['properties']) ? outside['properties'][name] : undefined;
      const anything = isObject(outside?.['additionalProperties']) ? outside['additionalProperties'] : undefined;
      const counterpart = isObject(known) ? known : anything;
      if (counterpart === undefined) yield target.required(`because it is defined in ${place.toString()}`);
      if (isObject(property)) yield* validatePart(property, { where: place, outside: counterpart, specified: target });
    }
  }
  if (isObject(items)) {
    const counterpart = isObject(outside?.['items']) ? outside['items'] : undefined;
    const target = specified('items');
    if (counterpart === undefined) yield target.required(`because it is defined in ${where('items').toString()}`);
    yield* validatePart(items, { where: where('items'), outside: counterpart, specified: target });
  }
  for (const inner of junctorsOf(part, where)) {
    yield* validatePart(inner.part, { where: inner.where, outside, specified });
  }
}

function isNothing(value: unknown, wanted: 'empty' | 'undefined' | 'false'): boolean {
  if (value === undefined || value === null) return true;
  if (wanted === 'undefined') return false;
  return wanted === 'false' ? value === false : value === '' || (Array.isArray(value) && value.length === 0);
}

/** Each schema that only restricts, or that has no place at all, and where it stands: also below others of these. */
export function* restrictionsIn(schema: JsonObject, at: FieldPath): Iterable<readonly [JsonObject, FieldPath]> {
  for (const [part, where] of partsOf(schema, at)) {
    yield [part, where];
    yield* below(part, where);
  }
}

function* below(schema: JsonObject, at: FieldPath): Iterable<readonly [JsonObject, FieldPath]> {
  yield* restrictionsIn(schema, at);
  const { properties, items, additionalProperties } = schema;
  for (const [name, property] of isObject(properties) ? Object.entries(properties) : [])
    if (isObject(property)) yield* withAllBelow(property, at('properties').key(name));
  if (isObject(items)) yield* withAllBelow(items, at('items'));
  if (isObject(additionalProperties)) yield* withAllBelow(additionalProperties, at('additionalProperties'));
}

function* withAllBelow(schema: JsonObject, at: FieldPath): Iterable<readonly [JsonObject, FieldPath]> {
  yield [schema, at];
  yield* below(schema, at);
}

function* partsOf(schema: JsonObject, at: FieldPath): Iterable<readonly [JsonObject, FieldPath]> {
  for (const { part, where } of junctorsOf(schema, at)) yield [part, where];
  const { definitions, dependencies, items } = schema;
  for (const [name, part] of isObject(definitions) ? Object.entries(definitions) : [])
    if (isObject(part)) yield [part, at('definitions').key(name)];
  for (const [name, part] of isObject(dependencies) ? Object.entries(dependencies) : [])
    if (isObject(part)) yield [part, at('dependencies').key(name)];
  if (Array.isArray(items))
    for (const [index, part] of items.entries()) if (isObject(part)) yield [part, at('items', index)];
}
