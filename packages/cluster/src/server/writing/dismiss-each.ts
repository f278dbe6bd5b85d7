import type { KubeObject } from '../../api/meta.ts';
import type {
  DeleteOperation,
  Dismissal,
  DismissEachOperation,
  Outcome,
  PatchOperation,
  UpdatedEach,
  Waiting,
} from '../../api/operation.ts';
import { isObject } from '../../api/record.ts';
import { locate } from '../access/scope.ts';
import { admitDelete } from '../admission/world.ts';
import type { ServerContext } from '../context/context.ts';
import { sameForm } from '../context/conversion.ts';
import { objectKey } from '../context/keys.ts';
import { reviewersOf } from '../context/reviewer.ts';
import { type ObjectWrite, type WriteRequest, writeRequest } from '../context/write-request.ts';
import { commitEach } from './commit.ts';
import { planDelete } from './delete-plan.ts';
import { withSaid } from './saying.ts';

/** What is done for one of them where there is no shorter way. */
export interface Parts {
  /** Throws for what is refused. */
  judge(operation: PatchOperation | DeleteOperation): void;
  perform(operation: PatchOperation | DeleteOperation): Promise<Outcome>;
}

/**
 * Of each both are one write, where nobody but its user has a say in either; all of them wait for the disk as one. Whatever is
 * refused, needs more than that or meets somebody faster is patched and then deleted, which says what of it.
 */
export async function dismissEach(
  context: ServerContext,
  operation: DismissEachOperation,
  { signal, judge, perform }: Waiting & Parts,
): Promise<UpdatedEach> {
  signal.throwIfAborted();
  const asked = operation.dismissals.map((dismissal) => askedOf(dismissal, operation));
  const requests = requestsOf(context, asked[0], signal);
  const writes = asked.map((each) => requests && writeOf(context, each, { requests, judge }));
  const taken = writes.filter((write) => write !== undefined);
  const outcomes = taken.length === 0 ? [] : await commitEach(context, taken);
  let next = 0;
  const told = writes.map((write) => (write === undefined ? 'alone' : (outcomes[next++] ?? 'alone')));
  if (!told.includes('alone')) return told as UpdatedEach;
  return Promise.all(
    told.map(async (outcome, at) => (outcome === 'alone' ? oneByOne(asked[at], { signal, perform }) : outcome)),
  );
}

/** Both that it comes to. */
interface Asked {
  readonly dismissal: Dismissal;
  readonly patch: PatchOperation;
  readonly deletion: DeleteOperation;
}

function askedOf(dismissal: Dismissal, { resource, user, agent }: DismissEachOperation): Asked {
  const { namespace, name, uid, condition } = dismissal;
  const target = {
    resource,
    user,
    name,
    ...(agent !== undefined && { agent }),
    ...(namespace !== undefined && { namespace }),
  };
  const body = { metadata: { uid }, status: { conditions: [condition] } };
  return {
    dismissal,
    patch: { verb: 'patch', ...target, subresource: 'status', patchType: 'strategic', body, options: {} },
    deletion: { verb: 'delete', ...target, options: { preconditions: { uid } } },
  };
}

async function oneByOne(
  asked: Asked | undefined,
  { signal, perform }: Waiting & Pick<Parts, 'perform'>,
): Promise<KubeObject | Error> {
  if (asked === undefined) return new Error('nothing was asked for');
  try {
    const { object } = await perform(asked.patch);
    await perform(asked.deletion);
    return object as KubeObject;
  } catch (error) {
    if (signal.aborted) throw error;
    return error as Error;
  }
}

/** Those that all of them share. */
interface Requests {
  readonly says: WriteRequest;
  readonly ends: WriteRequest;
}

function requestsOf(context: ServerContext, first: Asked | undefined, signal: AbortSignal): Requests | undefined {
  if (first === undefined || context.others.find(first.patch.resource) !== undefined) return undefined;
  try {
    const served = locate(context, first.patch);
    if (served.definition.says === undefined || served.conversion !== sameForm) return undefined;
    if (context.loadExpressions(served, first.patch) !== undefined) return undefined;
    const { operation: _patch, ...says } = writeRequest(served, first.patch, { signal });
    const { operation: _deletion, ...ends } = writeRequest(served, first.deletion, { signal });
    const isReviewed = [says, ends].some((request) => reviewersOf(context, request).length > 0);
    return isReviewed ? undefined : { says, ends };
  } catch {
    return undefined;
  }
}

function writeOf(
  context: ServerContext,
  { dismissal, patch, deletion }: Asked,
  { requests: { says, ends }, judge }: { readonly requests: Requests } & Pick<Parts, 'judge'>,
): ObjectWrite | undefined {
  const { served } = says;
  const { namespace, name, uid, condition } = dismissal;
  const stored = context.store.get(objectKey(served.prefix, namespace, name));
  const current = stored?.value as KubeObject | undefined;
  if (stored === undefined || current?.metadata.uid !== uid || !isObject(condition)) return undefined;
  try {
    judge(patch);
    judge(deletion);
    const said = withSaid(context, { said: { condition, texts: {} }, current }, says);
    if (said === undefined) return undefined;
    admitDelete(context, current, ends);
    const plan = planDelete(said, { served, options: deletion.options, nowMs: context.clock.nowMs() });
    const write = { key: stored.key, before: { stored, object: current } };
    switch (plan.do) {
      case 'keep':
        return { request: says, after: said, ends: false, ...write };
      case 'mark':
        return { request: ends, after: plan.next, ends: false, ...write };
      case 'remove':
        return { request: ends, after: plan.last, ends: true, ...write };
      default:
        return plan satisfies never;
    }
  } catch {
    return undefined;
  }
}
