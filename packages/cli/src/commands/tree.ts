import {
  type Client,
  horizontalpodautoscalers,
  isStatusError,
  type KubeObject,
  type ResourceType,
  resourceName,
} from '@signalbox/cluster';
import { defaultComponents, liveForest, liveTrees, worldOf } from '@signalbox/telemetry';
import { connect } from '../connect.ts';
import { CommandError } from '../errors.ts';
import { formatLiveTrees } from '../format/tree.ts';
import { colorsFor, type Io, writeLine } from '../io.ts';
import { typesOf } from '../types.ts';

export interface TreeOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Leaves out the workloads that belong to no root. */
  readonly roots: boolean;
  readonly output: 'text' | 'json';
}

/** Prints the roots of a running cluster and what hangs on them. Resolves with the exit code. */
export async function tree(options: TreeOptions, io: Io): Promise<number> {
  const components = defaultComponents();
  const { client, server, close } = await connect({ ...options, prefersLocal: true }, io);
  try {
    const lists = await Promise.all(typesOf(components).map((type) => listed(client, type, io)));
    const world = worldOf(lists.flat());
    const trees = (options.roots ? liveTrees : liveForest)(world, { components, nowMs: io.clock.nowMs() });
    const rest = options.roots ? '' : ' and no workloads';
    if (options.output === 'json') writeLine(io.stdout, JSON.stringify(trees, null, 2));
    else if (trees.length > 0) io.stdout.write(formatLiveTrees(trees, colorsFor(io.stdout, io)));
    else writeLine(io.stderr, `${server} has no ${components.map(({ rootType }) => rootType.kind).join(', ')}${rest}`);
    return 0;
  } finally {
    await close();
  }
}

const pageSize = 500;

/** Nothing of a kind that the cluster does not know. */
async function listed(client: Client, type: ResourceType, { signal, stderr }: Io): Promise<readonly KubeObject[]> {
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
        `${error.message}; the tree reads ${resourceName(type)} in all namespaces: ask for the right to list them`,
        { cause: error },
      );
    throw error;
  }
}
