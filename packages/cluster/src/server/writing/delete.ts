import { customresourcedefinitions } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { DeleteOperation, DeleteOptions, Outcome } from '../../api/operation.ts';
import { conflict, modifiedMeanwhile, noSuchMethod, notFound, type Status, StatusError } from '../../api/status.ts';
import { reviewed } from '../admission/review.ts';
import { admitDelete } from '../admission/world.ts';
import type { ServerContext } from '../context/context.ts';
import { objectKey } from '../context/keys.ts';
import type { Served } from '../context/registry.ts';
import { type Reviewer, reviewersOf } from '../context/reviewer.ts';
import { type WriteRequest, writeRequest } from '../context/write-request.ts';
import { commit, formOf, learnForm } from './commit.ts';
import { planDelete } from './delete-plan.ts';

const roundsMax = 64;

export interface Deletion {
  readonly request: WriteRequest;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly options: DeleteOptions;
  /** Asked before anything happens. */
  readonly reviewers: readonly Reviewer[];
  /** Absent: it alone was asked for. */
  readonly among?: 'collection';
}

export async function deleteObject(
  context: ServerContext,
  { served, operation }: { readonly served: Served; readonly operation: DeleteOperation },
  waiting: { readonly signal: AbortSignal },
): Promise<Outcome<KubeObject | Status>> {
  const { namespace, name, options, subresource } = operation;
  if (subresource !== undefined) throw new StatusError(noSuchMethod());
  const request = warnedOf(writeRequest(served, operation, waiting), options);
  const done = await runDelete(context, {
    request,
    namespace,
    name,
    options,
    reviewers: reviewersOf(context, request),
  });
  const answersWithObject = !done.removed || served.traits.returnsDeleted;
  return {
    code: 200,
    object: answersWithObject ? done.object : deleted(served, done.object),
    warnings: request.warnings,
  };
}

/** What is said of a deletion before anything is looked for. */
export function warnedOf(request: WriteRequest, options: DeleteOptions): WriteRequest {
  request.warnings.push(...(request.served.definition.deleteWarnings?.(options) ?? []));
  return request;
}

export interface Deleted {
  readonly object: KubeObject;
  readonly removed: boolean;
}

/** Marks or removes, whatever the object's finalizers and grace period call for. */
export async function runDelete(context: ServerContext, deletion: Deletion): Promise<Deleted> {
  const { request, namespace, name, options, reviewers } = deletion;
  const { served } = request;
  const key = objectKey(served.prefix, namespace, name);
  let stored = context.store.get(key);
  for (let round = 0; round < roundsMax; round++) {
    if (stored === undefined) throw new StatusError(notFound(served.definition, name), { warnings: request.warnings });
    if (served.conversion.learn !== undefined) await learnForm(request, stored);
    const object = formOf(served, stored);
    checkBelief(object, options.preconditions ?? {}, deletion);
    admitDelete(context, object, request);
    if (reviewers.length > 0) await reviewDelete(context, object, { request, reviewers });
    const plan = planDelete(object, { served, options, nowMs: context.clock.nowMs() });
    if (plan.do === 'keep') return { object, removed: false };
    const removed = plan.do === 'remove';
    const after = removed ? plan.last : plan.next;
    const written = await commit(context, { request, key, before: { stored, object }, after, ends: removed });
    if (written.ok) return { object: written.object, removed };
    stored = written.current;
  }
  throw new StatusError(conflict(served.definition, name, modifiedMeanwhile));
}

/** What the sender believes to know about the object: throws 409 where that is wrong, and names the kind, as upstream. */
export function checkBelief(
  { metadata }: KubeObject,
  { uid = '', resourceVersion = '' }: NonNullable<DeleteOptions['preconditions']>,
  { request: { served, warnings }, among }: Pick<Deletion, 'request' | 'among'>,
): void {
  const { definition, traits } = served;
  const { group, kind } = definition.refusedAs ?? definition;
  // Namespaces and definitions are looked at by doors of their own, in other words.
  const asNamespace = (field: string, [given, found]: readonly [string, string]): StatusError =>
    new StatusError(
      conflict(
        definition,
        metadata.name,
        `Precondition failed: ${field} in precondition: ${given}, ${field} in object meta: ${found}`,
      ),
      { warnings },
    );
  if (
    traits.heldBySpec ||
    (among === undefined && group === customresourcedefinitions.group && kind === customresourcedefinitions.kind)
  ) {
    if (uid !== '' && uid !== metadata.uid) throw asNamespace('UID', [uid, metadata.uid]);
    const now = metadata.resourceVersion;
    if (resourceVersion !== '' && resourceVersion !== now) throw asNamespace('ResourceVersion', [resourceVersion, now]);
  }
  const refuse = (what: string, then: string): StatusError =>
    new StatusError(
      conflict({ group, resource: kind }, metadata.name, `the ${what}. The object might have been ${then}`),
      { warnings },
    );
  if (uid !== '' && uid !== metadata.uid)
    throw refuse(
      `UID in the precondition (${uid}) does not match the UID in record (${metadata.uid})`,
      'deleted and then recreated',
    );
  if (resourceVersion !== '' && resourceVersion !== metadata.resourceVersion)
    throw refuse(
      `ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion})`,
      'modified',
    );
}

async function reviewDelete(
  context: ServerContext,
  object: KubeObject,
  { request, reviewers }: Pick<Deletion, 'request' | 'reviewers'>,
): Promise<void> {
  await reviewed(context, object, {
    reviewers,
    request,
    show: () => ({ oldObject: object }),
    // There is nothing about an end that could be changed.
    take: () => object,
    check: () => undefined,
  });
}

function deleted({ definition }: Served, { metadata }: KubeObject): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: metadata.name,
      ...(definition.group !== '' && { group: definition.group }),
      kind: definition.resource,
      uid: metadata.uid,
    },
    code: 200,
  };
}
