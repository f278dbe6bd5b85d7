import { isObject, type JsonObject } from '../record.ts';

/** A document in the dialect of OpenAPI 2: definitions instead of components, bodies as parameters, no alternatives. */
export function toVersion2({
  info,
  paths,
  schemas,
}: {
  readonly info: JsonObject;
  readonly paths: JsonObject;
  readonly schemas: JsonObject;
}): JsonObject {
  return {
    swagger: '2.0',
    info,
    paths: Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, pathItem(item as JsonObject)])),
    definitions: Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, schemaNode(schema as JsonObject)]),
    ),
    securityDefinitions: { BearerToken: { type: 'apiKey', in: 'header', name: 'authorization' } },
    security: [{ BearerToken: [] }],
  };
}

function pathItem(item: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(item).map(([name, part]) => [
      name,
      name === 'parameters' ? (part as readonly JsonObject[]).map(parameter) : operation(part as JsonObject),
    ]),
  );
}

function operation({ requestBody, responses, parameters, ...rest }: JsonObject): JsonObject {
  const content = isObject(requestBody) && isObject(requestBody['content']) ? requestBody['content'] : undefined;
  const body = content === undefined ? [] : [{ name: 'body', in: 'body', required: true, schema: schemaIn(content) }];
  const all = [...body, ...((parameters ?? []) as readonly JsonObject[]).map(parameter)];
  return {
    ...rest,
    consumes: content === undefined ? ['*/*'] : Object.keys(content),
    produces: ['application/json', 'application/yaml'],
    schemes: ['https'],
    // Upstream's own structs drop an empty list, and would write another document than they have read.
    ...(all.length > 0 && { parameters: all }),
    responses: Object.fromEntries(
      Object.entries(responses as JsonObject).map(([code, response]) => [code, answer(response as JsonObject)]),
    ),
  };
}

function answer({ content, ...rest }: JsonObject): JsonObject {
  return isObject(content) ? { ...rest, schema: schemaIn(content) } : rest;
}

function schemaIn(content: JsonObject): JsonObject {
  const [first] = Object.values(content);
  return isObject(first) ? schemaNode(first['schema'] as JsonObject) : {};
}

function parameter({ schema, ...rest }: JsonObject): JsonObject {
  return isObject(schema) ? { ...rest, ...schema } : rest;
}

const unknownToVersion2 = ['nullable', 'default', 'anyOf', 'oneOf', 'not'];

function schemaNode(schema: JsonObject): JsonObject {
  const { $ref, allOf, ...rest } = schema;
  if (typeof $ref === 'string') return { $ref: $ref.replace('#/components/schemas/', '#/definitions/') };
  const [only] = Array.isArray(allOf) ? (allOf as readonly JsonObject[]) : [];
  if (only !== undefined && typeof only['$ref'] === 'string') return { ...rest, ...schemaNode(only) };
  if (isScalarChoice(schema)) {
    return { type: 'string', ...(schema['format'] !== undefined && { format: schema['format'] }) };
  }
  const kinds = schema['x-kubernetes-group-version-kind'];
  // A whole object of which nothing is known: whatever else stood here, clients of this version would forbid the rest.
  if (kinds !== undefined && schema['x-kubernetes-preserve-unknown-fields'] === true)
    return {
      ...pick(schema, (name) => ['description', 'x-kubernetes-selectable-fields'].includes(name)),
      type: 'object',
      'x-kubernetes-group-version-kind': kinds,
    };
  // Clients of this version would call unknown fields wrong where any are allowed.
  if (schema['x-kubernetes-preserve-unknown-fields'] === true || schema['x-kubernetes-int-or-string'] === true) {
    return pick(
      schema,
      (name) => name === 'description' || (name.startsWith('x-kubernetes-') && name !== 'x-kubernetes-validations'),
    );
  }
  const { properties, items, additionalProperties } = rest;
  return {
    ...pick(rest, (name) => !unknownToVersion2.includes(name)),
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, schemaNode(property as JsonObject)]),
      ),
    }),
    ...(isObject(items) && { items: schemaNode(items) }),
    ...(isObject(additionalProperties) && { additionalProperties: schemaNode(additionalProperties) }),
  };
}

/** Quantity and IntOrString: a string that may be written as a number. */
function isScalarChoice({ oneOf, type }: JsonObject): boolean {
  if (!Array.isArray(oneOf) || type !== undefined) return false;
  return oneOf.some((each) => isObject(each) && each['type'] === 'string' && Object.keys(each).length === 1);
}

function pick(object: JsonObject, wanted: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => wanted(name)));
}
