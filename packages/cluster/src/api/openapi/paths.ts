import { apiVersionOf, type GroupVersionKind } from '../gvk.ts';
import type { JsonObject } from '../record.ts';
import type { ServedResource, ServedSubresource } from './documents.ts';

export type PathItem = JsonObject;

const reference = '#/components/schemas/';
const customPatchTypes = ['application/json-patch+json', 'application/merge-patch+json'];
/** kubectl reads here whether `apply` may send a strategic merge: only kinds that are built in know how to. */
const patchTypes = [...customPatchTypes, 'application/strategic-merge-patch+json'];

/** The paths of a resource with their operations. kubectl finds the kind and the accepted options of a path here. */
export function pathsOf(served: ServedResource, schema: string): Readonly<Record<string, PathItem>> {
  const base = `/${served.group === '' ? 'api' : 'apis'}/${apiVersionOf(served)}`;
  const collection = `${base}${served.namespaced ? '/namespaces/{namespace}' : ''}/${served.resource}`;
  const paths: Record<string, PathItem> = {};
  paths[collection] = collectionItem(served, schema);
  if (served.namespaced && served.verbs.includes('list')) {
    paths[`${base}/${served.resource}`] = {
      get: operation(served, { verb: 'list', answer: `${schema}List`, scope: 'ForAllNamespaces' }),
      parameters: listParameters,
    };
  }
  paths[`${collection}/{name}`] = objectItem(served, schema);
  for (const sub of served.subresources) {
    paths[`${collection}/{name}/${sub.name}`] = subresourceItem(served, sub, schema);
  }
  return paths;
}

function collectionItem(served: ServedResource, schema: string): PathItem {
  return itemOf(
    served.verbs,
    {
      list: ['get', operation(served, { verb: 'list', answer: `${schema}List`, parameters: listParameters })],
      create: ['post', operation(served, { verb: 'post', answer: schema, body: schema, parameters: writeParameters })],
      deletecollection: [
        'delete',
        operation(served, { verb: 'deletecollection', answer: statusName, parameters: listParameters }),
      ],
    },
    served.namespaced ? [namespaceParameter] : [],
  );
}

function objectItem(served: ServedResource, schema: string): PathItem {
  const parameters = [nameParameter(served.kind), ...(served.namespaced ? [namespaceParameter] : [])];
  return itemOf(
    served.verbs,
    {
      get: ['get', operation(served, { verb: 'get', answer: schema })],
      update: ['put', operation(served, { verb: 'put', answer: schema, body: schema, parameters: writeParameters })],
      patch: [
        'patch',
        operation(served, { verb: 'patch', answer: schema, body: patchName, parameters: patchParameters }),
      ],
      delete: ['delete', operation(served, { verb: 'delete', answer: statusName, parameters: deleteParameters })],
    },
    parameters,
  );
}

function subresourceItem(served: ServedResource, sub: ServedSubresource, schema: string): PathItem {
  const own = sub.kind.kind === served.kind && sub.kind.group === served.group;
  const answer = own ? schema : undefined;
  const parameters = [nameParameter(served.kind), ...(served.namespaced ? [namespaceParameter] : [])];
  const target = { ...served, ...sub.kind };
  return itemOf(
    sub.verbs,
    {
      get: ['get', operation(target, { verb: 'get', answer, sub: sub.name })],
      create: [
        'post',
        operation(target, { verb: 'post', answer, body: answer, parameters: writeParameters, sub: sub.name }),
      ],
      update: [
        'put',
        operation(target, { verb: 'put', answer, body: answer, parameters: writeParameters, sub: sub.name }),
      ],
      patch: [
        'patch',
        operation(target, { verb: 'patch', answer, body: patchName, parameters: patchParameters, sub: sub.name }),
      ],
    },
    parameters,
  );
}

function itemOf(
  verbs: readonly string[],
  operations: Readonly<Record<string, readonly [string, JsonObject]>>,
  parameters: readonly JsonObject[],
): PathItem {
  const served = Object.entries(operations).filter(([verb]) => verbs.includes(verb));
  return {
    ...Object.fromEntries(served.map(([, [method, made]]) => [method, made])),
    ...(parameters.length > 0 && { parameters }),
  };
}

interface OperationOptions {
  readonly verb: string;
  /** Names of schemas. */
  readonly answer?: string | undefined;
  readonly body?: string | undefined;
  readonly parameters?: readonly JsonObject[];
  readonly sub?: string;
  readonly scope?: string;
}

function operation(served: ServedResource & GroupVersionKind, options: OperationOptions): JsonObject {
  const { verb, answer, body, parameters = [], sub = '', scope = '' } = options;
  const { group, version, kind } = served;
  const patches = typeof served.schema === 'string' ? patchTypes : customPatchTypes;
  const media = body === patchName ? patches : ['application/json', 'application/yaml'];
  return {
    description: `${verb} ${sub === '' ? '' : `${sub} of `}${served.resource}`,
    operationId: `${verb}${camel(group)}${camel(version)}${camel(served.resource)}${camel(sub)}${scope}`,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: contentOf(media, body) } }),
    responses: {
      200: { description: 'OK', ...(answer !== undefined && { content: contentOf(['application/json'], answer) }) },
      401: { description: 'Unauthorized' },
    },
    'x-kubernetes-action': verb,
    'x-kubernetes-group-version-kind': { group, version, kind },
  };
}

function contentOf(media: readonly string[], schema: string): JsonObject {
  return Object.fromEntries(media.map((type) => [type, { schema: { $ref: reference + schema } }]));
}

function camel(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}

const statusName = 'io.k8s.apimachinery.pkg.apis.meta.v1.Status';
const patchName = 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch';

function query(name: string, type: 'string' | 'integer' | 'boolean', description: string): JsonObject {
  return { name, in: 'query', description, schema: { type, uniqueItems: true } };
}

const writeParameters = [
  query('dryRun', 'string', 'With All, everything is checked and nothing is stored.'),
  query('fieldManager', 'string', 'Who writes.'),
  query('fieldValidation', 'string', 'What happens to unknown and duplicate fields: Ignore, Warn or Strict.'),
];
const patchParameters = [...writeParameters, query('force', 'boolean', 'Whether apply takes fields over from others.')];
const deleteParameters = [
  query('dryRun', 'string', 'With All, everything is checked and nothing is deleted.'),
  query('gracePeriodSeconds', 'integer', 'How long the object may take to go.'),
  query('propagationPolicy', 'string', 'What happens to what the object owns: Orphan, Background or Foreground.'),
];
const listParameters = [
  query('labelSelector', 'string', 'Which labels the objects must have.'),
  query('fieldSelector', 'string', 'Which fields the objects must have.'),
  query('limit', 'integer', 'How many objects come at once.'),
  query('continue', 'string', 'Where the previous answer left off.'),
  query('resourceVersion', 'string', 'How recent the answer must be.'),
  query('resourceVersionMatch', 'string', 'Whether that is a minimum or exact.'),
  query('watch', 'boolean', 'Whether changes follow.'),
  query('allowWatchBookmarks', 'boolean', 'Whether the position is told now and then.'),
  query('sendInitialEvents', 'boolean', 'Whether a watch starts with what exists.'),
  query('timeoutSeconds', 'integer', 'When the answer ends.'),
];
const namespaceParameter: JsonObject = {
  name: 'namespace',
  in: 'path',
  required: true,
  description: 'The namespace of the object.',
  schema: { type: 'string', uniqueItems: true },
};

function nameParameter(kind: string): JsonObject {
  return {
    name: 'name',
    in: 'path',
    required: true,
    description: `The name of the ${kind}.`,
    schema: { type: 'string', uniqueItems: true },
  };
}
