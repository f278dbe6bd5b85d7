import type { NodeView } from './node-view.ts';
import type { SchedulerPlugin } from './plugin.ts';

/** A rule that somebody brought along failed: about one pod, and the others go on. */
export class PluginError extends Error {
  readonly plugin: string;
  /** What went wrong, for who names the plugin beside it. */
  readonly reason: string;

  constructor(plugin: string, { message, reason, cause }: Failure) {
    super(message, { cause });
    this.plugin = plugin;
    this.reason = reason;
  }
}

interface Failure {
  readonly message: string;
  readonly reason: string;
  readonly cause?: unknown;
}

/** Only what others brought along may fail: our own faults are not one pod's. */
export function orFault<T>(decide: () => T): T | PluginError {
  try {
    return decide();
  } catch (error) {
    if (error instanceof PluginError) return error;
    throw error;
  }
}

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
      const reason = textOf(error);
      throw failed(`running ${point} plugin "${plugin.name}": ${reason}`, { reason, cause: error });
    }
  };
  const failed = (message: string, why: Omit<Failure, 'message'>): PluginError =>
    new PluginError(plugin.name, { message, ...why });
  const invalid = (reason: string): PluginError => failed(`plugin "${plugin.name}" ${reason}`, { reason });
  const judged = (value: number): number => {
    if (normalize !== undefined ? Number.isFinite(value) : value >= 0 && value <= 100) return value;
    const range = normalize === undefined ? 'it should in the range of [0, 100] after normalizing' : 'it is no number';
    throw invalid(`returns an invalid score ${value}, ${range}`);
  };
  const told = (points: readonly number[], { length }: readonly NodeView[]): readonly number[] => {
    if (points.length !== length) throw invalid(`gives ${points.length} scores for ${length} nodes`);
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
