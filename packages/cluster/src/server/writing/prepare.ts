import type { Owners } from '../../api/apply/managers.ts';
import type { Issue } from '../../api/issue.ts';
import { root } from '../../api/issue.ts';
import type { KubeObject, ObjectMeta, StoredMeta } from '../../api/meta.ts';
import { without } from '../../api/record.ts';
import { invalid, issuesMax, StatusError } from '../../api/status.ts';
import { toTimestamp } from '../../base/clock.ts';
import { equal } from '../../base/equal.ts';
import { fresh } from '../../base/fresh.ts';
import { randomUuid } from '../../base/random.ts';
import { carryMetadata, validateMetadata, validateMetadataUpdate } from '../../resources/validation/metadata.ts';
import { admitCreate, admitUpdate, checkAdmitted, issuesOfRules } from '../admission/world.ts';
import type { ServerContext } from '../context/context.ts';
import type { Served } from '../context/registry.ts';
import type { WriteRequest } from '../context/write-request.ts';
import { type Incoming, withoutServerFields } from '../intake/body.ts';
import { generationAfter, withGeneration } from './generation.ts';
import { isSameButOwners, ownersAfter, settled, withOwners } from './owning.ts';

type WithStatus = KubeObject & { readonly status?: unknown };

/** A new object: metadata, defaults, admission, in this order. Not yet found valid. */
export function draftNew(context: ServerContext, incoming: Incoming, request: WriteRequest): KubeObject {
  const { served } = request;
  const { definition } = served;
  const metadata = newMetadata(context, served, incoming.metadata);
  let object: KubeObject = { ...fresh, ...incoming, metadata };
  if (served.crd !== undefined && definition.hasStatus) object = withStatus(object, undefined);
  object = definition.defaults?.(object) ?? object;
  const owners = request.owners ?? ownersOfNew(context, object, { given: incoming.metadata, request });
  object = definition.prepareForCreate?.(object, { nowMs: context.clock.nowMs() }) ?? object;
  if (definition.hasStatus) object = withStatus(object, shownStatus(served, (object as WithStatus).status));
  const admitted = admitCreate(context, object, request);
  return withOwners(definition.concludeNew?.(admitted) ?? admitted, owners);
}

/** Who creates an object owns what they have sent of it, but nothing of its status. */
function ownersOfNew(
  context: ServerContext,
  object: KubeObject,
  { given, request }: { readonly given: ObjectMeta; readonly request: WriteRequest },
): Owners | undefined {
  const { apiVersion, kind } = object;
  const sent = request.served.definition.hasStatus ? withStatus(object, undefined) : object;
  return ownersAfter(context, { live: { apiVersion, kind } as KubeObject, sent, given: given.managedFields }, request);
}

/** Refuses a new object that is not valid with 422. */
export function checkNew(context: ServerContext, object: KubeObject, request: WriteRequest): void {
  refuseIssues(request, object, newIssues(context, object, request.served));
  // Who is not let in is warned as well.
  warn({ next: object }, request);
  for (const warning of request.served.definition.warningsOfNew?.(object) ?? []) request.warnings.push(warning);
  checkAdmitted(context, { next: object }, request);
}

function warn({ next, current }: Partial<Change> & Pick<Change, 'next'>, { served, warnings }: WriteRequest): void {
  for (const warning of served.definition.warnings?.(next, current) ?? []) warnings.push(warning);
}

function newMetadata({ clock, random }: ServerContext, served: Served, given: ObjectMeta): StoredMeta {
  const { deletionTimestamp: _d, deletionGracePeriodSeconds: _g, generation: _n, ...kept } = withoutServerFields(given);
  return {
    ...fresh,
    ...kept,
    name: nameOf(served, given) ?? randomUuid(random),
    uid: randomUuid(random),
    resourceVersion: '',
    creationTimestamp: toTimestamp(clock.nowMs()),
    ...(served.traits.counted && { generation: 1 }),
    // What is not counted is left out, unless it has to be refused.
    ...(!served.traits.counted && (given.generation ?? 0) < 0 && { generation: given.generation ?? 0 }),
  };
}

function nameOf({ traits }: Served, { name = '', generateName = '' }: ObjectMeta): string | undefined {
  return traits.namesItself && name === '' && generateName === '' ? undefined : name;
}

function* newIssues(context: ServerContext, object: KubeObject, served: Served): Iterable<Issue> {
  const { definition } = served;
  yield* validateMetadata(object.metadata, root('metadata'), {
    namespaced: definition.namespaced,
    validateName: definition.validateName,
    builtin: served.traits.qualifiesFinalizers,
  });
  yield* definition.validate?.(object, root) ?? [];
  yield* definition.validateCreate?.(object, root) ?? [];
  yield* issuesOfRules(context, { next: object }, served);
}

export interface Change {
  readonly next: KubeObject;
  readonly current: KubeObject;
}

/** What a changed object becomes when it comes in through the main door; `current` when nothing changes. Not yet found valid. */
export function draftUpdate(
  context: ServerContext,
  { incoming, current }: { readonly incoming: Incoming; readonly current: KubeObject },
  request: WriteRequest,
): KubeObject {
  const { served } = request;
  const { definition } = served;
  let next: KubeObject = { ...fresh, ...incoming, metadata: changedMetadata(incoming.metadata, current.metadata) };
  if (definition.hasStatus) next = withStatus(next, shownStatus(served, (current as WithStatus).status));
  next = definition.defaults?.(next) ?? next;
  const given = incoming.metadata.managedFields;
  const owners = request.owners ?? ownersAfter(context, { live: current, sent: next, given }, request);
  next = definition.prepareForUpdate?.(next, current) ?? next;
  next = admitUpdate(context, { next, current }, request);
  next = withGeneration(next, generationAfter(served, next, current));
  return settled(withOwners(next, owners), current);
}

/** Refuses a change that is not valid with 422. What has not changed was found valid when it came in. */
export function checkUpdate(context: ServerContext, change: Change, request: WriteRequest): void {
  if (change.next === change.current) return;
  refuseIssues(request, change.next, updateIssues(context, change, request));
  warn(change, request);
  checkAdmitted(context, change, request);
}

function changedMetadata(given: ObjectMeta, current: StoredMeta): StoredMeta {
  if (equal(given, current)) return current;
  return {
    ...carryMetadata(withoutServerFields(given), current),
    name: given.name ?? current.name,
    uid: current.uid,
    // As upstream since 1.34 at the latest: what somebody else says of it is not heard.
    creationTimestamp: current.creationTimestamp,
    resourceVersion: current.resourceVersion,
  };
}

/** What has not changed was found valid when it came in. */
function* metadataIssues(served: Served, { next, current }: Change): Iterable<Issue> {
  if (isSameButOwners(next.metadata, current.metadata)) return;
  yield* validateMetadataUpdate(next.metadata, current.metadata, root('metadata'), {
    namespaced: served.definition.namespaced,
    validateName: served.definition.validateName,
    builtin: served.traits.qualifiesFinalizers,
  });
}

function* updateIssues(
  context: ServerContext,
  { next, current }: Change,
  { served, subresource }: WriteRequest,
): Iterable<Issue> {
  const { definition } = served;
  const judge = (subresource && served.subresources.get(subresource)?.validateUpdate) || definition.validateUpdate;
  yield* metadataIssues(served, { next, current });
  yield* definition.validate?.(next, root) ?? [];
  yield* judge?.(next, current, root) ?? [];
  yield* issuesOfRules(context, { next, current }, served);
}

/** What a changed object becomes when it comes in through `/status`: only the status counts. Not yet found valid. */
export function draftStatus(
  context: ServerContext,
  { incoming, current }: { readonly incoming: Incoming; readonly current: KubeObject },
  request: WriteRequest,
): KubeObject {
  const { served } = request;
  const changed = withStatus(current, shownStatus(served, (incoming as WithStatus).status));
  const given = {
    ...changed,
    metadata: statusMetadata(served, { given: incoming.metadata, current: current.metadata }),
  };
  const next = served.definition.defaultsByStatus?.(given, current) ?? given;
  const owners = request.owners ?? ownersAfter(context, { live: current, sent: next, given: undefined }, request);
  return settled(withOwners(next, owners), current);
}

/** Refuses a change of the status that is not valid with 422. */
export function checkStatus(change: Change, request: WriteRequest): void {
  if (change.next !== change.current) refuseIssues(request, change.next, statusIssues(request.served, change));
}

/** Kinds say what of the metadata this door leaves alone. */
function statusMetadata(
  { definition }: Served,
  { given, current }: { readonly given: ObjectMeta; readonly current: StoredMeta },
): StoredMeta {
  const { statusKeeps } = definition;
  if (statusKeeps === 'metadata' || equal(given, current)) return current;
  const kept = ['generation', ...(statusKeeps === undefined ? [] : [statusKeeps])];
  const before = Object.fromEntries(Object.entries(current).filter(([field]) => kept.includes(field)));
  return { ...(without({ ...changedMetadata(given, current) }, kept) as unknown as StoredMeta), ...before };
}

function statusIssues(served: Served, { next, current }: Change): Iterable<Issue> {
  const issues = served.definition.validateStatusUpdate?.(next, current, root) ?? [];
  // As at nearly all writes of a status.
  if (isSameButOwners(next.metadata, current.metadata)) return issues;
  return [...metadataIssues(served, { next, current }), ...issues];
}

/** As upstream serialises them: built-in kinds with a status always show one, also when nobody has written it or it was taken out. */
function shownStatus({ crd, definition }: Served, status: unknown): unknown {
  if (crd !== undefined) return status;
  const shown = status ?? {};
  return definition.defaultStatus?.(shown) ?? shown;
}

export function withStatus(object: KubeObject, status: unknown): KubeObject {
  const { status: _old, ...rest } = object as WithStatus;
  return status === undefined || status === null ? rest : ({ ...fresh, ...rest, status } as KubeObject);
}

function refuseIssues({ served, warnings }: WriteRequest, object: KubeObject, issues: Iterable<Issue>): void {
  const found: Issue[] = [];
  for (const issue of issues) {
    if (issue.onlyWarns === true) warnings.push(`${issue.field}: ${issue.message}`);
    // One more than is named, so that it can be said that there are more.
    else if (found.push(issue) > issuesMax) break;
  }
  if (found.length > 0)
    throw new StatusError(invalid(served.definition.refusedAs ?? served.definition, object.metadata.name, found), {
      warnings,
    });
}
