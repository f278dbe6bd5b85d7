import type { FieldPath, Issue } from '../issue.ts';
import { isObject, type JsonObject } from '../record.ts';
import { patternProblem } from './pattern.ts';

const outsideOnly = ['description', 'type', 'default', 'additionalProperties', 'nullable', 'title'] as const;

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
  for (const name of outsideOnly) {
    if (part[name] !== undefined) yield where(name).forbidden('must be empty to be structural');
  }
  for (const name of Object.keys(part)) {
    if (name.startsWith('x-kubernetes-')) {
      yield where(name).forbidden('must be empty to be structural');
    }
  }
  const { properties, items, pattern } = part;
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
