import type { FieldPath, Issue } from '../issue.ts';
import { isObject, type JsonObject } from '../record.ts';

/** The rules about `x-kubernetes-list-type`, `-list-map-keys` and `-map-type`. */
export function* validateListFacts(schema: JsonObject, at: FieldPath): Iterable<Issue> {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'];
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType !== undefined) {
    if (mapType !== 'atomic' && mapType !== 'granular') {
      yield at('x-kubernetes-map-type').notSupported(mapType, ['atomic', 'granular']);
    }
    if (schema['type'] !== 'object') {
      yield at('type').invalid(schema['type'], 'must be object if x-kubernetes-map-type is specified');
    }
  }
  const hasKeys = Array.isArray(keys) && keys.length > 0;
  if (hasKeys && listType !== 'map') {
    yield at('x-kubernetes-list-type').invalid(listType, 'must be map if x-kubernetes-list-map-keys is non-empty');
  }
  if (listType === undefined) return;
  if (schema['type'] !== 'array') {
    yield at('type').invalid(schema['type'], 'must be array if x-kubernetes-list-type is specified');
  }
  const items = isObject(schema['items']) ? schema['items'] : {};
  if (listType === 'map') yield* validateMapList({ items, keys: hasKeys ? keys : [] }, at);
  else if (listType === 'set') yield* validateSet(items, at);
  else if (listType !== 'atomic') {
    yield at('x-kubernetes-list-type').notSupported(listType, ['atomic', 'map', 'set']);
  }
}

function* validateSet(items: JsonObject, at: FieldPath): Iterable<Issue> {
  const { type } = items;
  if (type === 'array' && items['x-kubernetes-list-type'] !== 'atomic') {
    yield at('items', 'x-kubernetes-list-type').invalid(
      items['x-kubernetes-list-type'],
      'must be atomic as item of a list with x-kubernetes-list-type=set',
    );
  }
  if (type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    yield at('items', 'x-kubernetes-map-type').invalid(
      items['x-kubernetes-map-type'],
      'must be atomic as item of a list with x-kubernetes-list-type=set',
    );
  }
  if (items['nullable'] === true) {
    yield at('items', 'nullable').forbidden('cannot be nullable when x-kubernetes-list-type is set');
  }
}

function* validateMapList(
  { items, keys }: { readonly items: JsonObject; readonly keys: readonly unknown[] },
  at: FieldPath,
): Iterable<Issue> {
  if (keys.length === 0) {
    yield at('x-kubernetes-list-map-keys').required('must not be empty if x-kubernetes-list-type is map');
  }
  if (items['type'] !== 'object') {
    yield at('items', 'type').invalid(items['type'], 'must be object if parent array is x-kubernetes-list-type=map');
  }
  const properties = isObject(items['properties']) ? items['properties'] : {};
  const required = Array.isArray(items['required']) ? items['required'] : [];
  const seen = new Set<unknown>();
  for (const [index, key] of keys.entries()) {
    const where = at('x-kubernetes-list-map-keys', index);
    if (seen.has(key)) yield where.duplicate(key);
    seen.add(key);
    const property = typeof key === 'string' && Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (!isObject(property)) {
      yield where.invalid(key, 'must be the name of a property of the items');
      continue;
    }
    const place = at('items', 'properties').key(String(key));
    if (property['type'] === 'object' || property['type'] === 'array') {
      yield place('type').invalid(
        property['type'],
        'must be a scalar type if parent array is x-kubernetes-list-type=map',
      );
    }
    if (!required.includes(key) && property['default'] === undefined) {
      yield place('default').required(
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      );
    }
  }
}
