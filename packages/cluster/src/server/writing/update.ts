import type { KubeObject } from '../../api/meta.ts';
import type { CreateOperation, Outcome, UpdateOperation, Waiting } from '../../api/operation.ts';
import { isObject } from '../../api/record.ts';
import { conflict, StatusError } from '../../api/status.ts';
import { authorize } from '../access/authorize.ts';
import { operationAccess } from '../access/requested.ts';
import type { ServerContext } from '../context/context.ts';
import { objectKey } from '../context/keys.ts';
import type { Served } from '../context/registry.ts';
import { writeRequest } from '../context/write-request.ts';
import { commit, outcomeOf } from './commit.ts';
import { create } from './create.ts';
import { type DoorRequest, doorOf } from './door.ts';
import { renewalOf } from './renewal.ts';
import { enter, throughDoor } from './through-door.ts';

/** Replaces the object, or the part of it that a subresource takes. */
export function update(
  context: ServerContext,
  { served, operation }: { readonly served: Served; readonly operation: UpdateOperation },
  waiting: Waiting,
): Promise<Outcome<KubeObject>> {
  const renewal = renewalOf(context, { served, operation }, waiting);
  if (renewal === undefined) return replace(context, { served, operation }, waiting);
  return commit(context, renewal).then((written) =>
    written.ok
      ? outcomeOf(200, written, renewal.request.warnings)
      : // Somebody was faster: the usual way says what of it.
        replace(context, { served, operation }, waiting),
  );
}

async function replace(
  context: ServerContext,
  { served, operation }: { readonly served: Served; readonly operation: UpdateOperation },
  waiting: Waiting,
): Promise<Outcome<KubeObject>> {
  const { namespace, name, subresource, options } = operation;
  const door = doorOf(served, { subresource, verb: 'update' });
  if (subresource === undefined && createsInstead(context, served, operation)) {
    const creation = asCreate(operation);
    // Whoever may update may not yet create: as upstream, both are asked.
    authorize(context, operationAccess(creation));
    refuseUid(served, operation);
    return create(context, { served, operation: creation }, waiting);
  }
  const request: DoorRequest = {
    fieldValidation: options.fieldValidation,
    flaws: operation.flaws ?? [],
    isPatch: false,
    wasText: operation.wasText ?? false,
    ...writeRequest(served, operation, waiting),
  };
  const way = { door, request, namespace, name };
  const incoming = enter(way, operation.body);
  return throughDoor(context, way, () => ({ incoming }));
}

function createsInstead({ store }: ServerContext, served: Served, { namespace, name }: UpdateOperation): boolean {
  if (!served.traits.createsOnUpdate) return false;
  return store.get(objectKey(served.prefix, namespace, name)) === undefined;
}

/** Whoever names a uid means an object that was there. */
function refuseUid({ definition }: Served, { name, body }: UpdateOperation): void {
  const { metadata } = isObject(body) ? body : {};
  const uid = isObject(metadata) ? metadata['uid'] : undefined;
  if (typeof uid !== 'string' || uid === '') return;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: `;
  throw new StatusError(conflict(definition, name, why));
}

/** Whatever version it was made from, there is none. */
function asCreate({ subresource: _none, body, ...operation }: UpdateOperation): CreateOperation {
  const { metadata } = isObject(body) ? body : {};
  if (!isObject(body) || !isObject(metadata)) return { ...operation, body, verb: 'create' };
  const { resourceVersion: _version, ...others } = metadata;
  return { ...operation, body: { ...body, metadata: others }, verb: 'create' };
}
