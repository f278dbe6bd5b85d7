import { compare } from '../../api/apply/compare.ts';
import { difference, isEmpty } from '../../api/apply/field-set.ts';
import { type Owners, owner } from '../../api/apply/managers.ts';
import { anyShape } from '../../api/apply/shape.ts';
import type { Namespace } from '../../api/generated/core-v1.ts';
import type { GroupVersionKind } from '../../api/gvk.ts';
import { type Issue, root } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import { invalid, noSuchMethod, StatusError } from '../../api/status.ts';
import { controllerUser } from '../../api/system-identities.ts';
import { fresh } from '../../base/fresh.ts';
import type { Subresource } from '../../resources/resource.ts';
import { finalizerIssues } from '../../resources/validation/names.ts';
import { checkFurther } from '../access/further.ts';
import { notServed } from '../access/scope.ts';
import type { ServerContext } from '../context/context.ts';
import type { Served } from '../context/registry.ts';
import type { WriteRequest } from '../context/write-request.ts';
import { checkPreconditions, checkSameVersion, checkUid, checkVersionGiven, type Incoming } from '../intake/body.ts';
import { checkFields, type FieldsRequest, shapeOf } from '../intake/fields.ts';
import { hasContentFinalizer } from './finish.ts';
import { checkEmpty } from './namespace-gate.ts';
import { ownersOf, versionsSeenBy } from './owning.ts';
import { type Change, checkStatus, checkUpdate, draftStatus, draftUpdate } from './prepare.ts';

/** A way to read and change an object: the main one, or a subresource that shows and takes a part of it. */
export interface Door {
  /** What comes in and goes out. */
  readonly kind: GroupVersionKind;
  read(object: KubeObject): KubeObject;
  /** A body with the fields that its schema knows. Refuses what has the wrong type (400), and unknown fields where the request is strict. */
  take(incoming: Incoming, request: DoorRequest): Incoming;
  /** The whole object after what was taken came in, not yet found valid. Refuses by throwing a `StatusError`. */
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
  /** What comes in is a text, or comes of a patch. */
  readonly wasText: boolean;
  readonly shownPatch?: FieldsRequest['shownPatch'];
}

/** For what the client has not sent and so is not told of. */
export function unsent(request: DoorRequest): DoorRequest {
  return { ...fresh, ...request, fieldValidation: 'Ignore', flaws: [] };
}

export function doorOf(
  served: Served,
  { subresource, verb }: { readonly subresource: string | undefined; readonly verb: Subresource['verbs'][number] },
): Door {
  const { definition } = served;
  if (subresource === undefined) return mainDoor(definition);
  const narrow = served.subresources.get(subresource);
  if (narrow === undefined) throw new StatusError(notServed());
  if (!narrow.verbs.includes(verb)) throw new StatusError(noSuchMethod());
  return narrow.does === 'status' ? statusDoor(definition) : narrowDoor(narrow);
}

const same = (object: KubeObject): KubeObject => object;

/** Of a patch it is told first that it was made from another version. */
function checkMeant({ incoming, current }: Entry, { served, isPatch }: DoorRequest): void {
  const { metadata } = incoming;
  if (isPatch) checkSameVersion(served, current, metadata.resourceVersion ?? '');
  checkPreconditions(served, current, metadata);
}

/** Nobody looks at the uid of a custom resource by the number of its replicas; of others the scale is named. */
function checkScaleMeant({ incoming, current }: Entry, { served }: DoorRequest): void {
  const { uid = '', resourceVersion = '' } = incoming.metadata;
  const { definition, crd } = served;
  if (crd === undefined && uid !== '')
    checkUid({ ...definition, resource: `${definition.resource}/scale` }, current, uid);
  checkSameVersion(served, current, resourceVersion);
}

function mainDoor(kind: GroupVersionKind): Door {
  return {
    kind,
    read: same,
    take: (incoming, request) => checkFields(request.served, incoming, request),
    write(context, entry, request) {
      const { incoming } = entry;
      checkMeant(entry, request);
      if (!request.isPatch) checkVersionGiven(request.served, incoming.metadata);
      return draftUpdate(context, entry, request);
    },
    check: checkUpdate,
  };
}

function statusDoor(kind: GroupVersionKind): Door {
  return {
    kind,
    read: same,
    take(incoming, request) {
      const { apiVersion, kind: name, status, metadata } = incoming as Incoming & { readonly status?: unknown };
      const takesMetadata = request.served.definition.statusKeeps !== 'metadata';
      // Who wants to be told of mistakes is told of all; what is not taken needs not be looked at for others.
      const isTold = request.fieldValidation !== undefined && request.fieldValidation !== 'Ignore' && !request.isPatch;
      if (isTold) checkFields(request.served, incoming, request);
      const checked = checkFields(
        request.served,
        { apiVersion, kind: name, metadata: takesMetadata ? metadata : {}, ...(status !== undefined && { status }) },
        { partial: true, ...(isTold ? unsent(request) : request) },
      );
      // Which version it was made from is said there all the same.
      return takesMetadata ? checked : { ...checked, metadata };
    },
    write(context, entry, request) {
      const { incoming, current } = entry;
      const { served } = request;
      // What a patch of the status of a custom resource does not take is not heard.
      if (served.crd === undefined || !request.isPatch) checkMeant(entry, request);
      else checkSameVersion(served, current, incoming.metadata.resourceVersion ?? '');
      if (!request.isPatch) checkVersionGiven(served, incoming.metadata);
      return draftStatus(context, entry, request);
    },
    check: (_context, change, request) => checkStatus(change, request),
  };
}

function narrowDoor(subresource: Subresource): Door {
  const { kind, keepsAsWritten, does } = subresource;
  return {
    kind,
    read: (object) => subresource.read?.(object) ?? object,
    take: (incoming, request) => checkFields(shapeOf(subresource), incoming, request),
    write(context, entry, request) {
      const { incoming, current } = entry;
      if (subresource.name === 'scale') checkScaleMeant(entry, request);
      else checkMeant(entry, request);
      const now = { nowMs: context.clock.nowMs() };
      const written = subresource.write?.(current, incoming as KubeObject, now) ?? current;
      if (keepsAsWritten === true) return written;
      const owners = request.owners ?? ownersOfNone(context, { current, written }, { request, subresource });
      const owning = owners === undefined ? request : { ...request, owners };
      return draftUpdate(context, { incoming: written, current }, owning);
    },
    check(context, change, request) {
      if (does === 'finalize') checkFinalized(context, change, request);
      const further = subresource.needs?.(change);
      if (further !== undefined) checkFurther(context, further, { user: request.user, object: change.current });
      if (keepsAsWritten !== true) checkUpdate(context, change, request);
    },
  };
}

interface Scaled {
  readonly current: KubeObject;
  readonly written: KubeObject;
}

/** A scale to nothing says nothing, as upstream: nobody owns the number then. Undefined where that is not so. */
function ownersOfNone(
  context: ServerContext,
  { current, written }: Scaled,
  { request, subresource }: { readonly request: DoorRequest; readonly subresource: Subresource },
): Owners | undefined {
  if (subresource.name !== 'scale' || written === current) return undefined;
  const { spec } = (subresource.read?.(written) ?? {}) as { readonly spec?: { readonly replicas?: number } };
  const before = ownersOf(current);
  if ((spec?.replicas ?? 0) !== 0 || before === undefined) return undefined;
  const { apiVersion, shapeOf: shapeIn } = versionsSeenBy(context, request);
  const { touched } = compare(current, written, shapeIn(apiVersion) ?? anyShape);
  if (isEmpty(touched)) return undefined;
  return before.flatMap((each) => {
    const left = difference(each.fieldsV1, touched);
    return isEmpty(left) ? [] : [owner(each, left, each.time)];
  });
}

/**
 * Who empties namespaces finds nothing left in one that it lets go: something may have come since it looked. Anybody else says so
 * at their own risk, as upstream: tests without controllers end their namespaces that way.
 */
function checkFinalized(context: ServerContext, { next, current }: Change, { user, served }: DoorRequest): void {
  const issues = [...finalizeIssues(next)];
  if (issues.length > 0) throw new StatusError(invalid(served.definition, next.metadata.name, issues));
  if (user.name !== emptier.name || next === current || hasContentFinalizer(next)) return;
  checkEmpty(context, next.metadata.name);
}

function* finalizeIssues(namespace: KubeObject): Iterable<Issue> {
  const { spec } = namespace as Namespace;
  const at = root('spec', 'finalizers');
  for (const [index, finalizer] of (spec?.finalizers ?? []).entries())
    yield* finalizerIssues([finalizer], at(index), { counted: false });
}

const emptier = controllerUser('namespace-controller');
