import type { KubeObject } from '../../api/meta.ts';
import type { CreateOperation, Outcome } from '../../api/operation.ts';
import { badRequest, methodNotAllowed, type Status, StatusError } from '../../api/status.ts';
import type { Traits } from '../../resources/resource.ts';
import { findServed, notServed } from '../access/scope.ts';
import type { ServerContext } from '../context/context.ts';
import type { Served } from '../context/registry.ts';
import { reviewersOf } from '../context/reviewer.ts';
import { writeRequest } from '../context/write-request.ts';
import { checkPreconditions, decodeBody, type Incoming, placed } from '../intake/body.ts';
import { created } from '../writing/created.ts';
import { reviewedBody } from '../writing/reviewed-body.ts';
import { rewrite } from '../writing/write.ts';
import { evict } from './eviction.ts';

export interface Post {
  readonly served: Served;
  readonly operation: CreateOperation;
}

/** Creates through a subresource: a binding or an eviction changes the object that it is about. */
export async function post(
  context: ServerContext,
  { served, operation }: Post,
  waiting: { readonly signal: AbortSignal },
): Promise<Outcome<Status>> {
  const { subresource = '', name } = operation;
  if (name === undefined) throw new StatusError(badRequest('the name of the object must be given'));
  const narrow = served.subresources.get(subresource);
  if (narrow === undefined) throw new StatusError(notServed());
  const request = writeRequest(served, operation, waiting);
  if (narrow.does === 'evict') return evict(context, { request, operation, name });
  const { write } = narrow;
  if (!narrow.verbs.includes('create') || write === undefined)
    throw new StatusError(methodNotAllowed(served.definition, 'create'));
  const { namespace } = operation;
  const { namespaced } = served.definition;
  const take = (body: unknown): Incoming =>
    placed(named(decodeBody(body, narrow.kind), name), { namespaced, namespace, name });
  const sent = take(operation.body);
  const reviewers = reviewersOf(context, request);
  const incoming = reviewers.length === 0 ? sent : await reviewedBody(context, sent, { request, reviewers, take });
  await rewrite(context, {
    request,
    namespace,
    name,
    change(current) {
      checkPreconditions(served, current, incoming.metadata);
      return write.call(narrow, current, incoming as KubeObject, { nowMs: context.clock.nowMs() });
    },
  });
  return created;
}

/** A body for one object may leave its name to the path. */
function named(incoming: Incoming, name: string): Incoming {
  const given = incoming.metadata.name ?? '';
  return given === '' ? { ...incoming, metadata: { ...incoming.metadata, name } } : incoming;
}

export interface PostInstead extends Post {
  readonly door: NonNullable<Traits['standsFor']>;
}

/** `POST …/bindings`, the older way to say `pods/<name>/binding`. */
export async function postInstead(
  context: ServerContext,
  { served, operation, door }: PostInstead,
  waiting: { readonly signal: AbortSignal },
): Promise<Outcome<Status>> {
  const { kind } = served.definition;
  const { name = '' } = decodeBody(operation.body, served.definition).metadata;
  const target = findServed(context.registry, door.resource);
  if (name === '')
    throw new StatusError(
      badRequest(`a ${kind.toLowerCase()} must name its ${target.definition.singular} in metadata.name`),
    );
  return post(context, { served: target, operation: { ...operation, ...door, name } }, waiting);
}
