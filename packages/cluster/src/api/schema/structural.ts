import { isKnownGood } from '../../base/known-good.ts';
import { type FieldPath, type Issue, root } from '../issue.ts';
import { isObject, type JsonObject, own } from '../record.ts';
import { defaultsOf, hasTypeOnly } from './default.ts';
import { fromOpenApiV3 } from './node.ts';
import { patternProblem } from './pattern.ts';
import { restrictionsIn, validateJunctors } from './structural-junctors.ts';
import { validateListFacts } from './structural-lists.ts';
import { validateRules } from './structural-rules.ts';
import { validateValue } from './value.ts';

// Callers find everything about schemas of custom resources here; the parts are files of their own.
export { defaultValue, pruneValue } from './default.ts';
export { type Past, type ValueChange, validateChange, validateValue } from './value.ts';

/*
 * A schema of a CustomResourceDefinition must be structural: every field has a type where it stands, and what sits in
 * allOf, anyOf, oneOf and not only restricts it further.
 */
const nodesMax = 50_000;
const depthMax = 100;
const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** What is wrong with the schema of a custom resource; `at` is where it stands in the definition. */
export function validateStructural(schema: unknown, at: FieldPath): readonly Issue[] {
  if (!isObject(schema)) return [at.required('schemas are required')];
  if (isKnownGood(schema)) return [];
  if (isTooLarge(schema)) {
    return [at.forbidden(`the schema has more than ${nodesMax} nodes or is nested deeper than ${depthMax} levels`)];
  }
  const inNodes = [...validateNode(schema, at, { isRoot: true })];
  // As upstream, which does not ask for the structure of a schema with what cannot be read.
  const dialect = schema['$schema'] ?? '';
  const unread = dialect !== '' || inNodes.some(({ message }) => unreadable.test(message));
  const { nullable } = schema;
  const atRoot = nullable === true ? [at('nullable').forbidden('nullable cannot be true at the root')] : [];
  const issues = unread
    ? [...atRoot, ...inNodes.filter(({ message }) => !ofStructure.test(message))]
    : [...validateRoot(schema, at), ...inNodes];
  if (issues.length === 0) issues.push(...validateDefaults(schema, at));
  return issues;
}

/** Iterative, so that depth cannot overflow the stack before it is judged. */
function isTooLarge(schema: JsonObject): boolean {
  const waiting: { readonly value: object; readonly depth: number }[] = [{ value: schema, depth: 0 }];
  let nodes = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (++nodes > nodesMax || next.depth > depthMax * 2) return true;
    const depth = next.depth + 1;
    for (const key in next.value) {
      const value = (next.value as JsonObject)[key];
      if (typeof value === 'object' && value !== null) waiting.push({ value, depth });
    }
  }
  return false;
}

function* validateRoot(schema: JsonObject, at: FieldPath): Iterable<Issue> {
  const type = own(schema, 'type');
  if (type === undefined || type === '') yield at('type').required('must not be empty at the root');
  else if (type !== 'object') yield at('type').invalid(type, 'must be object at the root');
  if (own(schema, 'nullable') === true) yield at('nullable').forbidden('nullable cannot be true at the root');
  const metadata = own((own(schema, 'properties') as JsonObject) ?? {}, 'metadata');
  if (!isObject(metadata)) return;
  const allowed = isObject(metadata['properties']) ? Object.keys(metadata['properties']) : [];
  const extra = Object.keys(metadata).some((key) => !['type', 'properties', 'default'].includes(key));
  if (extra || allowed.some((name) => name !== 'name' && name !== 'generateName')) {
    yield at('properties')
      .key('metadata')
      .forbidden('must not specify anything other than name and generateName, but metadata is implicitly specified');
  }
}

interface Place {
  readonly isRoot?: boolean;
  /** How messages call the place, e.g. `specified object fields`. */
  readonly as?: string;
}

/** Schemas of custom resources have thousands of nodes, most of them without anything that these rules are about. */
function* validateNode(schema: JsonObject, at: FieldPath, place: Place): Iterable<Issue> {
  if (isLeaf(schema)) return;
  yield* validateType(schema, at, place);
  if (hasMoreThanFields(schema)) {
    yield* validateForbidden(schema, at);
    yield* validateExtensions(schema, at);
    yield* validateListFacts(schema, at);
    yield* validateJunctors(schema, at);
    yield* validateRestrictions(schema, at);
  }
  const { properties, items, additionalProperties, pattern } = schema;
  if (typeof pattern === 'string') {
    const problem = patternProblem(pattern);
    if (problem !== undefined) {
      yield at('pattern').invalid(pattern, `must be a valid regular expression, but isn't: ${problem}`);
    }
  }
  if (isObject(properties)) {
    for (const name of Object.keys(properties)) {
      const property = properties[name];
      if (!isObject(property)) yield at('properties').key(name).typeInvalid(property, 'must be a schema object');
      else if (!isLeaf(property))
        yield* validateNode(property, at('properties').key(name), { as: 'specified object fields' });
    }
  }
  if (isObject(items)) yield* validateNode(items, at('items'), { as: 'specified array items' });
  if (isObject(additionalProperties)) {
    yield* validateNode(additionalProperties, at('additionalProperties'), { as: 'specified object fields' });
  }
}

/** A field of a known simple type about which nothing more is said. */
function isLeaf(schema: JsonObject): boolean {
  const { type } = schema;
  return (type === 'string' || type === 'boolean' || type === 'integer' || type === 'number') && hasTypeOnly(schema);
}

/** What is checked for every node, or not checked at all. */
const fieldsOnly: ReadonlySet<string> = new Set([
  'type',
  'description',
  'format',
  'properties',
  'items',
  'required',
  'enum',
  'default',
  'pattern',
]);

function hasMoreThanFields(schema: JsonObject): boolean {
  for (const key in schema) if (!fieldsOnly.has(key)) return true;
  return false;
}

function* validateType(schema: JsonObject, at: FieldPath, { isRoot, as = '' }: Place): Iterable<Issue> {
  const { type } = schema;
  const free = schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (type === undefined || type === '') {
    if (!free && isRoot !== true) yield at('type').required(`must not be empty for ${as}`);
  } else if (type === 'null') {
    yield at('type').forbidden('type cannot be set to null, use nullable as an alternative');
  } else if (typeof type !== 'string' || !types.includes(type)) {
    yield at('type').notSupported(type, types);
  }
  if (schema['items'] === undefined && type === 'array') yield at('items').required('must be specified');
  if (Array.isArray(schema['items'])) yield at('items').forbidden('items must be a schema object and not an array');
}

const unsupported: Readonly<Record<string, string>> = {
  $ref: '$ref is not supported',
  definitions: 'definitions is not supported',
  dependencies: 'dependencies is not supported',
  patternProperties: 'patternProperties is not supported',
  additionalItems: 'additionalItems is not supported',
  deprecated: 'deprecated is not supported',
  discriminator: 'discriminator is not supported',
  readOnly: 'readOnly is not supported',
  writeOnly: 'writeOnly is not supported',
  xml: 'xml is not supported',
  id: 'id is not supported',
};

const unreadable = /(?:\$ref|definitions|dependencies|patternProperties|additionalItems|id) is not supported$/;

/** What is asked of the structure only. */
const ofStructure =
  /must not be empty (?:at the root|for specified)|must be object at the root|to be structural$|: must be specified$|because it is defined in|must not be specified in a nested context|if x-kubernetes-embedded-resource|if x-kubernetes-int-or-string|must be a valid regular expression/;

/** Of schemas that only restrict, what holds of every schema. */
function* validateRestrictions(schema: JsonObject, at: FieldPath): Iterable<Issue> {
  for (const [part, where] of restrictionsIn(schema, at)) {
    const { type } = part;
    if (type === 'null') yield where('type').forbidden('type cannot be set to null, use nullable as an alternative');
    else if (type !== undefined && type !== '' && (typeof type !== 'string' || !types.includes(type)))
      yield where('type').notSupported(type, types);
    yield* validateForbidden(part, where);
    if (part['x-kubernetes-preserve-unknown-fields'] === false)
      yield where('x-kubernetes-preserve-unknown-fields').invalid(false, 'must be true or undefined');
    yield* validateListFacts(part, where);
  }
}

function* validateForbidden(schema: JsonObject, at: FieldPath): Iterable<Issue> {
  for (const [name, message] of Object.entries(unsupported)) {
    if (Object.hasOwn(schema, name) && schema[name] !== '') yield at(name).forbidden(message);
  }
  if (schema['uniqueItems'] === true) {
    yield at('uniqueItems').forbidden(
      'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    );
  }
  if (schema['additionalProperties'] === false) {
    yield at('additionalProperties').forbidden('additionalProperties cannot be set to false');
  }
  const both = isObject(schema['properties']) && Object.keys(schema['properties']).length > 0;
  if (both && schema['additionalProperties'] !== undefined && schema['additionalProperties'] !== false) {
    yield at('additionalProperties').forbidden('additionalProperties and properties are mutual exclusive');
  }
}

function* validateExtensions(schema: JsonObject, at: FieldPath): Iterable<Issue> {
  const { type } = schema;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    yield at('x-kubernetes-preserve-unknown-fields').invalid(false, 'must be true or undefined');
  }
  if (schema['x-kubernetes-int-or-string'] === true && type !== undefined && type !== '') {
    yield at('type').invalid(type, 'must be empty if x-kubernetes-int-or-string is true');
  }
  if (schema['x-kubernetes-embedded-resource'] === true) {
    if (type !== 'object') yield at('type').invalid(type, 'must be object if x-kubernetes-embedded-resource is true');
    const hasProperties = isObject(schema['properties']);
    if (!hasProperties && schema['x-kubernetes-preserve-unknown-fields'] !== true) {
      yield at('properties').required(
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      );
    }
  }
  yield* validateRules(schema, at);
}

/** A default must satisfy the schema it stands in, and hold no field that pruning would take out. Its places are told from its own root. */
function* validateDefaults(schema: JsonObject, at: FieldPath): Iterable<Issue> {
  for (const { where, value, schema: part } of defaultsOf(schema, at))
    for (const issue of validateValue(value, fromOpenApiV3(part), root)) yield below(issue, where);
}

/** What was told of a value, told of where the value stands. */
function below(issue: Issue, at: FieldPath): Issue {
  const { field } = issue;
  const place = at.toString();
  return { ...issue, field: field === '<nil>' ? place : field.startsWith('[') ? place + field : `${place}.${field}` };
}
