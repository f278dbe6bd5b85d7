import type { NodeView } from './node-view.ts';
import type { SchedulerPlugin } from './plugin.ts';

/** A rule that somebody brought along failed: about one pod, and the others go on. */
export class PluginError extends Error {}

/**
 * A plugin of somebody's own whose faults say whose they are. Who cannot tell whether a change helps is taken to have said that it
 * does, as upstream has it.
 */
export function guarded(plugin: SchedulerPlugin): SchedulerPlugin {
  const { helps, prepare, filter, details, beforeBinding, score, rank, isIndifferent, normalize } = plugin;
  const at = <T>(point: string, call: () => T): T => {
    try {
      return call();
    } catch (error) {
      if (error instanceof PluginError) throw error;
      throw new PluginError(`running ${point} plugin "${plugin.name}": ${textOf(error)}`, { cause: error });
    }
  };
  const judged = (value: number): number => {
    if (normalize !== undefined ? Number.isFinite(value) : value >= 0 && value <= 100) return value;
    const range = normalize === undefined ? 'it should in the range of [0, 100] after normalizing' : 'it is no number';
    throw new PluginError(`plugin "${plugin.name}" returns an invalid score ${value}, ${range}`);
  };
  const told = (points: readonly number[], { length }: readonly NodeView[]): readonly number[] => {
    if (points.length !== length)
      throw new PluginError(`plugin "${plugin.name}" gives ${points.length} scores for ${length} nodes`);
    return points.map(judged);
  };
  return {
    ...plugin,
    ...(helps && { helps: (...given) => orYes(() => helps.apply(plugin, given)) }),
    ...(prepare && { prepare: (...given) => at('PreFilter', () => prepare.apply(plugin, given)) }),
    ...(filter && { filter: (...given) => at('Filter', () => filter.apply(plugin, given)) }),
    ...(details && { details: (...given) => at('Filter', () => details.apply(plugin, given)) }),
    ...(beforeBinding && { beforeBinding: (...given) => at('PreBind', () => beforeBinding.apply(plugin, given)) }),
    ...(score && { score: (...given) => at('Score', () => judged(score.apply(plugin, given))) }),
    ...(rank && {
      rank: (pod, nodes, turn) =>
        at('Score', () => {
          const points = rank.call(plugin, pod, nodes, turn);
          return points && told(points, nodes);
        }),
    }),
    ...(isIndifferent && { isIndifferent: (...given) => at('PreScore', () => isIndifferent.apply(plugin, given)) }),
  };
}

function orYes(ask: () => boolean): boolean {
  try {
    return ask();
  } catch {
    return true;
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
