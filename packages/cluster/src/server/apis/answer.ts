import type { APIGroup, APIGroupList, APIResourceList } from '../../api/generated/meta-v1.ts';
import { apiVersionOf, type GroupVersionResource } from '../../api/gvk.ts';
import type { User } from '../../api/operation.ts';
import { internalError, isStatusError, methodNotAllowed, StatusError } from '../../api/status.ts';
import type { ApiRequest, LocalApi } from '../context/local-api.ts';
import { parsePath } from '../http/codec/path.ts';
import { isWatch } from '../http/codec/query.ts';
import { parseTarget, unknownPath } from '../http/codec/target.ts';

export interface ApisRequest {
  readonly method: string;
  /** Path and query as they came. */
  readonly target: string;
  readonly user: User;
  readonly signal: AbortSignal;
}

export interface ApisAnswer {
  readonly code: number;
  /** A Status when it was refused. */
  readonly object: object;
}

/**
 * Answers a request for these APIs, or for what there is of them: all that a server of their own behind an APIService has to
 * do besides speaking TLS and knowing who asks. Rejects only with the signal's reason.
 */
export async function answerApis(apis: readonly LocalApi[], request: ApisRequest): Promise<ApisAnswer> {
  try {
    return { code: 200, object: await answerOrThrow(apis, request) };
  } catch (error) {
    request.signal.throwIfAborted();
    const status = isStatusError(error)
      ? error.status
      : internalError(error instanceof Error ? error.message : String(error));
    return { code: status.code, object: status };
  }
}

async function answerOrThrow(apis: readonly LocalApi[], { method, target, ...asking }: ApisRequest): Promise<object> {
  const { segments, query } = parseTarget(target);
  const path = parsePath(segments);
  if (path.is === 'discovery' && path.root === 'apis' && method === 'GET') return discoveryOf(apis, path);
  if (path.is !== 'resource') throw new StatusError(unknownPath());
  const { resource, namespace, name, subresource } = path;
  const api = apis.find(({ group, version }) => group === resource.group && version === resource.version);
  if (api === undefined || path.below !== undefined) throw new StatusError(unknownPath());
  if (method !== 'GET') throw new StatusError(methodNotAllowed(resource, method.toLowerCase()));
  if (isWatch(query)) throw new StatusError(methodNotAllowed(resource, 'watch'));
  const request: ApiRequest = {
    verb: name === undefined ? 'list' : 'get',
    resource: resource.resource,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
    // Whoever answers may change theirs.
    query: new URLSearchParams([...query]),
    ...asking,
  };
  return api.answer(request);
}

type Place = Partial<Pick<GroupVersionResource, 'group' | 'version'>>;

function discoveryOf(apis: readonly LocalApi[], { group, version }: Place): APIGroupList | APIGroup | APIResourceList {
  const groups = groupsOf(apis);
  if (group === undefined) return { kind: 'APIGroupList', apiVersion: 'v1', groups };
  if (version === undefined) return found(groups.find(({ name }) => name === group));
  const api = found(apis.find((each) => each.group === group && each.version === version));
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersionOf(api), resources: api.resources() };
}

/** The version with the highest priority is the preferred one. */
function groupsOf(apis: readonly LocalApi[]): readonly APIGroup[] {
  const names = [...new Set(apis.map(({ group }) => group))];
  return names.map((name) => {
    const versions = apis
      .filter(({ group }) => group === name)
      .sort((a, b) => (b.versionPriority ?? 100) - (a.versionPriority ?? 100))
      .map((api) => ({ groupVersion: apiVersionOf(api), version: api.version }));
    const [preferredVersion] = versions;
    return {
      ...{ kind: 'APIGroup', apiVersion: 'v1', name, versions },
      ...(preferredVersion !== undefined && { preferredVersion }),
    };
  });
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new StatusError(unknownPath());
  return value;
}
