import type { FieldPath, Issue } from '../issue.ts';
import { isObject, type JsonObject } from '../record.ts';

/** The rules about `x-kubernetes-list-type`, `-list-map-keys` and `-map-type`. */
export function* validateListFacts(schema: JsonObject, at: FieldPath): Iterable<Issue> {
  const listType = schema['x-kubernetes-list-type'];
  const keys = keysOf(schema);
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType !== undefined) {
    yield* typeIssues(schema, at('type'), { wanted: 'object', by: 'x-kubernetes-map-type' });
    if (mapType !== 'atomic' && mapType !== 'granular')
      yield at('x-kubernetes-map-type').notSupported(mapType, ['atomic', 'granular']);
  }
  const place = at('x-kubernetes-list-type');
  const needed = 'must be map if x-kubernetes-list-map-keys is non-empty';
  if (keys.length > 0 && listType === undefined) yield place.required(needed);
  else if (keys.length > 0 && listType !== 'map') yield place.invalid(listType, needed);
  if (listType === undefined) return;
  const { items } = schema;
  if (schema['type'] !== 'array')
    yield* typeIssues(schema, at('type'), { wanted: 'array', by: 'x-kubernetes-list-type' });
  else if (listType === 'set' && isObject(items)) yield* atomicIssues(items, at('items'));
  if (listType === 'map') yield* validateMapList(schema, at);
  else if (listType !== 'set' && listType !== 'atomic') {
    yield place.notSupported(listType, ['atomic', 'set', 'map']);
    return;
  }
  if (listType !== 'atomic' && isObject(items) && items['nullable'] === true)
    yield at('items', 'nullable').forbidden(`cannot be nullable when x-kubernetes-list-type is ${listType}`);
}

function keysOf(schema: JsonObject): readonly unknown[] {
  const keys = schema['x-kubernetes-list-map-keys'];
  return Array.isArray(keys) ? keys : [];
}

interface Wish {
  readonly wanted: 'object' | 'array';
  readonly by: string;
}

function* typeIssues({ type }: JsonObject, at: FieldPath, { wanted, by }: Wish): Iterable<Issue> {
  if (type === wanted) return;
  const why = `must be ${wanted} if ${by} is specified`;
  if (type === undefined || type === '') yield at.required(why);
  else yield at.invalid(type, why);
}

/** Elements of a set are compared as a whole. As upstream, the type of the list is quoted in both places. */
function* atomicIssues(items: JsonObject, at: FieldPath): Iterable<Issue> {
  const why = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items['x-kubernetes-list-type'];
  const mapType = items['x-kubernetes-map-type'];
  if (items['type'] === 'array' && listType !== undefined && listType !== 'atomic')
    yield at('x-kubernetes-list-type').invalid(listType, why);
  if (items['type'] === 'object' && mapType !== 'atomic') yield at('x-kubernetes-map-type').invalid(listType, why);
}

function* validateMapList(schema: JsonObject, at: FieldPath): Iterable<Issue> {
  const keys = keysOf(schema);
  const { items } = schema;
  const place = at('x-kubernetes-list-map-keys');
  if (keys.length === 0) yield place.required('must not be empty if x-kubernetes-list-type is map');
  if (items === undefined) yield at('items').required('must have a schema if x-kubernetes-list-type is map');
  else if (!isObject(items))
    yield at('items').invalid(items, 'must only have a single schema if x-kubernetes-list-type is map');
  if (!isObject(items)) return;
  const type = items['type'] ?? '';
  if (type !== 'object')
    yield at('items', 'type').invalid(type, "must be object if parent array's x-kubernetes-list-type is map");
  const properties = isObject(items['properties']) ? items['properties'] : {};
  for (const [index, key] of keys.entries()) {
    const property = typeof key === 'string' && Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (type === 'object') {
      if (!isObject(property)) yield place.invalid(keys, 'entries must all be names of item properties');
      if (keys.indexOf(key) < index) yield place.invalid(keys, 'must not contain duplicate entries');
    }
    if (!isObject(property)) continue;
    const where = at('items', 'properties').key(String(key));
    // As upstream, which quotes the type of the element.
    if (type === 'object' && (property['type'] === 'object' || property['type'] === 'array'))
      yield where('type').invalid(type, "must be a scalar type if parent array's x-kubernetes-list-type is map");
    yield* keyIssues(property, where, { isRequired: isRequired(items, key) });
  }
}

function isRequired({ required }: JsonObject, key: unknown): boolean {
  return Array.isArray(required) && required.includes(key);
}

function* keyIssues(
  property: JsonObject,
  at: FieldPath,
  { isRequired: isGiven }: { readonly isRequired: boolean },
): Iterable<Issue> {
  if (!isGiven && property['default'] === undefined)
    yield at('default').required(
      'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    );
  if (property['nullable'] === true)
    yield at('nullable').forbidden('this property is in x-kubernetes-list-map-keys, so it cannot be nullable');
}
