import { decodeOwners, forgetsOwners } from '../../api/apply/decode-owners.ts';
import { ownersInShape } from '../../api/apply/in-shape.ts';
import { type Actor, isSameActor, type Owners } from '../../api/apply/managers.ts';
import { customShapeOf, shapeOf } from '../../api/apply/shape.ts';
import { ownersAfterUpdate } from '../../api/apply/update.ts';
import { changeOf, type Versions } from '../../api/apply/versions.ts';
import type { KubeObject, ManagedFieldsEntry, ObjectMeta } from '../../api/meta.ts';
import { managerOfUser } from '../../api/system-identities.ts';
import { toTimestamp } from '../../base/clock.ts';
import { equal } from '../../base/equal.ts';
import { fresh } from '../../base/fresh.ts';
import type { ServerContext } from '../context/context.ts';
import type { Served } from '../context/registry.ts';
import type { WriteRequest } from '../context/write-request.ts';
import { schemaFor } from '../intake/fields.ts';
import { listed, sharedUpdate } from './shared-owners.ts';

/*
 * Who owns which field, noted at every write. What counts is what a client has sent, with defaults: what the server's own rules
 * and reviewers make of it afterwards is nobody's, as upstream.
 */

export interface Sent {
  /** What was there; for a new object nothing but its kind. */
  readonly live: KubeObject;
  readonly sent: KubeObject;
  /** The owners that the client itself has named. */
  readonly given: readonly unknown[] | undefined;
}

/** Who owns what after a change by anything but an apply. Undefined where nobody does. */
export function ownersAfter(
  context: ServerContext,
  { live, sent, given }: Sent,
  request: WriteRequest,
): Owners | undefined {
  const isNew = live.metadata === undefined;
  const current = isNew ? undefined : ownersOf(live);
  const noted = ownersGiven(given, { current, request });
  // Nobody begins to note owners in the middle of an object's life, except for whoever applies.
  if (noted === undefined && !isNew) return undefined;
  const { served } = request;
  const versions = versionsSeenBy(context, request);
  const before = noted && ownersNow(noted, served, versions);
  const change = changeOf(live, sent, versions);
  const actor = actorOf(request, 'Update');
  // As upstream, which loses the time of who scales.
  const time = request.subresource === 'scale' ? undefined : timeOf(context);
  const updating = { owners: before ?? nobody, change, actor, time };
  return sharedUpdate(updating, () => ownersAfterUpdate(updating.owners, change, updating));
}

const nobody: Owners = Object.freeze([]);

/** The owners by the schema that there is now: only those of definitions change. */
export function ownersNow(owners: Owners, { crd }: Served, versions: Versions): Owners {
  return crd === undefined ? owners : ownersInShape(owners, versions);
}

let second = { ms: Number.NaN, text: '' };

/** Now, as all who write in one second have it. */
export function timeOf({ clock }: ServerContext): string {
  const ms = Math.floor(clock.nowMs() / 1000);
  if (ms !== second.ms) second = { ms, text: toTimestamp(ms * 1000) };
  return second.text;
}

/** What stands in a stored object was written here, or decoded when it came in. */
export function ownersOf({ metadata }: { readonly metadata: ObjectMeta }): Owners | undefined {
  return metadata.managedFields as Owners | undefined;
}

/** Whoever does not know what owners are cannot take them away; whoever does may correct them, or have them forgotten. */
function ownersGiven(
  given: readonly unknown[] | undefined,
  { current, request }: { readonly current: Owners | undefined; readonly request: WriteRequest },
): Owners | undefined {
  if (request.subresource !== undefined || !Array.isArray(given) || given.length === 0 || given === current)
    return current;
  if (forgetsOwners(given)) return undefined;
  if (equal(given, current)) return current;
  const decoded = decodeOwners(given);
  return decoded.ok ? decoded.owners : current;
}

export function actorOf<O extends Actor['operation']>(
  { served, subresource, manager, user }: WriteRequest,
  operation: O,
): Actor & { readonly operation: O } {
  return { manager: manager ?? managerOfUser(user), operation, apiVersion: served.apiVersion, subresource };
}

export function withOwners<T extends KubeObject>(object: T, owners: Owners | undefined): T {
  const isNobody = owners === undefined || owners.length === 0;
  const entries = isNobody ? undefined : (listed(owners) as readonly ManagedFieldsEntry[]);
  if (object.metadata.managedFields === entries) return object;
  if (entries !== undefined)
    return { ...fresh, ...object, metadata: { ...fresh, ...object.metadata, managedFields: entries } };
  const { managedFields: _old, ...metadata } = object.metadata;
  return { ...fresh, ...object, metadata };
}

/** Whether there is nothing new in the metadata but who owns what. */
export function isSameButOwners(next: ObjectMeta, current: ObjectMeta): boolean {
  if (next === current) return true;
  for (const field in next) if (field !== 'managedFields' && !isSameIn(field, next, current)) return false;
  for (const field in current) if (field !== 'managedFields' && !isSameIn(field, next, current)) return false;
  return true;
}

function isSameIn(field: string, a: ObjectMeta, b: ObjectMeta): boolean {
  return a[field as keyof ObjectMeta] === b[field as keyof ObjectMeta];
}

/** The current object where nothing has changed but when somebody took what was theirs already. */
export function settled(next: KubeObject, current: KubeObject): KubeObject {
  const now = ownersOf(next);
  const before = ownersOf(current);
  const isSame = now === before || (now !== undefined && before !== undefined && isSameButTime(now, before));
  return isSame && equal(withOwners(next, before), current) ? current : next;
}

function isSameButTime(a: Owners, b: Owners): boolean {
  return (
    a.length === b.length &&
    a.every((owner, index) => {
      const other = b[index];
      if (other === undefined || owner === other) return other !== undefined;
      return (
        isSameActor(owner, other) && owner.apiVersion === other.apiVersion && equal(owner.fieldsV1, other.fieldsV1)
      );
    })
  );
}

const known = new WeakMap<Served, Versions>();

/** The versions that owners of this resource may speak of. */
export function versionsOf({ registry }: ServerContext, served: Served): Versions {
  let versions = known.get(served);
  if (versions === undefined) {
    versions = createVersions(registry, served);
    known.set(served, versions);
  }
  return versions;
}

/** The same for one write: where somebody has to be asked for other versions, they are. */
export function versionsSeenBy(context: ServerContext, { served, forms }: WriteRequest): Versions {
  const versions = versionsOf(context, served);
  if (forms === undefined) return versions;
  const convert: Versions['convert'] = (object, apiVersion) =>
    object.apiVersion === apiVersion ? object : forms.of(object, apiVersion);
  return { ...versions, convert };
}

function createVersions(registry: ServerContext['registry'], served: Served): Versions {
  const { apiVersion, conversion, definition, prefix } = served;
  const read = served.crd === undefined ? shapeOf : customShapeOf;
  const own = read(schemaFor(served));
  const other = (version: string): Served | undefined => {
    const found = registry.ofKind(version, definition.kind);
    return found?.prefix === prefix ? found : undefined;
  };
  return {
    apiVersion,
    shapeOf(version) {
      if (version === apiVersion) return own;
      const found = other(version);
      return found === undefined ? undefined : read(schemaFor(found));
    },
    convert(object, version) {
      const found = other(object.apiVersion === apiVersion ? version : object.apiVersion);
      // Who does not wait asks nobody: fields of one name are taken for the same.
      if (found === undefined || conversion.learn !== undefined) return { ...object, apiVersion: version };
      if (version === apiVersion) return conversion.fromStored(found.conversion.toStored(object));
      return found.conversion.fromStored(conversion.toStored(object));
    },
  };
}
