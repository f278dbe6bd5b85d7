import type { KubeList, KubeObject } from '../api/meta.ts';
import type { DeleteCollectionOperation, Outcome } from '../api/operation.ts';
import { isStatusError } from '../api/status.ts';
import type { ServerContext } from './context/context.ts';
import type { Served } from './context/registry.ts';
import { reviewersOf } from './context/reviewer.ts';
import { writeRequest } from './context/write-request.ts';
import { listOf, readPage } from './reading/list.ts';
import { runDelete } from './writing/delete.ts';

/** Deletes everything that the selectors choose; answers with what was there. */
export async function deleteCollection(
  context: ServerContext,
  { served, operation }: { readonly served: Served; readonly operation: DeleteCollectionOperation },
  waiting: { readonly signal: AbortSignal },
): Promise<Outcome<KubeList>> {
  const { namespace, options } = operation;
  const page = await readPage(context, { served, namespace, options: operation.list }, waiting);
  const request = writeRequest(served, operation, waiting);
  const reviewers = reviewersOf(context, request);
  const remove = async ({ metadata }: KubeObject): Promise<void> => {
    try {
      await runDelete(context, { request, namespace: metadata.namespace, name: metadata.name, options, reviewers });
    } catch (error) {
      // Somebody else deleted it first, which is as good.
      if (!isStatusError(error, 'NotFound')) throw error;
    }
  };
  await Promise.all(page.items.map(remove));
  return { code: 200, object: listOf(served, page), warnings: [...new Set(request.warnings)] };
}
