import type { CreateOperation, Outcome } from '../../api/operation.ts';
import { badRequest, type Status, StatusError } from '../../api/status.ts';
import { bindingSubresource } from '../../resources/core/pod/binding.ts';
import type { Traits } from '../../resources/resource.ts';
import { findServed } from '../access/scope.ts';
import type { ServerContext } from '../context/context.ts';
import type { Served } from '../context/registry.ts';
import { reviewersOf } from '../context/reviewer.ts';
import { writeRequest } from '../context/write-request.ts';
import { decodeBody, type Incoming, placed } from '../intake/body.ts';
import { created } from '../writing/created.ts';
import { type DoorRequest, doorOf, unsent } from '../writing/door.ts';
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
  const { subresource = '', namespace, name, options, flaws = [] } = operation;
  if (name === undefined) throw new StatusError(badRequest('the name of the object must be given'));
  const narrow = served.subresources.get(subresource);
  const { fieldValidation } = options;
  const request: DoorRequest = {
    fieldValidation,
    flaws,
    isPatch: false,
    wasText: false,
    ...writeRequest(served, operation, waiting),
  };
  if (narrow?.does === 'evict') return evict(context, { request, door: narrow, operation, name });
  const door = doorOf(served, { subresource, verb: 'create' });
  const { namespaced } = served.definition;
  const take = (body: unknown, asked: DoorRequest): Incoming => {
    const taken = door.take(decodeBody(body, door.kind), asked);
    // A binding says itself which pod it is about.
    if (door.kind.kind === bindingSubresource.kind?.kind && (taken.metadata.name ?? '') !== name)
      throw new StatusError(badRequest('name in URL does not match name in Binding object'));
    return placed(named(taken, name), { namespaced, namespace, name });
  };
  const sent = take(operation.body, request);
  const reviewers = reviewersOf(context, request);
  const asking = { request, reviewers, take: (body: unknown) => take(body, unsent(request)) };
  const incoming = reviewers.length === 0 ? sent : await reviewedBody(context, sent, asking);
  await rewrite(context, {
    request,
    namespace,
    name,
    change(current) {
      const next = door.write(context, { incoming, current }, request);
      door.check(context, { next, current }, request);
      return next;
    },
  });
  return created(request.warnings);
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
