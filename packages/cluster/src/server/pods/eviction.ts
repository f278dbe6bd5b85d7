import { conditionOf, mergeConditions } from '../../api/conditions.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { poddisruptionbudgets } from '../../api/generated/kinds.ts';
import type { PodDisruptionBudget } from '../../api/generated/policy-v1.ts';
import { type Issue, root } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { CreateOperation, DeleteOptions, Outcome } from '../../api/operation.ts';
import { isObject, type JsonObject } from '../../api/record.ts';
import { badRequest, failure, forbidden, invalid, type Status, StatusError } from '../../api/status.ts';
import { toTimestamp } from '../../base/clock.ts';
import { disruptionConditions } from '../../resources/policy/disruption-allowed.ts';
import {
  type EvictionRefusal,
  evictionRefusal,
  isCovered,
  needsNoBudget,
  spendsNothing,
} from '../../resources/policy/eviction-leave.ts';
import type { Subresource } from '../../resources/resource.ts';
import { oneOf } from '../../resources/validation/fields.ts';
import type { ServerContext } from '../context/context.ts';
import { collectionPrefix } from '../context/keys.ts';
import { reviewersOf } from '../context/reviewer.ts';
import type { WriteRequest } from '../context/write-request.ts';
import { decodeBody, type Incoming } from '../intake/body.ts';
import { checkFields, shapeOf } from '../intake/fields.ts';
import { readObject } from '../reading/get.ts';
import { created } from '../writing/created.ts';
import { checkBelief, runDelete } from '../writing/delete.ts';
import { type DoorRequest, unsent } from '../writing/door.ts';
import { reviewedBody } from '../writing/reviewed-body.ts';
import { rewrite } from '../writing/write.ts';

export interface Eviction {
  /** Of pods. */
  readonly request: DoorRequest;
  readonly door: Subresource;
  readonly operation: CreateOperation;
  readonly name: string;
}

/** Deletes the pod if its disruption budget allows: 429 when it does not now, 500 when two budgets claim the pod. */
export async function evict(context: ServerContext, eviction: Eviction): Promise<Outcome<Status>> {
  const { operation, name } = eviction;
  const { namespace } = operation;
  const { served } = eviction.request;
  const { definition } = shapeOf(eviction.door);
  const take = (given: unknown, asked: DoorRequest): Incoming => {
    const kind = { ...definition, version: versionOf(given) };
    const taken = checkFields({ definition: kind }, decodeBody(given, kind), asked);
    if (taken.metadata.name !== name)
      throw new StatusError(badRequest('name in URL does not match name in Eviction object'));
    refuseBlindDeletion(taken, kind);
    return taken;
  };
  const sent = take(operation.body, eviction.request);
  const reviewers = reviewersOf(context, eviction.request);
  const asking = { reviewers, take: (given: unknown) => take(given, unsent(eviction.request)) };
  const body =
    reviewers.length === 0 ? sent : await reviewedBody(context, sent, { request: eviction.request, ...asking });
  const pod = readObject(context, { served, namespace, name }) as Pod;
  const options = deleteOptionsOf(body, operation.options.dryRun === true);
  const budget = needsNoBudget(pod) ? undefined : budgetOf(context, pod);
  const request = { ...eviction.request, dryRun: options.dryRun === true };
  if (budget !== undefined) await spend(context, { budget, pod, request });
  const seen = isDeleting(pod) ? options : await markDisrupted(context, pod, { request, options });
  await runDelete(context, { request: { ...request, verb: 'delete' }, namespace, name, options: seen, reviewers: [] });
  return created(request.warnings);
}

/** What nobody could read is nothing that a budget counts. */
function refuseBlindDeletion(eviction: Incoming, kind: { readonly group: string; readonly kind: string }): void {
  const { deleteOptions } = eviction as { readonly deleteOptions?: unknown };
  const option = 'ignoreStoreReadErrorWithClusterBreakingPotential';
  if (!isObject(deleteOptions) || deleteOptions[option] !== true) return;
  const why = 'can not be set for pod eviction, try after removing the option';
  const issue = root('deleteOptions', option).invalid(true, why);
  throw new StatusError(invalid(kind, eviction.metadata.name ?? '', [issue]));
}

/** Evictions alone are still taken in the first version of their group: older clients write no other. */
function versionOf(body: unknown): string {
  return isObject(body) && body['apiVersion'] === 'policy/v1beta1' ? 'v1beta1' : 'v1';
}

function deleteOptionsOf(body: object, dryRun: boolean): DeleteOptions {
  const { deleteOptions } = body as { readonly deleteOptions?: unknown };
  const given = isObject(deleteOptions) ? deleteOptions : {};
  const issues = [...deleteOptionIssues(given)];
  if (issues.length > 0) throw new StatusError(invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', issues));
  const { gracePeriodSeconds, propagationPolicy, preconditions } = given as DeleteOptions;
  return {
    dryRun: dryRun || (Array.isArray(given['dryRun']) && given['dryRun'].includes('All')),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(preconditions !== undefined && { preconditions }),
  };
}

/** In the words in which they are told where they are asked for themselves. */
function* deleteOptionIssues({ dryRun = [], propagationPolicy }: JsonObject): Iterable<Issue> {
  const isDry = (value: unknown): boolean => value === 'All' || value === '';
  if (Array.isArray(dryRun) && !dryRun.every(isDry)) yield root('dryRun').notSupported(dryRun, ['All']);
  if (typeof propagationPolicy === 'string')
    yield* oneOf(propagationPolicy, ['Foreground', 'Background', 'Orphan', 'nil'], root('propagationPolicy'));
}

function isDeleting({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function budgetOf({ store, registry }: ServerContext, pod: Pod): PodDisruptionBudget | undefined {
  const served = registry.find(poddisruptionbudgets);
  if (served === undefined) return undefined;
  const found = store.list(collectionPrefix(served.prefix, pod.metadata.namespace));
  if ('expired' in found) return undefined;
  const claiming = found.items
    .map(({ value }) => value as PodDisruptionBudget)
    .filter((budget) => isCovered(pod, budget));
  if (claiming.length > 1) throw new StatusError(ambiguous);
  return claiming[0];
}

/** It gives no reason, as upstream. */
const ambiguous: Status = {
  ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 500 },
  message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
};

interface Spending {
  readonly budget: PodDisruptionBudget;
  readonly pod: Pod;
  /** Its dry run is its own, or that of the delete options in its body. */
  readonly request: WriteRequest;
}

/** Takes one disruption out of the budget, so that two evictions at once cannot both use the last one. */
async function spend(context: ServerContext, { budget, pod, request }: Spending): Promise<void> {
  const served = context.registry.find(poddisruptionbudgets);
  if (served === undefined) return;
  await rewrite(context, {
    request: { ...request, served, verb: 'update', subresource: 'status' },
    namespace: budget.metadata.namespace,
    name: budget.metadata.name,
    change: (current) => spent(current as PodDisruptionBudget, { pod, nowMs: context.clock.nowMs() }),
  });
}

function spent(budget: PodDisruptionBudget, { pod, nowMs }: { readonly pod: Pod; readonly nowMs: number }): KubeObject {
  const refusal = evictionRefusal(budget, pod);
  if (refusal !== undefined) throw new StatusError(refused(budget, refusal));
  const { status } = budget;
  if (spendsNothing(budget, pod)) return budget;
  const now = toTimestamp(nowMs);
  const disruptionsAllowed = (status?.disruptionsAllowed ?? 0) - 1;
  const allowance = { before: status?.conditions, disruptionsAllowed, generation: status?.observedGeneration, now };
  return {
    ...budget,
    status: {
      ...status,
      disruptionsAllowed,
      disruptedPods: { ...status?.disruptedPods, [pod.metadata.name]: now },
      ...(disruptionsAllowed === 0 && { conditions: disruptionConditions(allowance) }),
    },
  } as KubeObject;
}

function refused({ metadata }: PodDisruptionBudget, { because, message }: EvictionRefusal): Status {
  switch (because) {
    case 'unseen':
      return tooManyRequests(message, 10);
    case 'overfull':
      return forbidden(poddisruptionbudgets, metadata.name, message);
    case 'spent':
      return tooManyRequests(message);
    default:
      return because satisfies never;
  }
}

function tooManyRequests(why: string, retryAfterSeconds?: number): Status {
  return failure(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: 'DisruptionBudget', message: why }],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

interface Marking {
  readonly request: WriteRequest;
  readonly options: DeleteOptions;
}

/** Tells the pod's controller why it went. The deletion that follows is to find the version that this makes. */
async function markDisrupted(
  context: ServerContext,
  { metadata }: Pod,
  { request, options }: Marking,
): Promise<DeleteOptions> {
  const now = toTimestamp(context.clock.nowMs());
  const { preconditions = {} } = options;
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  const { object } = await rewrite(context, {
    request,
    namespace: metadata.namespace,
    name: metadata.name,
    change(current) {
      checkBelief(current, preconditions, { request });
      const { status } = current as Pod;
      // Nothing is said of a version here, and none that was seen is taken away.
      const { observedGeneration } = conditionOf(status?.conditions, condition.type) ?? {};
      const said = observedGeneration === undefined ? condition : { ...condition, observedGeneration };
      const conditions = mergeConditions(status?.conditions, [said], now);
      return { ...current, status: { ...status, conditions } } as KubeObject;
    },
  });
  const { resourceVersion } = object.metadata;
  const isHeld = preconditions.resourceVersion !== undefined && request.dryRun !== true;
  return isHeld ? { ...options, preconditions: { ...preconditions, resourceVersion } } : options;
}
