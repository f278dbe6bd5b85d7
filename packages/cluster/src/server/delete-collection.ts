import type { KubeList, KubeObject } from '../api/meta.ts';
import type { DeleteCollectionOperation, Outcome } from '../api/operation.ts';
import { ifFound } from '../api/status.ts';
import type { ServerContext } from './context/context.ts';
import type { Served } from './context/registry.ts';
import { reviewersOf } from './context/reviewer.ts';
import { writeRequest } from './context/write-request.ts';
import { listOf, readPage } from './reading/list.ts';
import { runDelete, warnedOf } from './writing/delete.ts';

/** Deletes everything that the selectors choose; answers with what was there. */
export async function deleteCollection(
  context: ServerContext,
  { served, operation }: { readonly served: Served; readonly operation: DeleteCollectionOperation },
  waiting: { readonly signal: AbortSignal },
): Promise<Outcome<KubeList>> {
  const { namespace, options } = operation;
  const page = await readPage(context, { served, namespace, options: operation.list }, waiting);
  const request = warnedOf(writeRequest(served, operation, waiting), options);
  const reviewers = reviewersOf(context, request);
  const remove = async ({ metadata }: KubeObject): Promise<void> => {
    // When somebody else deleted it first, that is as good.
    await ifFound(
      runDelete(context, {
        ...{ request, namespace: metadata.namespace, name: metadata.name, options, reviewers },
        among: 'collection',
      }),
    );
  };
  // What names one of several is refused by the others, and nothing behind the first refusal goes.
  if (options.preconditions !== undefined) for (const item of page.items) await remove(item);
  else await Promise.all(page.items.map(remove));
  return { code: 200, object: listOf(served, page), warnings: [...new Set(request.warnings)] };
}
