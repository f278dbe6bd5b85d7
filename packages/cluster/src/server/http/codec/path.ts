import type { GroupVersionResource } from '../../../api/gvk.ts';
import { badRequest, failure, type Status, StatusError } from '../../../api/status.ts';

/** What a request's path names, before its method is looked at. */
export type Path =
  | { readonly is: 'health'; readonly probe: 'livez' | 'readyz' | 'healthz'; readonly check: string | undefined }
  | { readonly is: 'version' }
  | { readonly is: 'backup' }
  | { readonly is: 'root' }
  | { readonly is: 'openapi2' }
  | { readonly is: 'openapi3'; readonly path: string | undefined }
  | { readonly is: 'discovery'; readonly root: 'api' | 'apis'; readonly group?: string; readonly version?: string }
  | ResourcePath;

export interface ResourcePath {
  readonly is: 'resource';
  readonly resource: GroupVersionResource;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** What stands after `namespaces/<name>/` without being a resource of that namespace. */
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize']);

const probes: ReadonlySet<string> = new Set(['livez', 'readyz', 'healthz']);

/** `rawPath` is the request target up to the question mark, as it came. Throws a 400 or 404 `StatusError`. */
export function parsePath(rawPath: string): Path {
  const [first, ...rest] = segmentsOf(rawPath);
  if (first !== undefined && probes.has(first)) return healthPath(first as 'livez', rest);
  switch (first) {
    case undefined:
      return { is: 'root' };
    case 'version':
      if (rest.length === 0) return { is: 'version' };
      break;
    case 'signalbox':
      if (rest.length === 1 && rest[0] === 'backup') return { is: 'backup' };
      break;
    case 'openapi':
      return openapiPath(rest);
    case 'api':
      return apiPath('api', ['', ...rest]);
    case 'apis':
      return apiPath('apis', rest);
  }
  throw new StatusError(unknownPath());
}

/** The answer to a path that means nothing. */
export function unknownPath(): Status {
  return failure(404, 'NotFound', 'the server could not find the requested resource', {});
}

/** The path of what is no resource, as it is read; what cannot be read, as it came. */
export function plainPath(rawPath: string): string {
  try {
    return `/${segmentsOf(rawPath).join('/')}`;
  } catch {
    return rawPath;
  }
}

/** Decodes every segment exactly once, so that nothing that comes later can read the path differently. */
function segmentsOf(rawPath: string): readonly string[] {
  if (!rawPath.startsWith('/')) throw new StatusError(badRequest('the request target must be a path'));
  const trimmed = rawPath.length > 1 && rawPath.endsWith('/') ? rawPath.slice(1, -1) : rawPath.slice(1);
  return trimmed === '' ? [] : trimmed.split('/').map(decodeSegment);
}

function decodeSegment(raw: string): string {
  if (raw === '') throw new StatusError(unknownPath());
  let segment: string;
  try {
    segment = raw.includes('%') ? decodeURIComponent(raw) : raw;
  } catch (cause) {
    throw new StatusError(badRequest('the path holds a broken percent-encoding'), { cause });
  }
  if (segment === '.' || segment === '..' || /[\p{Cc}/\\]/u.test(segment))
    throw new StatusError(badRequest(`the path segment ${JSON.stringify(segment)} is not allowed`));
  return segment;
}

function healthPath(probe: 'livez' | 'readyz' | 'healthz', rest: readonly string[]): Path {
  return { is: 'health', probe, check: rest.length === 0 ? undefined : rest.join('/') };
}

function openapiPath([version, ...rest]: readonly string[]): Path {
  if (version === 'v2' && rest.length === 0) return { is: 'openapi2' };
  if (version === 'v3') return { is: 'openapi3', path: rest.length === 0 ? undefined : rest.join('/') };
  throw new StatusError(unknownPath());
}

function apiPath(root: 'api' | 'apis', [group, version, ...rest]: readonly string[]): Path {
  if (group === undefined || version === undefined || rest.length === 0)
    return {
      is: 'discovery',
      root,
      ...(group !== undefined && group !== '' && { group }),
      ...(version !== undefined && { version }),
    };
  return resourcePath(group, version, rest);
}

function resourcePath(group: string, version: string, rest: readonly string[]): ResourcePath {
  const [first, second, third] = rest;
  const namespaced = first === 'namespaces' && third !== undefined && !isNamespaceDoor(rest);
  const [resource, name, subresource, ...more] = namespaced ? rest.slice(2) : rest;
  if (resource === undefined || more.length > 0) throw new StatusError(unknownPath());
  return {
    is: 'resource',
    resource: { group, version, resource },
    ...(namespaced && second !== undefined && { namespace: second }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
  };
}

/** In every group, as upstream reads paths: another one may have namespaces, but none a resource called status. */
function isNamespaceDoor(rest: readonly string[]): boolean {
  return rest.length === 3 && namespaceSubresources.has(rest[2] ?? '');
}
