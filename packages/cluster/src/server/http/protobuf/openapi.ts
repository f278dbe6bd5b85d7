/**
 * An OpenAPI v2 document in the protobuf form of gnostic's `openapi.v2.Document`, the only form in which kubectl asks for
 * it: kubectl up to 1.26 explains resources from it and checks manifests against it, later ones fall back to it. Field
 * numbers are those of gnostic's OpenAPIv2.proto.
 */
import { formatExactJson } from '../../../base/exact-json.ts';
import { bool, bytes, double, type Field, integer, message, text, texts } from './message.ts';

type Json = Readonly<Record<string, unknown>>;

export function encodeOpenapi2(document: object): Buffer {
  const { swagger, info, host, basePath, schemes, consumes, produces, paths, definitions } = record(document);
  return message(
    text(1, swagger),
    bytes(2, encodeInfo(record(info))),
    text(3, host),
    text(4, basePath),
    texts(5, schemes),
    texts(6, consumes),
    texts(7, produces),
    bytes(8, encodePaths(record(paths))),
    bytes(9, named(1, record(definitions), encodeSchema)),
    vendorExtensions(16, record(document)),
  );
}

function encodeInfo({ title, version, description }: Json): Buffer {
  return message(text(1, title), text(2, version), text(3, description));
}

function encodePaths(paths: Json): Buffer {
  return named(2, paths, encodePathItem);
}

/** Methods and their field numbers in a PathItem. */
const methods: readonly (readonly [string, number])[] = [
  ['get', 2],
  ['put', 3],
  ['post', 4],
  ['delete', 5],
  ['options', 6],
  ['head', 7],
  ['patch', 8],
];

function encodePathItem(item: Json): Buffer {
  return message(
    methods.map(([method, number]) =>
      item[method] === undefined ? message() : bytes(number, encodeOperation(record(item[method]))),
    ),
    list(item['parameters']).map((parameter) => bytes(9, encodeParameter(parameter))),
    vendorExtensions(10, item),
  );
}

function encodeOperation(operation: Json): Buffer {
  return message(
    texts(1, operation['tags']),
    text(2, operation['summary']),
    text(3, operation['description']),
    text(5, operation['operationId']),
    texts(6, operation['produces']),
    texts(7, operation['consumes']),
    list(operation['parameters']).map((parameter) => bytes(8, encodeParameter(parameter))),
    bytes(9, named(1, record(operation['responses']), encodeResponse)),
    texts(10, operation['schemes']),
    bool(11, operation['deprecated']),
    vendorExtensions(13, operation),
  );
}

/** A ParametersItem: either a reference or a parameter, whose form depends on where it stands. */
function encodeParameter(parameter: Json): Buffer {
  if (typeof parameter['$ref'] === 'string') return message(bytes(2, message(text(1, parameter['$ref']))));
  const { description, name, in: place, required, schema } = parameter;
  if (place === 'body') {
    const body = message(
      text(1, description),
      text(2, name),
      text(3, place),
      bool(4, required),
      bytes(5, encodeSchema(record(schema))),
    );
    return message(bytes(1, message(bytes(1, body))));
  }
  const form = parameterForms[String(place)] ?? parameterForms['query'];
  if (form === undefined) return message();
  const inner = message(
    bool(1, required),
    text(2, place),
    text(3, description),
    text(4, name),
    text(form.typeField, parameter['type']),
    text(form.typeField + 1, parameter['format']),
    bool(form.uniqueField, parameter['uniqueItems']),
  );
  return message(bytes(1, message(bytes(2, message(bytes(form.number, inner))))));
}

/** In a query parameter `allowEmptyValue` stands before the type and shifts everything by one. */
const parameterForms: Readonly<
  Record<string, { readonly number: number; readonly typeField: number; readonly uniqueField: number }>
> = {
  header: { number: 1, typeField: 5, uniqueField: 19 },
  formData: { number: 2, typeField: 6, uniqueField: 20 },
  query: { number: 3, typeField: 6, uniqueField: 20 },
  path: { number: 4, typeField: 5, uniqueField: 19 },
};

function encodeResponse(response: Json): Buffer {
  if (typeof response['$ref'] === 'string') return message(bytes(2, message(text(1, response['$ref']))));
  const schema = response['schema'];
  return message(
    bytes(
      1,
      message(
        text(1, response['description']),
        schema === undefined ? message() : bytes(2, message(bytes(1, encodeSchema(record(schema))))),
      ),
    ),
  );
}

function encodeSchema(schema: Json): Buffer {
  return message(
    text(1, schema['$ref']),
    text(2, schema['format']),
    text(3, schema['title']),
    text(4, schema['description']),
    schema['default'] === undefined ? message() : bytes(5, any(schema['default'])),
    double(6, schema['multipleOf']),
    double(7, schema['maximum']),
    bool(8, schema['exclusiveMaximum']),
    double(9, schema['minimum']),
    bool(10, schema['exclusiveMinimum']),
    integer(11, schema['maxLength']),
    integer(12, schema['minLength']),
    text(13, schema['pattern']),
    integer(14, schema['maxItems']),
    integer(15, schema['minItems']),
    bool(16, schema['uniqueItems']),
    integer(17, schema['maxProperties']),
    integer(18, schema['minProperties']),
    texts(19, schema['required']),
    values(schema['enum']).map((value) => bytes(20, any(value))),
    additionalProperties(schema['additionalProperties']),
    typeItem(schema['type']),
    schema['items'] === undefined ? message() : bytes(23, message(bytes(1, encodeSchema(record(schema['items']))))),
    list(schema['allOf']).map((part) => bytes(24, encodeSchema(part))),
    schema['properties'] === undefined ? message() : bytes(25, named(1, record(schema['properties']), encodeSchema)),
    text(26, schema['discriminator']),
    bool(27, schema['readOnly']),
    vendorExtensions(31, schema),
  );
}

function additionalProperties(value: unknown): Field {
  if (value === undefined) return message();
  return bytes(
    21,
    typeof value === 'boolean' ? message(bool(2, value)) : message(bytes(1, encodeSchema(record(value)))),
  );
}

function typeItem(type: unknown): Field {
  const types = typeof type === 'string' ? [type] : type;
  return types === undefined ? message() : bytes(22, message(texts(1, types)));
}

function vendorExtensions(number: number, of: Json): readonly Field[] {
  return Object.entries(of)
    .filter(([key, value]) => key.startsWith('x-') && value !== undefined)
    .map(([key, value]) => bytes(number, message(text(1, key), bytes(2, any(value)))));
}

/** Any value as YAML, of which JSON is a part. */
function any(value: unknown): Buffer {
  return message(text(2, `${formatExactJson(value)}\n`));
}

function named(number: number, entries: Json, encode: (value: Json) => Buffer): Buffer {
  return message(
    Object.entries(entries).map(([name, value]) =>
      bytes(number, message(text(1, name), bytes(2, encode(record(value))))),
    ),
  );
}

function record(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function values(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function list(value: unknown): readonly Json[] {
  return values(value).map(record);
}
