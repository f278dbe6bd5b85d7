import { formatExactJson } from '../../base/exact-json.ts';
import type { DeleteOptions, ListOptions, Operation, PatchType, WatchOperation, WriteOptions } from '../operation.ts';
import { badRequest, StatusError } from '../status.ts';

/** A request as it goes out; the exact inverse of how our server decodes one. The operation's user stays behind: credentials say who asks. */
export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query. */
  readonly target: string;
  readonly contentType?: string;
  readonly body?: string;
}

const patchMediaTypes: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

export function encodeRequest(operation: Operation): WireRequest {
  switch (operation.verb) {
    case 'get': {
      const { resourceVersion, parameters } = operation;
      const query = { ...parameters, ...(resourceVersion !== undefined && { resourceVersion }) };
      return { method: 'GET', target: target(operation, query) };
    }
    case 'list':
      return { method: 'GET', target: target(operation, listQuery(operation.options)) };
    case 'create': {
      // A name without a subresource stands in the body; the path of a collection has no place for it.
      const place = operation.subresource === undefined ? withoutName(operation) : operation;
      return { method: 'POST', target: target(place, writeQuery(operation.options)), ...json(operation.body) };
    }
    case 'update':
      return { method: 'PUT', target: target(operation, writeQuery(operation.options)), ...json(operation.body) };
    case 'patch': {
      const { force } = operation.options;
      const query = { ...writeQuery(operation.options), ...(force !== undefined && { force: String(force) }) };
      const contentType = patchMediaTypes[operation.patchType];
      return { method: 'PATCH', target: target(operation, query), ...json(operation.body), contentType };
    }
    case 'delete':
      return { method: 'DELETE', target: target(operation, {}), ...deleteBody(operation.options) };
    case 'deletecollection':
      return {
        method: 'DELETE',
        target: target(operation, listQuery(operation.list)),
        ...deleteBody(operation.options),
      };
    default:
      return operation satisfies never;
  }
}

export function encodeWatch(operation: WatchOperation): WireRequest {
  const { allowWatchBookmarks, onlyLastBookmark: _own, sendInitialEvents, timeoutMs, ...list } = operation.options;
  const query = {
    watch: 'true',
    ...listQuery(list),
    ...(allowWatchBookmarks !== undefined && { allowWatchBookmarks: String(allowWatchBookmarks) }),
    ...(sendInitialEvents !== undefined && { sendInitialEvents: String(sendInitialEvents) }),
    ...(timeoutMs !== undefined && { timeoutSeconds: String(Math.max(1, Math.ceil(timeoutMs / 1000))) }),
  };
  return { method: 'GET', target: target(operation, query) };
}

type Place = Pick<WatchOperation, 'resource' | 'namespace'> & {
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
  readonly below?: string | undefined;
};

function withoutName({ resource, namespace }: Place): Place {
  return { resource, ...(namespace !== undefined && { namespace }) };
}

function target(
  { resource, namespace, name, subresource, below = '' }: Place,
  query: Readonly<Record<string, string>>,
): string {
  const segments = resource.group === '' ? ['api', resource.version] : ['apis', resource.group, resource.version];
  if (namespace !== undefined) segments.push('namespaces', namespace);
  segments.push(resource.resource);
  if (name !== undefined) segments.push(name);
  if (subresource !== undefined) segments.push(subresource);
  const path = `/${segments.map(encodeSegment).join('/')}${below}`;
  const text = new URLSearchParams(query).toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Dots are no characters to encode, and on the way to the server they could lead to another object. */
function encodeSegment(segment: string): string {
  if (segment === '' || segment === '.' || segment === '..')
    throw new StatusError(badRequest(`${JSON.stringify(segment)} is no name of anything`));
  return encodeURIComponent(segment);
}

function listQuery(options: ListOptions): Readonly<Record<string, string>> {
  const { labelSelector, fieldSelector, limit, resourceVersion, resourceVersionMatch } = options;
  return {
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
    ...(limit !== undefined && { limit: String(limit) }),
    ...(options.continue !== undefined && { continue: options.continue }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(resourceVersionMatch !== undefined && { resourceVersionMatch }),
  };
}

function writeQuery({ dryRun, fieldManager, fieldValidation }: WriteOptions): Readonly<Record<string, string>> {
  return {
    ...(dryRun === true && { dryRun: 'All' }),
    ...(fieldManager !== undefined && { fieldManager }),
    ...(fieldValidation !== undefined && { fieldValidation }),
  };
}

function json(body: unknown): Required<Pick<WireRequest, 'contentType' | 'body'>> {
  return { contentType: 'application/json', body: formatExactJson(body) };
}

function deleteBody({ dryRun, ...rest }: DeleteOptions): Pick<WireRequest, 'contentType' | 'body'> {
  if (dryRun !== true && Object.keys(rest).length === 0) return {};
  return json({ kind: 'DeleteOptions', apiVersion: 'v1', ...rest, ...(dryRun === true && { dryRun: ['All'] }) });
}
