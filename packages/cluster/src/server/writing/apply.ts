import { type Applying, applyFields } from '../../api/apply/apply.ts';
import { conflictStatus } from '../../api/apply/conflict.ts';
import { conflictsLeft } from '../../api/apply/last-applied.ts';
import { beforeFirstApply, type Owners } from '../../api/apply/managers.ts';
import { anyShape } from '../../api/apply/shape.ts';
import { typeProblem } from '../../api/apply/typed.ts';
import { ownersAfterUpdate } from '../../api/apply/update.ts';
import { changeOf, type Versions } from '../../api/apply/versions.ts';
import { secrets } from '../../api/generated/kinds.ts';
import { apiVersionOf, isOfKind } from '../../api/gvk.ts';
import { goJson, lastAppliedAnnotation } from '../../api/last-applied.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { CreateOperation, Outcome, PatchOperation, Waiting } from '../../api/operation.ts';
import { isObject, type JsonObject, without } from '../../api/record.ts';
import { badRequest, conflict, isStatusError, notFound, StatusError } from '../../api/status.ts';
import { authorize } from '../access/authorize.ts';
import { operationAccess } from '../access/requested.ts';
import type { ServerContext } from '../context/context.ts';
import { objectKey } from '../context/keys.ts';
import type { Served } from '../context/registry.ts';
import { warningsIn } from '../intake/fields.ts';
import { create } from './create.ts';
import { unsent } from './door.ts';
import { actorOf, ownersNow, ownersOf, timeOf, versionsOf, versionsSeenBy } from './owning.ts';
import { scaleOwners } from './scale-owners.ts';
import { enter, type Given, throughDoor, type Way } from './through-door.ts';

/** Who applies and is nobody else: what they did without server-side apply counts as theirs. */
const kubectl = 'kubectl';
const lastAppliedBytesMax = 256 * 1024;
const triesMax = 3;

export interface ApplyRequest {
  readonly operation: PatchOperation;
  readonly way: Way;
}

/** Server-side apply: the object becomes what the body says of it, and a missing one is created. */
export async function apply(
  context: ServerContext,
  { operation, way }: ApplyRequest,
  waiting: Waiting,
): Promise<Outcome<KubeObject>> {
  const { served } = way.request;
  const { namespace, name, subresource } = operation;
  const applied = takeApplied(operation, way);
  for (let tries = 1; ; tries++) {
    const isThere = context.store.get(objectKey(served.prefix, namespace, name)) !== undefined;
    if (!isThere && subresource !== undefined) throw new StatusError(notFound(served.definition, name));
    try {
      if (isThere)
        return await throughDoor(context, way, (_shown, current) =>
          changed(context, applied, { way, operation, current }),
        );
      return await createApplied(context, applied, { operation, way }, waiting);
    } catch (error) {
      // Somebody else was faster, with creating it or with deleting it.
      const isRace = isStatusError(error, isThere ? 'NotFound' : 'AlreadyExists');
      if (!isRace || subresource !== undefined || tries >= triesMax) throw error;
    }
  }
}

/** What is applied, found to be something that can be. Throws 400 and 422. */
function takeApplied({ body }: PatchOperation, { door }: Way): JsonObject {
  if (body === null) throw new StatusError(badRequest(`invalid object type: ${typeName('', '')}`));
  if (!isObject(body)) throw new StatusError(badRequest(`error decoding YAML: ${noMap(body)}`));
  const { apiVersion = '', kind = '', metadata = {} } = body;
  if (apiVersion !== apiVersionOf(door.kind) || kind !== door.kind.kind) {
    throw new StatusError(badRequest(`invalid object type: ${typeName(apiVersion, kind)}`));
  }
  if (isObject(metadata) && (metadata['managedFields'] ?? null) !== null)
    throw new StatusError(badRequest('metadata.managedFields must be nil'));
  return body;
}

/** Of a body that is wrong in two ways, what fits no schema and what is others' is told first, and alone. */
function tellFlaws({ flaws = [], options }: PatchOperation, { warnings }: Way['request']): void {
  if (flaws.length === 0 || options.fieldValidation === 'Ignore') return;
  if (options.fieldValidation === 'Strict')
    throw new StatusError(badRequest(`error strict decoding YAML: ${flaws.map(asRead).join(', ')}`));
  // It may be tried again.
  warnings.push(...flaws.flatMap(warningsIn).filter((text) => !warnings.includes(text)));
}

/** `apps/v1, Kind=Deployment`, as Go writes a type; nothing where it cannot be read. */
function typeName(apiVersion: unknown, kind: unknown): string {
  const [name, rest, more] = typeof apiVersion === 'string' ? apiVersion.split('/') : [];
  if (more !== undefined) return '/, Kind=';
  const version = rest === undefined ? `/${name ?? ''}` : `${name}/${rest}`;
  return `${version}, Kind=${typeof kind === 'string' ? kind : ''}`;
}

function noMap(body: unknown): string {
  const found = Array.isArray(body) ? 'array' : body === null ? 'null' : typeof body;
  return `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`;
}

/** Upstream reads YAML by way of JSON, and says so. */
function asRead(flaw: string): string {
  return flaw.startsWith('yaml: ') ? `error converting YAML to JSON: ${flaw}` : flaw;
}

interface Changing extends ApplyRequest {
  readonly current: KubeObject;
}

/** What comes in of an apply; undefined when nothing changes. Throws 409 for fields of others, 500 as upstream for what fits no schema. */
function changed(
  context: ServerContext,
  applied: JsonObject,
  { way, operation, current }: Changing,
): Given | undefined {
  const { request, door } = way;
  const { served, subresource } = request;
  if (door.kind.kind !== served.definition.kind) {
    const versions = versionsSeenBy(context, request);
    const scaled = scaleOwners(current, { door, request, versions });
    checkTypes(applied, scaled.versions);
    const result = decide(context, applied, { way, operation, ...scaled });
    return result === undefined
      ? undefined
      : {
          incoming: enter({ ...way, request: unsent(request) }, result.object),
          owners: scaled.toParent(result.owners),
        };
  }
  const versions = versionsSeenBy(context, request);
  // Also what does not come in by this door has to fit.
  checkTypes(applied, versions);
  const part = partOf(applied, { served, subresource });
  const noted = ownersOf(current);
  const owners =
    noted === undefined ? ownersBeforeApply(context, current, { way, versions }) : ownersNow(noted, served, versions);
  const decided = decide(context, part, { way, operation, live: current, owners, versions });
  const isSettled = noted === undefined || owners === noted;
  const result = decided ?? (isSettled ? undefined : { object: current, owners });
  if (result === undefined) return undefined;
  return { incoming: enter({ ...way, request: unsent(request) }, result.object), owners: result.owners };
}

interface Deciding extends ApplyRequest, Pick<Applying, 'live' | 'owners' | 'versions'> {}

function decide(
  context: ServerContext,
  applied: JsonObject,
  { way, operation, live, owners, versions }: Deciding,
): { readonly object: KubeObject; readonly owners: Owners } | undefined {
  const { request } = way;
  const actor = { ...actorOf(request, 'Apply'), apiVersion: versions.apiVersion };
  const time = timeOf(context);
  const applying = { live, applied, owners, actor, versions, force: operation.options.force === true, time };
  let result = applyFields(applying);
  if (!result.ok) {
    const shape = versions.shapeOf(versions.apiVersion) ?? anyShape;
    const left = actor.manager === kubectl ? conflictsLeft(result.conflicts, { live, shape }) : result.conflicts;
    if (left.length > 0) throw new StatusError(conflictStatus(left));
    result = applyFields({ ...applying, force: true });
    if (!result.ok) throw new StatusError(conflictStatus(result.conflicts));
  }
  tellFlaws(operation, request);
  const object = actor.manager === kubectl ? withLastApplied(result.object, applied) : result.object;
  const isSame = object === live && result.owners === owners && live.metadata?.managedFields !== undefined;
  return isSame ? undefined : { object, owners: result.owners };
}

function checkTypes(applied: JsonObject, versions: Versions): void {
  const { metadata, apiVersion, kind } = applied as unknown as KubeObject;
  const quotes = !isOfKind({ apiVersion, kind }, secrets);
  const text = typeProblem(applied, versions.shapeOf(versions.apiVersion) ?? anyShape, { quotes });
  if (text === undefined) return;
  const given = (isObject(metadata) ? metadata : {}) as JsonObject;
  const [namespace, name] = [given['namespace'], given['name']].map((text) => (typeof text === 'string' ? text : ''));
  // No reason and a 500, as upstream has it; kubectl shows the message alone.
  throw new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `failed to create typed patch object (${namespace}/${name}; ${typeName(apiVersion, kind)}): ${text}`,
    code: 500,
  });
}

/** Of what is applied, what comes in by this door. Nobody owns what does not. */
function partOf(
  applied: JsonObject,
  { served, subresource }: { readonly served: Served; readonly subresource: string | undefined },
): JsonObject {
  const { hasStatus, statusKeeps } = served.definition;
  if (subresource === undefined) return hasStatus ? without(applied, ['status']) : applied;
  if (served.subresources.get(subresource)?.does !== 'status') return applied;
  const { apiVersion, kind, metadata, status } = applied;
  const { name, namespace, uid, resourceVersion } = isObject(metadata) ? metadata : {};
  const place = { name, namespace, uid, resourceVersion };
  const known = Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined));
  const shown =
    statusKeeps === 'metadata' ? known : isObject(metadata) ? without(metadata, [statusKeeps ?? '']) : metadata;
  return { apiVersion, kind, ...(shown !== undefined && { metadata: shown }), ...(status !== undefined && { status }) };
}

/** All that was there before anybody noted owners counts as one owner's, so that nothing is taken from it unnoticed. */
function ownersBeforeApply(
  context: ServerContext,
  current: KubeObject,
  { way, versions }: { readonly way: Way; readonly versions: Versions },
): Owners {
  const { apiVersion, kind } = current;
  const { served, subresource } = way.request;
  const live = partOf(current as unknown as JsonObject, { served, subresource }) as unknown as KubeObject;
  const change = changeOf({ apiVersion, kind } as KubeObject, live, versions);
  const actor = { ...actorOf({ ...way.request, manager: beforeFirstApply }, 'Update'), apiVersion };
  return ownersAfterUpdate([], change, { actor, time: timeOf(context) });
}

/** Who goes over from client-side apply and back finds there what was last applied. */
function withLastApplied(object: KubeObject, applied: JsonObject): KubeObject {
  const { annotations = {} } = object.metadata;
  const before = annotations[lastAppliedAnnotation];
  if (before === undefined) return object;
  const text = goJson(withoutLastApplied(applied));
  if (text === before) return object;
  const { [lastAppliedAnnotation]: _old, ...rest } = annotations;
  const next = text.length > lastAppliedBytesMax ? rest : { ...annotations, [lastAppliedAnnotation]: text };
  return { ...object, metadata: { ...object.metadata, annotations: next } };
}

function withoutLastApplied(applied: JsonObject): JsonObject {
  const { metadata } = applied;
  const annotations = isObject(metadata) ? metadata['annotations'] : undefined;
  if (!isObject(metadata) || !isObject(annotations)) return applied;
  return { ...applied, metadata: { ...metadata, annotations: without(annotations, [lastAppliedAnnotation]) } };
}

/** As a create, by whoever may create as well as patch. */
async function createApplied(
  context: ServerContext,
  applied: JsonObject,
  { operation, way }: ApplyRequest,
  waiting: Waiting,
): Promise<Outcome<KubeObject>> {
  const { request } = way;
  const { served } = request;
  refuseKnown(applied, { served, name: operation.name });
  const part = partOf(withoutVersion(applied), { served, subresource: undefined });
  const { apiVersion, kind } = applied;
  const live = { apiVersion, kind } as unknown as KubeObject;
  const versions = versionsOf(context, served);
  checkTypes(applied, versions);
  const result = decide(context, part, { way, operation, live, owners: [], versions });
  const { resource, namespace, name, user, agent, options } = operation;
  // As with any create, the kind says what of a status it keeps.
  const { status } = applied;
  const made = result?.object ?? part;
  const creation: CreateOperation = {
    verb: 'create',
    resource,
    user,
    name,
    ...(namespace !== undefined && { namespace }),
    ...(agent !== undefined && { agent }),
    body: served.definition.hasStatus && status !== undefined ? { ...made, status } : made,
    options: { ...options, fieldValidation: 'Ignore' },
  };
  authorize(context, operationAccess(creation));
  const outcome = await create(context, { served, operation: creation, owners: result?.owners ?? [] }, waiting);
  return { ...outcome, warnings: [...new Set([...request.warnings, ...outcome.warnings])] };
}

/** Whoever names a uid means an object that was there. */
function refuseKnown(applied: JsonObject, { served, name }: { readonly served: Served; readonly name: string }): void {
  const { metadata } = applied;
  const { uid = '' } = isObject(metadata) ? metadata : {};
  if (uid === '') return;
  const why = `uid mismatch: the provided object specified uid ${String(uid)}, and no existing object was found`;
  throw new StatusError(conflict(served.definition, name, why));
}

/** A version that is named means nothing where there was none. */
function withoutVersion(applied: JsonObject): JsonObject {
  const { metadata } = applied;
  return isObject(metadata) ? { ...applied, metadata: without(metadata, ['resourceVersion']) } : applied;
}
