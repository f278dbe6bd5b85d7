import type { User } from '../../../api/operation.ts';
import { resourceAccess } from '../../access/requested.ts';
import type { Access } from '../../context/authorizer.ts';
import type { RequestHead } from './decode.ts';
import { type Path, parsePath, type ResourcePath } from './path.ts';
import { isWatch, parseQuery, type Query } from './query.ts';
import { plainPath, segmentsOf } from './target.ts';

/**
 * What the authorizer is asked about a request, before anything else of it is looked at. Path and method alone decide, so
 * that it is clear also for a request that makes no sense; what names no resource is asked for as a path.
 */
export function requestedAccess(user: User, { method, target }: RequestHead): Access {
  const question = target.indexOf('?');
  const rawPath = question < 0 ? target : target.slice(0, question);
  const path = ifReadable(() => parsePath(segmentsOf(rawPath)));
  if (path?.is !== 'resource') return { user, verb: method.toLowerCase(), path: plainPath(rawPath) };
  const query = ifReadable(() => parseQuery(question < 0 ? '' : target.slice(question + 1))) ?? new URLSearchParams();
  const verb = verbOf(method, path, query);
  const { resource, namespace, name, subresource } = path;
  const fieldSelector = collectionVerbs.has(verb) ? query.get('fieldSelector') || undefined : undefined;
  return resourceAccess({ user, verb, resource, namespace, name, subresource, fieldSelector });
}

const collectionVerbs: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

const verbs: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch' };

function verbOf(method: string, { name, subresource }: ResourcePath, query: Query): string {
  if (method === 'DELETE') return name === undefined ? 'deletecollection' : 'delete';
  // Behind a proxy who may get a page may ask for its head, as upstream.
  if (method !== 'GET' && method !== 'HEAD') return verbs[method] ?? method.toLowerCase();
  if (subresource === undefined && ifReadable(() => isWatch(query)) === true) return 'watch';
  return name === undefined ? 'list' : 'get';
}

/** Undefined for what cannot be read: whoever reads it to answer says what is wrong. */
function ifReadable<T extends Path | Query | boolean>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
