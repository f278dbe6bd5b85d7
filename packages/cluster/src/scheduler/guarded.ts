import { isObject } from '../api/record.ts';
import type { Detail } from './detail.ts';
import type { NodeView } from './node-view.ts';
import { fits, type Preparation, type SchedulerPlugin, type Verdict } from './plugin.ts';

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
    const isInRange = normalize === undefined ? value >= 0 && value <= 100 : Number.isFinite(value);
    if (typeof value === 'number' && isInRange) return value;
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
    ...(prepare && { prepare: (...given) => at('PreFilter', () => preparation(prepare.apply(plugin, given))) }),
    ...(filter && { filter: (...given) => at('Filter', () => verdict(filter.apply(plugin, given))) }),
    ...(details && { details: (...given) => at('Filter', () => detailsOf(details.apply(plugin, given))) }),
    ...(beforeBinding && { beforeBinding: (...given) => at('PreBind', () => beforeBinding.apply(plugin, given)) }),
    ...(score && { score: (...given) => at('Score', () => judged(score.apply(plugin, given))) }),
    ...(rank && {
      rank: (pod, nodes, turn) =>
        at('Score', () => {
          const points = rank.call(plugin, pod, nodes, turn);
          if (points === undefined) return undefined;
          if (!Array.isArray(points))
            throw new Error(`it must give a list of scores or undefined, not ${shown(points)}`);
          return told(points, nodes);
        }),
    }),
    ...(isIndifferent && { isIndifferent: (...given) => at('PreScore', () => isIndifferent.apply(plugin, given)) }),
  };
}

/** Who writes no TypeScript may return anything; what is no verdict would count as consent. */
function verdict(given: Verdict): Verdict {
  if (given === fits || isVerdict(given)) return given;
  throw new Error(`it must return fits, rejects(why) or rejectsForGood(why), not ${shown(given)}`);
}

function isVerdict(given: unknown): given is Verdict {
  if (!isObject(given)) return false;
  const { reasons } = given;
  if (given['fits'] === true) return true;
  return given['fits'] === false && Array.isArray(reasons) && reasons.length > 0 && reasons.every(isReason);
}

function detailsOf(given: readonly Detail[]): readonly Detail[] {
  if (Array.isArray(given) && given.every(isDetail)) return given;
  throw new Error(`details must give a list of { text, mend }, not ${shown(given)}`);
}

function isDetail(given: unknown): boolean {
  if (!isObject(given)) return false;
  const { text, mend, pods } = given;
  return typeof text === 'string' && (mend === undefined || typeof mend === 'string') && Array.isArray(pods ?? []);
}

function isReason(given: unknown): boolean {
  return isObject(given) && typeof given['text'] === 'string' && typeof given['resolvable'] === 'boolean';
}

function preparation<State>(given: Preparation<State>): Preparation<State> {
  if (isPreparation(given)) return given;
  throw new Error(`it must return { state }, { state, onlyNodes } or { rejected: why }, not ${shown(given)}`);
}

function isPreparation(given: unknown): boolean {
  if (!isObject(given)) return false;
  const { rejected, state, onlyNodes } = given;
  if ('rejected' in given) return typeof rejected === 'string';
  const isState = state === undefined || (isObject(state) && isFunction(state['with']) && isFunction(state['without']));
  return 'state' in given && isState && (onlyNodes === undefined || onlyNodes instanceof Set);
}

function isFunction(given: unknown): boolean {
  return typeof given === 'function';
}

/** As somebody finds it in the code. */
function shown(given: unknown): string {
  if (given instanceof Promise) return 'a promise: it has to answer at once';
  return isObject(given) ? `an object with ${Object.keys(given).join(', ') || 'nothing in it'}` : String(given);
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
