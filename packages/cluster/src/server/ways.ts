import type { CreateOperation, GetOperation, Operation, Outcome, Waiting, WatchOperation } from '../api/operation.ts';
import { internalError, StatusError } from '../api/status.ts';
import { abortWith } from '../base/signal.ts';
import { review } from './access/reviews.ts';
import { locate, locateConnection, notServed } from './access/scope.ts';
import { performElsewhere, watchElsewhere } from './apis/perform.ts';
import type { ServerContext } from './context/context.ts';
import type { Served } from './context/registry.ts';
import type { Authorized } from './context/served-api.ts';
import { deleteCollection } from './delete-collection.ts';
import { within } from './http/within.ts';
import { readBehind } from './pods/connect.ts';
import { connectReviewed } from './pods/connect-review.ts';
import { readLogs } from './pods/logs.ts';
import { post, postInstead } from './pods/post.ts';
import { get } from './reading/get.ts';
import { list } from './reading/list.ts';
import { getView, listView } from './reading/view.ts';
import { watch } from './reading/watch.ts';
import { reviewedQuestion } from './reviewed-question.ts';
import { issueToken } from './tokens/issue.ts';
import { create } from './writing/create.ts';
import { deleteObject } from './writing/delete.ts';
import { dismissEach } from './writing/dismiss-each.ts';
import { patch } from './writing/patch.ts';
import { update } from './writing/update.ts';
import { updateEach } from './writing/update-each.ts';

/** As long as a request over the wire may take: whoever answers elsewhere may have forgotten it. */
const elsewhereMs = 60_000;

type Judge = (asked: Operation | WatchRequest) => void;
type WatchRequest = WatchOperation & { readonly verb: 'watch' };

/** All that can be done with objects. `judge` is asked first, and once; it throws for a request that is refused. */
export function ways(context: ServerContext, judge: Judge): Required<Authorized> {
  const all: Required<Authorized> = {
    perform(operation, waiting) {
      const judged = (): Promise<Outcome> => {
        judge(operation);
        const other = context.others.find(operation.resource);
        if (other !== undefined) {
          const controller = new AbortController();
          const stop = abortWith(waiting.signal, controller);
          return within(elsewhereMs, {
            ...{ clock: context.outsideClock, controller },
            work: (signal) => performElsewhere(other, operation, { signal }),
          }).finally(stop);
        }
        if (operation.verb === 'get' && isConnection(context, operation))
          return readBehind(context, { served: locateConnection(context, operation), operation }, waiting);
        return perform(context, operation, waiting);
      };
      return guarded(judged, waiting);
    },
    updateEach: (operation, waiting) =>
      updateEach(context, operation, { judge, ...waiting, perform: (update) => all.perform(update, waiting) }),
    dismissEach: (operation, waiting) =>
      dismissEach(context, operation, { judge, ...waiting, perform: (part) => all.perform(part, waiting) }),
    watch(operation, waiting) {
      const other = context.others.find(operation.resource);
      if (other !== undefined) {
        judge({ ...operation, verb: 'watch' });
        return watchElsewhere(other, operation, waiting);
      }
      const served = (): Served => {
        const request: WatchRequest = { ...operation, verb: 'watch' };
        judge(request);
        return noted(locate(context, request), request);
      };
      return watch(context, { served, operation }, waiting);
    },
    text(operation, waiting) {
      const { subresource } = operation;
      if (subresource === undefined || !isText(context.registry.find(operation.resource), subresource))
        return undefined;
      judge(operation);
      return readLogs(context, { served: locate(context, operation), operation }, waiting);
    },
    connect(operation, passing) {
      if (!isConnection(context, operation)) return undefined;
      judge(operation);
      return connectReviewed(context, { served: locateConnection(context, operation), operation }, passing);
    },
    async passElsewhere(at, passing) {
      const other = context.others.find(at);
      if (other === undefined) throw new StatusError(notServed());
      return other.pass(passing, passing.user);
    },
  };
  return all;
}

function isConnection({ registry, nodeDoors }: ServerContext, { resource, subresource = '' }: GetOperation): boolean {
  return nodeDoors !== undefined && registry.find(resource)?.definition.connections.includes(subresource) === true;
}

/** Expected refusals pass; anything else is a bug or a broken disk, and becomes a 500 without taking the server down. */
function guarded(work: () => Promise<Outcome>, { signal }: { readonly signal: AbortSignal }): Promise<Outcome> {
  if (signal.aborted) return Promise.reject(signal.reason as Error);
  const refuse = (error: unknown): never => {
    if (error instanceof StatusError || (signal.aborted && error === signal.reason)) throw error;
    throw new StatusError(internalError(error instanceof Error ? error.message : String(error)), { cause: error });
  };
  try {
    return work().catch(refuse);
  } catch (error) {
    return Promise.reject(error as Error).catch(refuse);
  }
}

/** Whoever reads the audit log finds who still asks for what will be gone. */
function noted(served: Served, { annotate }: Operation | WatchRequest): Served {
  if (served.definition.traits.deprecated) annotate?.('k8s.io/deprecated', 'true');
  return served;
}

function perform(context: ServerContext, operation: Operation, waiting: Waiting): Promise<Outcome> {
  const served = noted(locate(context, operation), operation);
  if (operation.verb === 'create' || operation.verb === 'update' || operation.verb === 'patch') {
    const loading = context.loadExpressions(served, operation);
    if (loading !== undefined) return loading.then(() => performOn(context, { served, operation }, waiting));
  }
  return performOn(context, { served, operation }, waiting);
}

// These wait for nothing themselves: thousands of writes at once are as many functions that are kept.
function performOn(
  context: ServerContext,
  { served, operation }: { readonly served: Served; readonly operation: Operation },
  waiting: Waiting,
): Promise<Outcome> {
  const view = context.views.get(served.id);
  switch (operation.verb) {
    case 'get':
      if (view !== undefined) return getView(context, { view, operation }, waiting);
      return get(context, { served, operation }, waiting);
    case 'list':
      if (view !== undefined) return listView(context, { view, operation }, waiting);
      return list(context, { served, operation }, waiting);
    case 'create':
      return createAny(context, { served, operation }, waiting);
    case 'update':
      return update(context, { served, operation }, waiting);
    case 'patch':
      return patch(context, { served, operation }, waiting);
    case 'delete':
      return deleteObject(context, { served, operation }, waiting);
    case 'deletecollection':
      return deleteCollection(context, { served, operation }, waiting);
    default:
      return operation satisfies never;
  }
}

function createAny(
  context: ServerContext,
  { served, operation }: { readonly served: Served; readonly operation: CreateOperation },
  waiting: Waiting,
): Promise<Outcome> {
  const { subresource } = operation;
  if (subresource !== undefined) {
    const does = served.subresources.get(subresource)?.does;
    return (does === 'issue' ? issueToken : post)(context, { served, operation }, waiting);
  }
  const { isQuestion, standsFor } = served.traits;
  if (isQuestion)
    return reviewedQuestion(context, { served, operation }, waiting).then((asked) =>
      review(context, { served, operation: asked }),
    );
  if (standsFor !== undefined) return postInstead(context, { served, operation, door: standsFor }, waiting);
  return create(context, { served, operation }, waiting);
}

function isText(served: Served | undefined, subresource: string): boolean {
  return served?.subresources.get(subresource)?.does === 'log';
}
