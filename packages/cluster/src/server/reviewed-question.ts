import type { CreateOperation } from '../api/operation.ts';
import type { ServerContext } from './context/context.ts';
import type { Served } from './context/registry.ts';
import { reviewersOf } from './context/reviewer.ts';
import { writeRequest } from './context/write-request.ts';
import { decodeBody, type Incoming } from './intake/body.ts';
import { reviewedBody } from './writing/reviewed-body.ts';

/** A question is created like any object, so webhooks may refuse it, or ask another one in its place. */
export async function reviewedQuestion(
  context: ServerContext,
  { served, operation }: { readonly served: Served; readonly operation: CreateOperation },
  waiting: { readonly signal: AbortSignal },
): Promise<CreateOperation> {
  const request = writeRequest(served, operation, waiting);
  const reviewers = reviewersOf(context, request);
  if (reviewers.length === 0) return operation;
  const take = (body: unknown): Incoming => decodeBody(body, served.definition);
  const body = await reviewedBody(context, take(operation.body), { request, reviewers, take });
  return { ...operation, body };
}
