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

/** Everything there is of a resource, page by page. Nothing of a kind that the cluster does not know. */
export async function listed(
  client: Client,
  type: ResourceType,
  { signal, stderr }: Pick<Io, 'signal' | 'stderr'>,
): Promise<readonly KubeObject[]> {
  const items: KubeObject[] = [];
  let next: string | undefined;
  try {
    do {
      const page = await client.list(type, { signal, limit: pageSize, ...(next !== undefined && { continue: next }) });
      items.push(...page.items);
      next = page.metadata.continue === '' ? undefined : page.metadata.continue;
    } while (next !== undefined);
    return items;
  } catch (error) {
    if (isStatusError(error, 'NotFound')) return [];
    if (isStatusError(error, 'Forbidden') && type === horizontalpodautoscalers) {
      writeLine(stderr, `warning: autoscalers are not shown: ${error.message}`);
      return [];
    }
    if (isStatusError(error, 'Forbidden'))
      throw new CommandError(
        `${error.message}; this reads ${resourceName(type)} in all namespaces: ask for the right to list them`,
        { cause: error },
      );
    throw error;
  }
}
