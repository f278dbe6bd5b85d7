import {
  type Client,
  horizontalpodautoscalers,
  isStatusError,
  type KubeObject,
  listAll,
  type ResourceType,
  resourceName,
} from '@signalbox/cluster';
import { CommandError } from './errors.ts';
import { type Io, writeLine } from './io.ts';

/**
 * Everything there is of a resource, or of it in one namespace. Nothing of a kind that the cluster does not know. `instead`: what the
 * user is told where the right to list it is missing, and it is gone on without; undefined: that is an error.
 */
export async function listed(
  client: Client,
  type: ResourceType,
  {
    signal,
    stderr,
    instead,
    namespace,
    fieldSelector,
  }: Pick<Io, 'signal' | 'stderr'> & {
    readonly instead?: string | undefined;
    readonly namespace?: string | undefined;
    readonly fieldSelector?: string;
  },
): Promise<readonly KubeObject[]> {
  try {
    return await listAll(client, type, { signal, namespace, ...(fieldSelector !== undefined && { fieldSelector }) });
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
