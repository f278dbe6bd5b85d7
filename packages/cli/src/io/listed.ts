import {
  type Client,
  horizontalpodautoscalers,
  isStatusError,
  type KubeObject,
  type ResourceType,
  resourceName,
} from '@signalbox/cluster';
import { CommandError } from './errors.ts';
import { type Io, writeLine } from './io.ts';

const pageSize = 500;

/**
 * Everything there is of a resource, or of it in one namespace, page by page. Nothing of a kind that the cluster does not know. `instead`: what the user is told where
 * the right to list it is missing, and it is gone on without; undefined: that is an error.
 */
export async function listed(
  client: Client,
  type: ResourceType,
  {
    signal,
    stderr,
    instead,
    namespace,
  }: Pick<Io, 'signal' | 'stderr'> & { readonly instead?: string | undefined; readonly namespace?: string | undefined },
): Promise<readonly KubeObject[]> {
  const items: KubeObject[] = [];
  let next: string | undefined;
  try {
    do {
      const from = next !== undefined && { continue: next };
      const page = await client.list(type, { signal, namespace, limit: pageSize, ...from });
      items.push(...page.items);
      next = page.metadata.continue === '' ? undefined : page.metadata.continue;
    } while (next !== undefined);
    return items;
  } catch (error) {
    if (isStatusError(error, 'NotFound')) return [];
    if (!isStatusError(error, 'Forbidden')) throw error;
    const missing = type === horizontalpodautoscalers ? 'autoscalers are not shown' : instead;
    if (missing === undefined)
      throw new CommandError(
        `${error.message}; this reads ${resourceName(type)} in ${namespace === undefined ? 'all namespaces' : `namespace ${namespace}`}: ask for the right to list them`,
        { cause: error },
      );
    writeLine(stderr, `warning: ${missing}: ${error.message}`);
    return [];
  }
}
