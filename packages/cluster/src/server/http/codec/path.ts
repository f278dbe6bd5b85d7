import type { GroupVersionResource } from '../../../api/gvk.ts';
import { StatusError } from '../../../api/status.ts';
import { type Target, unknownPath } from './target.ts';

/** What a request's path names, before its method is looked at. */
export type Path =
  | { readonly is: 'version' }
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
  /** What stands behind the subresource: somebody else's to understand. */
  readonly below?: readonly string[];
}

/** What stands after `namespaces/<name>/` without being a resource of that namespace. */
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize']);

/** The last that was read: each is read to judge the request, and again to answer it. */
let last: { readonly segments: Target['segments']; readonly path: Path } | undefined;

/** Throws a 404 `StatusError` for what means nothing. */
export function parsePath(segments: Target['segments']): Path {
  if (last?.segments !== segments) last = { segments, path: readPath(segments) };
  return last.path;
}

function readPath([first, ...rest]: Target['segments']): Path {
  switch (first) {
    case undefined:
      return { is: 'root' };
    case 'version':
      if (rest.length === 0) return { is: 'version' };
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
  if (resource === undefined) throw new StatusError(unknownPath());
  return {
    is: 'resource',
    resource: { group, version, resource },
    ...(namespaced && second !== undefined && { namespace: second }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
    ...(more.length > 0 && { below: more }),
  };
}

/** In every group, as upstream reads paths: another one may have namespaces, but none a resource called status. */
function isNamespaceDoor(rest: readonly string[]): boolean {
  return rest.length === 3 && namespaceSubresources.has(rest[2] ?? '');
}
