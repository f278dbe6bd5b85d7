import { apiVersionOf, type GroupVersionKind, parseApiVersion } from '../../api/gvk.ts';
import { root } from '../../api/issue.ts';
import type { KubeObject, ObjectMeta } from '../../api/meta.ts';
import { isObject, type JsonObject, without } from '../../api/record.ts';
import { badRequest, conflict, invalid, modifiedMeanwhile, StatusError } from '../../api/status.ts';
import { fresh } from '../../base/fresh.ts';
import type { Served } from '../context/registry.ts';

/** An object on its way in: of the right kind, everything else unchecked. */
export interface Incoming {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/**
 * Throws 400, for custom resources 422, when the body is no object of this kind. Kind and version may be left out, but not in a
 * text: custom resources are read by them.
 */
export function decodeBody(
  body: unknown,
  expected: GroupVersionKind,
  { isCustom = false, wasText = false }: { readonly isCustom?: boolean; readonly wasText?: boolean } = {},
): Incoming {
  if (!isObject(body)) throw new StatusError(badRequest('the body of the request must be an object'));
  const given =
    isCustom && wasText ? { apiVersion: '', kind: '' } : { apiVersion: apiVersionOf(expected), kind: expected.kind };
  const { apiVersion = given.apiVersion, kind = given.kind, metadata = {} } = body;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string')
    throw new StatusError(badRequest('apiVersion and kind must be strings'));
  if (isCustom) checkCustomKind({ apiVersion, kind, metadata }, expected);
  else checkKind({ apiVersion, kind }, expected);
  if (metadata !== null && !isObject(metadata))
    throw new StatusError(badRequest(noMetadata(expected, { metadata, isCustom })));
  const said = { metadata: forgettingOwners(metadata ?? {}) };
  const front = { apiVersion, kind };
  return beginsWithKind(body)
    ? { ...fresh, ...body, ...front, ...said }
    : { ...fresh, ...front, ...body, ...front, ...said };
}

/** In the words in which upstream says it of every field. */
function noMetadata(
  { kind, version }: GroupVersionKind,
  { metadata, isCustom }: { readonly metadata: unknown; readonly isCustom: boolean },
): string {
  const type = Array.isArray(metadata) ? 'array' : typeof metadata === 'boolean' ? 'bool' : typeof metadata;
  const place = isCustom ? 'value' : `struct field ${kind}.metadata`;
  const why = `json: cannot unmarshal ${type} into Go ${place} of type v1.ObjectMeta`;
  return `${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`;
}

/** Whoever sends no owners at all wants them forgotten, as if it were one in which nothing stands; empty lists are left out later. */
function forgettingOwners(metadata: JsonObject): JsonObject {
  const { managedFields } = metadata;
  if (!Array.isArray(managedFields) || managedFields.length > 0) return metadata;
  return { ...fresh, ...metadata, managedFields: [{}] };
}

/** Lists leave both out of an object's bytes without encoding it again, so they have to be in front. */
function beginsWithKind(body: Readonly<Record<string, unknown>>): boolean {
  let at = 0;
  for (const key in body) {
    if (key !== (at === 0 ? 'apiVersion' : 'kind')) return false;
    if (++at === 2) return true;
  }
  return false;
}

function checkKind(given: { readonly apiVersion: string; readonly kind: string }, expected: GroupVersionKind): void {
  if (given.kind !== expected.kind)
    throw new StatusError(
      badRequest(
        `${given.kind} in version "${parseApiVersion(given.apiVersion).version}" cannot be handled as a ${expected.kind}`,
      ),
    );
  checkVersion(given.apiVersion, apiVersionOf(expected));
}

/** Whoever sends a custom resource of another kind has sent an object that is not valid. */
function checkCustomKind(
  { apiVersion, kind, metadata }: { readonly apiVersion: string; readonly kind: string; readonly metadata: unknown },
  expected: GroupVersionKind,
): void {
  const unread = `the object provided is unrecognized (must be of type ${expected.kind}): Object 'Kind' is missing`;
  if (kind === '') throw new StatusError(badRequest(unread));
  checkVersion(apiVersion, apiVersionOf(expected));
  if (kind === expected.kind) return;
  const name = isObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : '';
  const issue = root('kind').invalid(kind, `must be ${expected.kind}`);
  throw new StatusError(invalid({ group: expected.group, kind }, name, [issue]));
}

function checkVersion(given: string, expected: string): void {
  if (given === expected) return;
  throw new StatusError(
    badRequest(`the API version in the data (${given}) does not match the expected API version (${expected})`),
  );
}

export const otherNamespace = 'the namespace of the provided object does not match the namespace sent on the request';

/** The object in the place that the request's path names. Throws 400 when the body names another. */
export function placed(
  object: Incoming,
  {
    namespaced,
    namespace,
    name,
  }: { readonly namespaced: boolean; readonly namespace: string | undefined; readonly name: string | undefined },
): Incoming {
  const { namespace: given = '' } = object.metadata;
  const givenName = object.metadata.name ?? '';
  // What is no text is told of with everything else that has a wrong type.
  if (namespaced && isText(given) && given !== '' && given !== namespace)
    throw new StatusError(badRequest(otherNamespace));
  if (name !== undefined && isText(givenName)) checkName(givenName, name);
  const place = isText(given) ? (namespaced ? namespace : undefined) : given;
  // Most stand where they say, and every write comes through here.
  if (object.metadata.namespace === place && (place !== undefined || !('namespace' in object.metadata))) return object;
  const { namespace: _said, ...metadata } = object.metadata;
  return { ...fresh, ...object, metadata: place === undefined ? metadata : { ...metadata, namespace: place } };
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || value === null;
}

function checkName(given: string, name: string): void {
  if (given === '')
    throw new StatusError(
      badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`),
    );
  if (given !== name)
    throw new StatusError(badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`));
}

/** What the server alone says about an object. */
const serverFields = ['managedFields', 'selfLink'] as const;

export function withoutServerFields(metadata: ObjectMeta): ObjectMeta {
  return without(metadata as Readonly<Record<string, unknown>>, serverFields) as ObjectMeta;
}

type Named = Parameters<typeof conflict>[0];

/** What the sender of a change believes to know about the object: throws 409 where that is wrong. */
export function checkPreconditions(
  served: Served,
  current: KubeObject,
  {
    uid = '',
    resourceVersion = '',
  }: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined },
): void {
  const { definition } = served;
  if (uid !== '') checkUid(definition, current, uid);
  checkSameVersion(served, current, resourceVersion);
}

/** Throws 409 where an object of another uid is meant. */
export function checkUid(named: Named, { metadata }: KubeObject, uid: string): void {
  if (uid === metadata.uid) return;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`;
  throw new StatusError(conflict(named, metadata.name, why));
}

/** Throws 409 where the object has changed since. */
export function checkSameVersion({ definition }: Served, { metadata }: KubeObject, version: string): void {
  if (version !== '' && version !== '0' && version !== metadata.resourceVersion)
    throw new StatusError(conflict(definition, metadata.name, modifiedMeanwhile));
}

/** Some kinds refuse an update that does not say which version it was made from (422). */
export function checkVersionGiven(
  { definition, traits }: Served,
  { name = '', resourceVersion = '' }: ObjectMeta,
): void {
  if (traits.updatesUnconditionally || (resourceVersion !== '' && resourceVersion !== '0')) return;
  const issue = root('metadata', 'resourceVersion').invalid(0, 'must be specified for an update');
  // Upstream names the resource where it names the kind otherwise.
  const { group, resource: kind } = definition;
  throw new StatusError(invalid({ group, kind }, name, [issue]));
}
