import { apiVersionOf } from '../gvk.ts';
import { isObject, type JsonObject } from '../record.ts';
import { definition } from '../schema/definitions.ts';
import { descriptionOf } from '../schema/descriptions.ts';
import { listMetaDefinition, objectMetaDefinition } from '../schema/node.ts';
import type { ServedResource } from './documents.ts';

const prefix = '#/components/schemas/';

/** The name of the resource's schema: that of the definition, or `com.example.v1.Kind` for a custom resource. */
export function schemaName({ group, version, kind, schema }: ServedResource): string {
  if (typeof schema === 'string') return schema;
  return [...group.split('.').reverse(), version, kind].join('.');
}

/** All schemas that the resources need, by name, sorted. */
export function componentsFor(resources: readonly ServedResource[]): JsonObject {
  const schemas = new Map<string, JsonObject>();
  const waiting: string[] = [];
  for (const resource of resources) {
    const { schema, subresources } = resource;
    if (typeof schema === 'string') waiting.push(schema, `${schema}List`);
    else addCustom(resource, schema, schemas);
    waiting.push(objectMetaDefinition, listMetaDefinition);
    for (const { kind } of subresources) waiting.push(...definitionsOf(kind));
  }
  for (const kind of ['Patch', 'Status']) waiting.push(`io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const facts = schemas.has(name) ? undefined : definition(name);
    if (facts === undefined) continue;
    // People write quantities as numbers, too.
    if (name.endsWith('.Quantity')) schemas.set(name, { oneOf: [{ type: 'string' }, { type: 'number' }] });
    else schemas.set(name, described(name, facts, waiting));
  }
  return Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Built-in kinds live under `io.k8s.api.<group>.<version>`, with the short form of the group. */
function definitionsOf({
  group,
  version,
  kind,
}: {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}): readonly string[] {
  const short = group === '' ? 'core' : (group.split('.')[0] ?? group);
  return [`io.k8s.api.${short}.${version}.${kind}`];
}

function described(name: string, facts: JsonObject, waiting: string[]): JsonObject {
  const about = descriptionOf(name);
  const { properties } = facts;
  const base = { ...(about !== undefined && { description: about }), ...shape(facts, waiting) };
  if (!isObject(properties)) return base;
  const fields = Object.entries(properties).map(([field, property]) => {
    const text = descriptionOf(name, field);
    const made = shape(property as JsonObject, waiting);
    return [field, text === undefined ? made : beside(made, { description: text })] as const;
  });
  return { ...base, properties: Object.fromEntries(fields) };
}

/** The facts in the dialect of OpenAPI 3. Nothing may stand beside a `$ref` there, so it goes into an `allOf`. */
function shape(facts: JsonObject, waiting: string[]): JsonObject {
  const { $ref, items, properties, additionalProperties, ...rest } = facts;
  if (typeof $ref === 'string') {
    waiting.push($ref);
    return beside({ $ref: prefix + $ref }, rest);
  }
  if (rest['format'] === 'int-or-string')
    return { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] };
  return {
    ...rest,
    ...(isObject(items) && { items: shape(items, waiting) }),
    ...(isObject(additionalProperties) && { additionalProperties: shape(additionalProperties, waiting) }),
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, shape(property as JsonObject, waiting)]),
      ),
    }),
  };
}

function beside(schema: JsonObject, more: JsonObject): JsonObject {
  if (Object.keys(more).length === 0) return schema;
  return '$ref' in schema ? { ...more, allOf: [schema] } : { ...schema, ...more };
}

function addCustom(resource: ServedResource, schema: JsonObject, schemas: Map<string, JsonObject>): void {
  const name = schemaName(resource);
  const { group, version, kind, selectableFields = [] } = resource;
  const selected = selectableFields.length > 0 && {
    'x-kubernetes-selectable-fields': selectableFields.map((fieldPath) => ({ fieldPath })),
  };
  schemas.set(name, {
    ...schema,
    type: 'object',
    properties: { ...(isObject(schema['properties']) && schema['properties']), ...objectFields(objectMetaDefinition) },
    'x-kubernetes-group-version-kind': [{ group, version, kind }],
    ...selected,
  });
  schemas.set(`${name}List`, {
    description: `A list of ${kind} objects of ${apiVersionOf(resource)}.`,
    type: 'object',
    required: ['items'],
    properties: {
      ...objectFields(listMetaDefinition),
      items: { description: descriptionOf(name, 'items') ?? '', type: 'array', items: { $ref: prefix + name } },
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind: `${kind}List` }],
    ...selected,
  });
}

function objectFields(metadata: string): JsonObject {
  return {
    apiVersion: { description: descriptionOf('', 'apiVersion'), type: 'string' },
    kind: { description: descriptionOf('', 'kind'), type: 'string' },
    metadata: { description: descriptionOf('', 'metadata'), allOf: [{ $ref: prefix + metadata }] },
  };
}
