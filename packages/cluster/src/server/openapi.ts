import { definitionsJson } from '../api/generated/schema.ts';
import { apiVersionOf } from '../api/gvk.ts';
import { isObject, type JsonObject } from '../api/record.ts';
import type { Served } from './registry.ts';

/**
 * OpenAPI documents, made from the schema facts and from what is served. Clients look up three things: the schema of a
 * kind (explain), its patch keys (apply), and whether its patch operation knows `fieldValidation` and `dryRun`.
 */

const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const info = (version: string): JsonObject => ({ title: 'Kubernetes', version });

let builtin: JsonObject | undefined;
const builtinSchemas = (): JsonObject => {
  builtin ??= JSON.parse(definitionsJson) as JsonObject;
  return builtin;
};

export function openapi2(served: readonly Served[], version: string): object {
  const definitions: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(builtinSchemas()))
    definitions[name] = referring(schema, '#/definitions/');
  for (const each of served)
    if (each.crd !== undefined) definitions[schemaName(each)] = referring(customSchema(each), '#/definitions/');
  return {
    swagger: '2.0',
    info: info(version),
    paths: pathsOf(served, { refs: '#/definitions/', v3: false }),
    definitions,
  };
}

/** `{ paths: { 'apis/apps/v1': … } }`; `editionOf` makes the address of a changed document another one. */
export function openapi3Index(served: readonly Served[], editionOf: (path: string) => string): object {
  const paths = [...new Set(served.map(groupVersionPath))];
  return {
    paths: Object.fromEntries(
      paths.map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${editionOf(path)}` }]),
    ),
  };
}

/** The document of one group and version; undefined when it is not served. */
export function openapi3(
  served: readonly Served[],
  { path, version }: { readonly path: string; readonly version: string },
): object | undefined {
  const inVersion = served.filter((each) => groupVersionPath(each) === path);
  if (inVersion.length === 0) return undefined;
  const schemas = new Map<string, unknown>();
  const take = (name: string): void => {
    const schema = builtinSchemas()[name];
    if (schema === undefined || schemas.has(name)) return;
    schemas.set(name, undefined);
    schemas.set(name, referring(schema, refs3, take));
  };
  for (const each of inVersion) {
    if (each.crd === undefined) take(schemaName(each));
    else schemas.set(schemaName(each), referring(customSchema(each), refs3, take));
    for (const { kind } of each.definition.subresources) take(definitionOfKind(kind));
  }
  return {
    openapi: '3.0.0',
    info: info(version),
    paths: pathsOf(inVersion, { refs: refs3, v3: true }),
    components: { schemas: Object.fromEntries(schemas) },
  };
}

const refs3 = '#/components/schemas/';

export function groupVersionPath({ definition }: Served): string {
  return definition.group === '' ? `api/${definition.version}` : `apis/${definition.group}/${definition.version}`;
}

/** Copies a schema with whole references where the facts hold just names, and reports every name. */
function referring(schema: unknown, prefix: string, onName?: (name: string) => void): unknown {
  if (Array.isArray(schema)) return schema.map((each) => referring(each, prefix, onName));
  if (!isObject(schema)) return schema;
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === '$ref' && typeof value === 'string') {
      onName?.(value);
      copy[key] = prefix + value;
    } else if (key === 'properties' && isObject(value)) {
      // Here the keys are the names of fields, which may be called like a keyword.
      const fields = Object.entries(value).map(([name, field]) => [name, referring(field, prefix, onName)]);
      copy[key] = Object.fromEntries(fields) as unknown;
    } else copy[key] = key === 'default' || key === 'enum' ? value : referring(value, prefix, onName);
  }
  return copy;
}

function schemaName({ definition }: Served): string {
  const { schema, group, version, kind } = definition;
  return typeof schema === 'string' ? schema : `${group.split('.').reverse().join('.')}.${version}.${kind}`;
}

function customSchema({ definition }: Served): JsonObject {
  const { schema, group, version, kind } = definition;
  const given = typeof schema === 'string' ? {} : schema;
  const properties = isObject(given['properties']) ? given['properties'] : {};
  return {
    ...given,
    properties: {
      ...properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { $ref: objectMeta },
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind }],
  };
}

/** The generated name of a built-in kind that a subresource shows. */
function definitionOfKind({
  group,
  version,
  kind,
}: {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}): string {
  const short = group === '' ? 'core' : (group.split('.')[0] ?? group);
  return `io.k8s.api.${short}.${version}.${kind}`;
}

interface PathOptions {
  readonly refs: string;
  readonly v3: boolean;
}

function pathsOf(served: readonly Served[], options: PathOptions): JsonObject {
  const paths: Record<string, unknown> = {};
  for (const each of served) {
    const { definition } = each;
    const base = `/${groupVersionPath(each)}`;
    const collection = definition.namespaced
      ? `${base}/namespaces/{namespace}/${definition.resource}`
      : `${base}/${definition.resource}`;
    paths[collection] = operations(each, { ...options, verbs: collectionVerbs });
    paths[`${collection}/{name}`] = operations(each, { ...options, verbs: objectVerbs });
    if (definition.hasStatus)
      paths[`${collection}/{name}/status`] = operations(each, { ...options, verbs: statusVerbs });
  }
  return paths;
}

type Verbs = readonly (readonly [method: string, action: string, verb: string])[];

const collectionVerbs: Verbs = [
  ['get', 'list', 'list'],
  ['post', 'post', 'create'],
  ['delete', 'deletecollection', 'deletecollection'],
];
const objectVerbs: Verbs = [
  ['get', 'get', 'get'],
  ['put', 'put', 'update'],
  ['patch', 'patch', 'patch'],
  ['delete', 'delete', 'delete'],
];
const statusVerbs: Verbs = objectVerbs.filter(([method]) => method !== 'delete');

function operations(served: Served, { refs, v3, verbs }: PathOptions & { readonly verbs: Verbs }): JsonObject {
  const { definition, traits } = served;
  const { group, version, kind } = definition;
  const schema = { $ref: refs + schemaName(served) };
  const result: Record<string, unknown> = {};
  for (const [method, action, verb] of verbs) {
    if (!traits.verbs.some((each) => each === verb)) continue;
    result[method] = {
      operationId: `${action}${apiVersionOf(definition).replace(/[^A-Za-z0-9]/g, '')}${kind}`,
      parameters: writes.has(method) ? writeParameters(v3) : [],
      responses: {
        '200': v3 ? { description: 'OK', content: { 'application/json': { schema } } } : { description: 'OK', schema },
      },
      'x-kubernetes-action': action,
      'x-kubernetes-group-version-kind': { group, version, kind },
    };
  }
  return result;
}

const writes: ReadonlySet<string> = new Set(['post', 'put', 'patch', 'delete']);

function writeParameters(v3: boolean): readonly object[] {
  return ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
    name,
    in: 'query',
    ...(v3 ? { schema: { type: 'string', uniqueItems: true } } : { type: 'string', uniqueItems: true }),
  }));
}
