import type { GroupVersionKind } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import { methodNotAllowed, StatusError } from '../../api/status.ts';
import type { Subresource } from '../../resources/resource.ts';
import { notServed } from '../access/scope.ts';
import type { ServerContext } from '../context/context.ts';
import type { Served } from '../context/registry.ts';
import type { WriteRequest } from '../context/write-request.ts';
import { checkPreconditions, checkVersionGiven, type Incoming } from '../intake/body.ts';
import { checkFields, type FieldsRequest } from '../intake/fields.ts';
import { hasContentFinalizer } from './finish.ts';
import { checkEmpty } from './namespace-gate.ts';
import { type Change, checkStatus, checkUpdate, draftStatus, draftUpdate } from './prepare.ts';

/** A way to read and change an object: the main one, or a subresource that shows and takes a part of it. */
export interface Door {
  /** What comes in and goes out. */
  readonly kind: GroupVersionKind;
  read(object: KubeObject): KubeObject;
  /** The whole object after `incoming` came in, not yet found valid. Refuses by throwing a `StatusError`. */
  write(context: ServerContext, entry: Entry, request: DoorRequest): KubeObject;
  /** Refuses what is not valid. */
  check(context: ServerContext, change: Change, request: DoorRequest): void;
}

export interface Entry {
  readonly incoming: Incoming;
  readonly current: KubeObject;
}

export interface DoorRequest extends WriteRequest {
  readonly fieldValidation: FieldsRequest['fieldValidation'];
  readonly flaws: readonly string[];
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
  const narrow = served.subresources.get(subresource);
  if (narrow === undefined) throw new StatusError(notServed());
  if (!narrow.verbs.includes(verb) || narrow.read === undefined)
    throw new StatusError(methodNotAllowed(served.definition, verb));
  const read = narrow.read.bind(narrow);
  return narrow.does === 'finalize' ? finalizeDoor(narrow, read) : narrowDoor(narrow, read);
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
      return draftUpdate(context, { incoming: checked, current }, request);
    },
    check: (_context, change, request) => checkUpdate(change, request),
  };
}

function statusDoor(kind: GroupVersionKind): Door {
  return {
    kind,
    read: same,
    write(_context, { incoming, current }, request) {
      checkPreconditions(request.served, current, incoming.metadata);
      const { apiVersion, kind: name, status, metadata } = incoming as Incoming & { readonly status?: unknown };
      const takesMetadata = request.served.definition.statusKeeps !== 'metadata';
      // Nothing else is taken, so nothing else needs to be looked at.
      const checked = checkFields(
        request.served,
        { apiVersion, kind: name, metadata: takesMetadata ? metadata : {}, ...(status !== undefined && { status }) },
        { ...request, partial: true },
      );
      return draftStatus(request.served, { incoming: checked, current });
    },
    check: (_context, change, request) => checkStatus(change, request),
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
      return draftUpdate(context, { incoming: written, current }, request);
    },
    check: (_context, change, request) => checkUpdate(change, request),
  };
}

/** Nothing may be left in an object that its last finalizer lets go. */
function finalizeDoor({ kind, write }: Subresource, read: (object: KubeObject) => KubeObject): Door {
  return {
    kind,
    read,
    write(_context, { incoming, current }, request) {
      checkPreconditions(request.served, current, incoming.metadata);
      return write?.(current, incoming as KubeObject) ?? current;
    },
    check(context, { next, current }) {
      if (next !== current && !hasContentFinalizer(next)) checkEmpty(context, next.metadata.name);
    },
  };
}
