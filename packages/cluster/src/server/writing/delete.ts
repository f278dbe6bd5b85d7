import type { KubeObject } from '../../api/meta.ts';
import type { DeleteOperation, DeleteOptions, Outcome, User } from '../../api/operation.ts';
import { conflict, methodNotAllowed, modifiedMeanwhile, notFound, type Status, StatusError } from '../../api/status.ts';
import { freeze } from '../../base/freeze.ts';
import { admitDelete } from '../admission/world.ts';
import type { ServerContext } from '../context/context.ts';
import { objectKey } from '../context/keys.ts';
import type { Served } from '../context/registry.ts';
import { checkPreconditions } from '../intake/body.ts';
import { type DeletePlan, planDelete } from './delete-plan.ts';
import { put, remove, shown } from './write.ts';

const roundsMax = 64;

export interface Deletion {
  readonly served: Served;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly user: User;
  readonly options: DeleteOptions;
}

export async function deleteObject(
  context: ServerContext,
  { served, operation }: { readonly served: Served; readonly operation: DeleteOperation },
): Promise<Outcome<KubeObject | Status>> {
  const { namespace, name, user, options, subresource } = operation;
  if (subresource !== undefined) throw new StatusError(methodNotAllowed(served.definition, 'delete'));
  const warnings: string[] = [];
  const done = await runDelete(context, { served, namespace, name, user, options }, warnings);
  const answersWithObject = !done.removed || served.traits.returnsDeleted;
  return { code: 200, object: answersWithObject ? done.object : deleted(served, done.object), warnings };
}

export interface Deleted {
  readonly object: KubeObject;
  readonly removed: boolean;
}

/** Marks or removes, whatever the object's finalizers and grace period call for. */
export async function runDelete(context: ServerContext, deletion: Deletion, warnings: string[] = []): Promise<Deleted> {
  const { served, namespace, name, options } = deletion;
  const key = objectKey(served.prefix, namespace, name);
  let stored = context.store.get(key);
  for (let round = 0; round < roundsMax; round++) {
    if (stored === undefined) throw new StatusError(notFound(served.definition, name));
    const object = served.conversion.fromStored(stored.value as KubeObject);
    checkPreconditions(served, object, options.preconditions ?? {});
    admitDelete(context, object, { served, user: deletion.user, dryRun: options.dryRun === true, warnings });
    const plan = planDelete(object, { served, options, nowMs: context.clock.nowMs() });
    const foreseen = foresee(plan, object);
    if (plan.do === 'keep' || options.dryRun === true) return foreseen;
    const outcome =
      plan.do === 'mark'
        ? await put(context, { served, key, expect: stored.revision, object: plan.next })
        : await remove(context, { served, key, expect: stored.revision, last: plan.last });
    if (outcome.ok) return { object: shown(served, outcome.stored), removed: foreseen.removed };
    stored = outcome.current;
  }
  throw new StatusError(conflict(served.definition, name, modifiedMeanwhile));
}

function foresee(plan: DeletePlan, object: KubeObject): Deleted {
  switch (plan.do) {
    case 'keep':
      return { object, removed: false };
    case 'mark':
      return { object: freeze(plan.next), removed: false };
    case 'remove':
      return { object: freeze(plan.last), removed: true };
    default:
      return plan satisfies never;
  }
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
