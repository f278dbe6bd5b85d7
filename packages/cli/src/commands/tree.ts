import { defaultComponents, liveForest, liveTrees, worldOf } from '@signalbox/telemetry';
import { formatLiveTrees } from '../format/tree.ts';
import { connect } from '../io/connect.ts';
import { colorsFor, type Io, writeLine } from '../io/io.ts';
import { listed } from '../io/listed.ts';
import { discoveryTypes, typesOf } from '../io/types.ts';

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
    const lists = await Promise.all(
      [...new Set([...typesOf(components), ...discoveryTypes])].map((type) => listed(client, type, io)),
    );
    const world = worldOf(lists.flat());
    const trees = (options.roots ? liveTrees : liveForest)(world, {
      components,
      nowMs: io.clock.nowMs(),
      withTargets: true,
    });
    const rest = options.roots ? '' : ' and no workloads';
    if (options.output === 'json') writeLine(io.stdout, JSON.stringify(trees, null, 2));
    else if (trees.length > 0) io.stdout.write(formatLiveTrees(trees, colorsFor(io.stdout, io)));
    else writeLine(io.stderr, `${server} has no ${components.map(({ rootType }) => rootType.kind).join(', ')}${rest}`);
    return 0;
  } finally {
    await close();
  }
}
