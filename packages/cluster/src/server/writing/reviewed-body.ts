import type { KubeObject } from '../../api/meta.ts';
import { reviewed } from '../admission/review.ts';
import type { ServerContext } from '../context/context.ts';
import type { Reviewer } from '../context/reviewer.ts';
import type { WriteRequest } from '../context/write-request.ts';
import type { Incoming } from '../intake/body.ts';

export interface ReviewingBody {
  readonly request: WriteRequest;
  readonly reviewers: readonly Reviewer[];
  take(body: unknown): Incoming;
}

/** What is posted to a subresource, as the reviewers leave it: they are asked about the Binding or the Eviction, not the pod. */
export async function reviewedBody(
  context: ServerContext,
  incoming: Incoming,
  { request, reviewers, take }: ReviewingBody,
): Promise<Incoming> {
  return reviewed(context, incoming, {
    reviewers,
    request,
    show: (object) => ({ object: object as KubeObject }),
    take,
    check: () => undefined,
  });
}
