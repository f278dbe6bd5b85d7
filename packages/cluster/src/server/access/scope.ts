import type { GroupVersionResource } from '../../api/gvk.ts';
import { badRequest, failure, methodNotAllowed, noSuchMethod, StatusError } from '../../api/status.ts';
import type { ApiVerb } from '../../resources/resource.ts';
import type { ServerContext } from '../context/context.ts';
import type { Registry, Served } from '../context/registry.ts';

export interface Request {
  readonly verb: ApiVerb;
  readonly resource: GroupVersionResource;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** What a request is about, once its user may ask. Everything after works on what comes out of here. */
export function locate({ registry }: ServerContext, request: Request): Served {
  const served = findServed(registry, request.resource);
  checkScope(served, request);
  checkSubresource(served, request);
  if (request.subresource === undefined && !served.traits.verbs.includes(request.verb))
    throw new StatusError(request.verb === 'watch' ? methodNotAllowed(request.resource, 'watch') : noSuchMethod());
  return served;
}

/** The same for a subresource that leads elsewhere, which nothing here performs. */
export function locateConnection({ registry }: ServerContext, request: Request): Served {
  const served = findServed(registry, request.resource);
  checkScope(served, request);
  return served;
}

export function findServed(registry: Registry, resource: GroupVersionResource): Served {
  const served = registry.find(resource);
  if (served === undefined) throw new StatusError(notServed());
  return served;
}

/** What a client gets for a path that leads nowhere. */
export function notServed(): ReturnType<typeof failure> {
  return failure(404, 'NotFound', 'the server could not find the requested resource', {});
}

function checkScope({ definition }: Served, { verb, namespace, name }: Request): void {
  // A cluster-scoped object must not be reachable through a namespace: that would bypass what is allowed per namespace.
  if (!definition.namespaced && namespace !== undefined) throw new StatusError(notServed());
  if (name === '') throw new StatusError(badRequest('the name of the object must be given'));
  if (!definition.namespaced || (namespace ?? '') !== '' || verb === 'list' || verb === 'watch') return;
  // All namespaces at once can be read, not written.
  if (name === undefined) throw new StatusError(methodNotAllowed(definition, verb));
  throw new StatusError(badRequest('the namespace of the object must be given'));
}

function checkSubresource({ definition }: Served, { subresource = '' }: Request): void {
  const { refusedSubresources } = definition;
  if (!Object.hasOwn(refusedSubresources, subresource)) return;
  throw new StatusError({
    ...methodNotAllowed(definition, subresource),
    message: refusedSubresources[subresource] ?? '',
  });
}
