import type { GroupVersionKind } from '../api/gvk.ts';
import type { KubeObject } from '../api/meta.ts';
import { methodNotAllowed, StatusError } from '../api/status.ts';
import type { Subresource } from '../resources/resource.ts';
import type { AdmissionRequest } from './admission/world.ts';
import { checkPreconditions, checkVersionGiven, type Incoming } from './body.ts';
import type { ServerContext } from './context.ts';
import { checkFields, type FieldsRequest } from './fields.ts';
import { checkEmpty } from './namespace-gate.ts';
import { completeStatus, completeUpdate } from './prepare.ts';
import type { Served } from './registry.ts';
import { notServed } from './scope.ts';

/** A way to read and change an object: the main one, or a subresource that shows and takes a part of it. */
export interface Door {
  /** What comes in and goes out. */
  readonly kind: GroupVersionKind;
  read(object: KubeObject): KubeObject;
  /** The whole object after `incoming` came in. Refuses by throwing a `StatusError`. */
  write(context: ServerContext, change: DoorChange, request: DoorRequest): KubeObject;
}

export interface DoorChange {
  readonly incoming: Incoming;
  readonly current: KubeObject;
}

export interface DoorRequest extends AdmissionRequest {
  readonly fieldValidation: FieldsRequest['fieldValidation'];
  /** A patch says which version it was made from by carrying it over. */
  readonly isPatch: boolean;
}

export function doorOf(
  served: Served,
  { subresource, verb }: { readonly subresource: string | undefined; readonly verb: 'get' | 'update' | 'patch' },
): Door {
  const { definition } = served;
  if (subresource === undefined) return mainDoor(definition);
  if (subresource === 'status' && definition.hasStatus) return statusDoor(definition);
  if (subresource === 'finalize' && definition.resource === 'namespaces' && definition.group === '')
    return finalizeDoor(definition);
  const narrow = served.subresources.get(subresource);
  if (narrow === undefined) throw new StatusError(notServed());
  if (!narrow.verbs.includes(verb) || narrow.read === undefined)
    throw new StatusError(methodNotAllowed(served.definition, verb));
  return narrowDoor(narrow, narrow.read.bind(narrow));
}

const same = (object: KubeObject): KubeObject => object;

function mainDoor(kind: GroupVersionKind): Door {
  return {
    kind,
    read: same,
    write(context, { incoming, current }, request) {
      checkPreconditions(request.served, current, incoming.metadata);
      if (!request.isPatch) checkVersionGiven(request.served, incoming.metadata);
      const checked = checkFields(request.served, incoming, request);
      return completeUpdate(context, { incoming: checked, current }, request);
    },
  };
}

function statusDoor(kind: GroupVersionKind): Door {
  return {
    kind,
    read: same,
    write(_context, { incoming, current }, request) {
      checkPreconditions(request.served, current, incoming.metadata);
      const { apiVersion, kind: name, status } = incoming as Incoming & { readonly status?: unknown };
      // Nothing else is taken, so nothing else needs to be looked at.
      const checked = checkFields(
        request.served,
        { apiVersion, kind: name, metadata: {}, ...(status !== undefined && { status }) },
        { ...request, partial: true },
      );
      return completeStatus(request.served, { incoming: checked, current });
    },
  };
}

type Finalizing = KubeObject & { readonly spec?: { readonly finalizers?: readonly string[] } };

/** `namespaces/finalize`: takes `spec.finalizers` alone. */
function finalizeDoor(kind: GroupVersionKind): Door {
  return {
    kind,
    read: same,
    write(context, { incoming, current }, request) {
      checkPreconditions(request.served, current, incoming.metadata);
      const finalizers = (incoming as unknown as Finalizing).spec?.finalizers;
      if ((finalizers ?? []).length === 0) checkEmpty(context, current.metadata.name);
      const { finalizers: _old, ...spec } = (current as Finalizing).spec ?? {};
      return { ...current, spec: { ...spec, ...(finalizers !== undefined && { finalizers }) } } as KubeObject;
    },
  };
}

function narrowDoor(subresource: Subresource, read: (object: KubeObject) => KubeObject): Door {
  return {
    kind: subresource.kind,
    read,
    write(context, { incoming, current }, request) {
      checkPreconditions(request.served, current, incoming.metadata);
      const written = subresource.write?.(current, incoming as KubeObject, { nowMs: context.clock.nowMs() });
      if (written === undefined) throw new StatusError(methodNotAllowed(request.served.definition, 'update'));
      return completeUpdate(context, { incoming: written, current }, request);
    },
  };
}
