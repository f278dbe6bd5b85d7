import type { Random } from '../base/random.ts';
import { beginCycle, type Cycle, objection } from './cycle.ts';
import type { NodeView } from './node-view.ts';
import type { PluginState, Rejection, SchedulerPlugin, Wakes } from './plugin.ts';
import type { PodView } from './pod-view.ts';
import { wakesOf } from './reads.ts';
import type { Snapshot } from './snapshot.ts';

export type Placement = Placed | Unplaced;

export interface Placed {
  readonly node: string;
  /** How many nodes were looked at: where the next cycle starts from. */
  readonly examined: number;
}

export interface Unplaced {
  readonly node: undefined;
  readonly examined: number;
  /** Set when a plugin rejected the pod whatever the node; then there are no verdicts, and no cycle. */
  readonly rejectedForAll: string | undefined;
  /** Why not, per node that was looked at. */
  readonly verdicts: ReadonlyMap<string, Rejection>;
  /** Nodes that no plugin looked at, because one of them had narrowed the choice; and which. */
  readonly excluded: { readonly count: number; readonly by: string } | undefined;
  readonly wakes: Wakes;
  /** Where what-ifs start from: what preemption plays through. */
  readonly cycle: Cycle | undefined;
}

export interface ScheduleOptions {
  readonly plugins: readonly SchedulerPlugin[];
  readonly random: Random;
  /** Index of the node to begin with, so that in a large cluster all nodes get their turn. */
  readonly startAt: number;
}

/** Finds the best node for a pod. Pure but for the draws of `random`, which break ties. */
export function schedule(pod: PodView, snapshot: Snapshot, { plugins, random, startAt }: ScheduleOptions): Placement {
  const begun = beginCycle(pod, snapshot, plugins);
  if (begun.rejected !== undefined) return rejectedForAll(begun.rejected, begun.by);
  const { cycle, narrowed } = begun;
  const candidates = narrowed && [...narrowed.names].map((name) => snapshot.node(name)).filter(isThere);
  const { feasible, examined, verdicts, rejectedBy } = findFeasible(cycle, { candidates, startAt });
  if (feasible.length === 0) {
    return {
      node: undefined,
      examined,
      rejectedForAll: undefined,
      verdicts,
      excluded: narrowed && { count: snapshot.nodes.length - examined, by: narrowed.by.name },
      // Without a node there is nobody to reject it, and only a first one can change that.
      wakes:
        snapshot.nodes.length === 0
          ? firstNode
          : wakesOf(narrowed === undefined ? rejectedBy : [...rejectedBy, narrowed.by]),
      cycle,
    };
  }
  const [only] = feasible;
  const best = feasible.length === 1 ? only : pickBest(cycle, { nodes: feasible, random });
  return { node: best?.name ?? '', examined };
}

const firstNode: Wakes = { on: new Set(['node/added']), from: 'anywhere' };

function rejectedForAll(why: string, by: SchedulerPlugin): Unplaced {
  return {
    node: undefined,
    examined: 0,
    rejectedForAll: why,
    verdicts: new Map(),
    excluded: undefined,
    wakes: wakesOf([by]),
    cycle: undefined,
  };
}

function isThere(node: NodeView | undefined): node is NodeView {
  return node !== undefined;
}

interface Search {
  readonly feasible: readonly NodeView[];
  readonly verdicts: ReadonlyMap<string, Rejection>;
  readonly rejectedBy: ReadonlySet<SchedulerPlugin>;
  readonly examined: number;
}

/** All nodes that fit among the candidates; without candidates, enough among all. */
function findFeasible(
  cycle: Cycle,
  { candidates, startAt }: { readonly candidates: readonly NodeView[] | undefined; readonly startAt: number },
): Search {
  const nodes = candidates ?? cycle.snapshot.nodes;
  const wanted = candidates === undefined ? feasibleWanted(nodes.length) : nodes.length;
  const feasible: NodeView[] = [];
  const verdicts = new Map<string, Rejection>();
  const rejectedBy = new Set<SchedulerPlugin>();
  let examined = 0;
  for (; examined < nodes.length && feasible.length < wanted; examined++) {
    const node = nodes[(startAt + examined) % nodes.length];
    if (node === undefined) continue;
    const against = objection(cycle, node);
    if (against === undefined) feasible.push(node);
    else {
      verdicts.set(node.name, against.verdict);
      rejectedBy.add(against.plugin);
    }
  }
  return { feasible, verdicts, rejectedBy, examined };
}

/** Upstream's compromise between the best node and a quick answer: all up to 100, then a falling share, at least 100. */
export function feasibleWanted(nodeCount: number): number {
  if (nodeCount <= 100) return nodeCount;
  const percent = Math.max(5, 50 - Math.floor(nodeCount / 125));
  return Math.max(100, Math.floor((nodeCount * percent) / 100));
}

/** What all plugins together say of the nodes that fit, each with its weight. */
export function totalScores({ pod, snapshot, steps }: Cycle, nodes: readonly NodeView[]): readonly number[] {
  const totals = nodes.map(() => 0);
  for (const { plugin, state } of steps) {
    const scores = scoresOf(plugin, { pod, nodes, snapshot, state });
    if (scores === undefined) continue;
    const { weight = 1 } = plugin;
    for (const [index, value] of scores.entries()) totals[index] = (totals[index] ?? 0) + weight * value;
  }
  return totals;
}

interface Scored {
  readonly pod: PodView;
  readonly nodes: readonly NodeView[];
  readonly snapshot: Snapshot;
  readonly state: PluginState | undefined;
}

/** 0 to 100 for each node; undefined from who has no opinion. */
export function scoresOf(plugin: SchedulerPlugin, { pod, nodes, ...turn }: Scored): readonly number[] | undefined {
  if (plugin.rank !== undefined) return plugin.rank(pod, nodes, turn);
  const { score, normalize } = plugin;
  if (score === undefined) return undefined;
  const raw = nodes.map((node) => score(pod, node, turn.state));
  return normalize === undefined ? raw : spread(raw, normalize);
}

function pickBest(
  cycle: Cycle,
  { nodes, random }: { readonly nodes: readonly NodeView[]; readonly random: Random },
): NodeView | undefined {
  const totals = totalScores(cycle, nodes);
  let highest = Number.NEGATIVE_INFINITY;
  for (const total of totals) highest = Math.max(highest, total);
  const best = nodes.filter((_, index) => totals[index] === highest);
  return best[random.below(best.length)];
}

/** Scales so that the highest raw score becomes 100. */
function spread(raw: readonly number[], how: 'spread' | 'reversed'): readonly number[] {
  let highest = 0;
  for (const value of raw) highest = Math.max(highest, value);
  const scaled = raw.map((value) => (highest === 0 ? 0 : Math.floor((100 * value) / highest)));
  return how === 'spread' ? scaled : scaled.map((value) => 100 - value);
}
