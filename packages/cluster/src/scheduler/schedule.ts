import { assert } from '../base/assert.ts';
import type { Random } from '../base/random.ts';
import { beginCycle, type Cycle, objection } from './cycle.ts';
import type { Groundwork } from './groundwork.ts';
import type { Alike, Memory } from './memory.ts';
import type { NodeView } from './node-view.ts';
import type { PluginState, SchedulerPlugin, Wakes } from './plugin.ts';
import type { PodView } from './pod-view.ts';
import { wakesOf } from './reads.ts';
import { RejectedNodes } from './rejected-nodes.ts';
import type { Snapshot } from './snapshot.ts';

export type Placement = Placed | Unplaced;

export interface Placed {
  readonly node: string;
  /** What has to be done before the pod may be bound there. */
  readonly groundwork: readonly Groundwork[];
  /** How many nodes were looked at: where the next cycle starts from. */
  readonly examined: number;
}

export interface Unplaced {
  readonly node: undefined;
  readonly examined: number;
  /** Set when a plugin rejected the pod whatever the node; then there are no verdicts, and no cycle. */
  readonly rejectedForAll: string | undefined;
  /** The nodes that were looked at. */
  readonly rejected: RejectedNodes;
  /** Nodes that no plugin looked at, because one of them had narrowed the choice; and which. */
  readonly excluded: { readonly count: number; readonly by: string } | undefined;
  readonly wakes: Wakes;
  /** Where what-ifs start from: what preemption plays through. */
  readonly cycle: Cycle | undefined;
  readonly alike: Alike | undefined;
}

export interface ScheduleOptions {
  readonly plugins: readonly SchedulerPlugin[];
  readonly random: Random;
  /** Index of the node to begin with, so that in a large cluster all nodes get their turn. */
  readonly startAt: number;
  /** Of pods before, for time alone. */
  readonly memory?: Memory;
  /** How many nodes of a hundred are to fit before the best of them is taken; 0 or none: the more nodes the fewer. */
  readonly percentageOfNodesToScore?: number;
}

/** Finds the best node for a pod. Pure but for the draws of `random`, which break ties. */
export function schedule(pod: PodView, snapshot: Snapshot, options: ScheduleOptions): Placement {
  const { plugins, random, startAt, memory, percentageOfNodesToScore } = options;
  const begun = beginCycle(pod, snapshot, plugins);
  if (begun.rejected !== undefined) return rejectedForAll(begun.rejected, { by: begun.by, pod });
  const { cycle, narrowed } = begun;
  const alike = narrowed === undefined ? memory?.of(cycle) : undefined;
  const found =
    narrowed === undefined
      ? search(cycle, { startAt, alike, wanted: feasibleWanted(snapshot.nodes.length, percentageOfNodesToScore) })
      : searchAmong(cycle, narrowed.names);
  const { feasible, examined, rejected } = found;
  if (feasible.length === 0)
    return {
      node: undefined,
      examined,
      rejectedForAll: undefined,
      rejected,
      excluded: narrowed && { count: snapshot.nodes.length - examined, by: narrowed.by.name },
      // Without a node there is nobody to reject it, and only a first one can change that.
      wakes:
        snapshot.nodes.length === 0
          ? firstNode
          : wakesOf(pod, {
              by: narrowed === undefined ? rejected.by : new Set([...rejected.by, narrowed.by]),
              filters: cycle.filters,
            }),
      cycle,
      alike,
    };
  const [only] = feasible;
  const best = feasible.length === 1 ? only : pickBest(cycle, { found, alike, random });
  assert(best !== undefined, 'of nodes that fit one is the best', { pod: pod.key });
  return { node: best.name, groundwork: groundworkFor(cycle, best), examined };
}

const none: readonly Groundwork[] = [];

function groundworkFor({ pod, snapshot, steps }: Cycle, node: NodeView): readonly Groundwork[] {
  let all = none;
  for (const { plugin, state } of steps) {
    const groundwork = plugin.beforeBinding?.(pod, node, { snapshot, state });
    if (groundwork !== undefined) all = [...all, groundwork];
  }
  return all;
}

const firstNode: Wakes = { on: new Map([['node/added', []]]), from: 'anywhere', group: '', filters: undefined };

function rejectedForAll(why: string, { by, pod }: { readonly by: SchedulerPlugin; readonly pod: PodView }): Unplaced {
  return {
    node: undefined,
    examined: 0,
    rejectedForAll: why,
    rejected: new RejectedNodes(),
    excluded: undefined,
    wakes: wakesOf(pod, { by: [by], filters: undefined }),
    cycle: undefined,
    alike: undefined,
  };
}

interface Search {
  readonly feasible: readonly NodeView[];
  /** Where they stand among all nodes; empty where the choice was narrowed. */
  readonly indexes: readonly number[];
  readonly rejected: RejectedNodes;
  readonly examined: number;
}

interface SearchOptions {
  readonly startAt: number;
  readonly wanted: number;
  readonly alike: Alike | undefined;
}

/** Enough nodes that fit, in turn. One that is being cleared for the pod comes first: if it fits, that is it. */
function search(cycle: Cycle, { startAt, wanted, alike }: SearchOptions): Search {
  const { nodes } = cycle.snapshot;
  const own = nominatedNode(cycle);
  const ownName = own?.name;
  if (own !== undefined && objection(cycle, own) === undefined)
    return { feasible: [own], indexes: [], rejected: new RejectedNodes(), examined: 1 };
  const feasible: NodeView[] = [];
  const indexes: number[] = [];
  const rejected = new RejectedNodes();
  let examined = 0;
  for (; examined < nodes.length && feasible.length < wanted; examined++) {
    const index = (startAt + examined) % nodes.length;
    const node = nodes[index];
    if (node === undefined) continue;
    const against = alike === undefined ? objection(cycle, node) : alike.objection({ index, own: ownName });
    if (against !== undefined) rejected.add(node, against);
    else {
      feasible.push(node);
      indexes.push(index);
    }
  }
  return { feasible, indexes, rejected, examined };
}

function nominatedNode({ pod, snapshot }: Cycle): NodeView | undefined {
  const name = snapshot.nominationOf(pod.uid) ?? pod.pod.status.nominatedNodeName;
  return name === undefined ? undefined : snapshot.node(name);
}

function searchAmong(cycle: Cycle, names: ReadonlySet<string>): Search {
  const feasible: NodeView[] = [];
  const rejected = new RejectedNodes();
  let examined = 0;
  for (const name of names) {
    const node = cycle.snapshot.node(name);
    if (node === undefined) continue;
    examined++;
    const against = objection(cycle, node);
    if (against === undefined) feasible.push(node);
    else rejected.add(node, against);
  }
  return { feasible, indexes: [], rejected, examined };
}

/** Upstream's compromise between the best node and a quick answer: all up to 100, then a falling share, at least 100. */
export function feasibleWanted(nodeCount: number, percentage = 0): number {
  if (nodeCount <= 100 || percentage >= 100) return nodeCount;
  const percent = percentage > 0 ? percentage : Math.max(5, 50 - Math.floor(nodeCount / 125));
  return Math.max(100, Math.floor((nodeCount * percent) / 100));
}

/** What all plugins together say of the nodes that fit, each with its weight. */
export function totalScores(
  cycle: Cycle,
  nodes: readonly NodeView[],
  remembered: (node: NodeView, index: number) => number = (node) => ownScore(cycle, node),
): readonly number[] {
  const totals = nodes.map(remembered);
  for (const { plugin, state } of cycle.steps) {
    if (isOwn(plugin)) continue;
    const scores = scoresOf(plugin, { pod: cycle.pod, nodes, snapshot: cycle.snapshot, state });
    if (scores === undefined) continue;
    const { weight = 1 } = plugin;
    for (let index = 0; index < totals.length; index++)
      totals[index] = (totals[index] ?? 0) + weight * (scores[index] ?? 0);
  }
  return totals;
}

/** What it gives a node has nothing to do with the others. */
function isOwn({ looksAt, score, normalize }: SchedulerPlugin): boolean {
  return looksAt === 'demands' && score !== undefined && normalize === undefined;
}

function ownScore({ pod, steps }: Cycle, node: NodeView): number {
  let total = 0;
  for (const { plugin, state } of steps)
    if (isOwn(plugin)) total += (plugin.weight ?? 1) * (plugin.score?.(pod, node, state) ?? 0);
  return total;
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

interface Choice {
  readonly found: Search;
  readonly alike: Alike | undefined;
  readonly random: Random;
}

function pickBest(cycle: Cycle, { found, alike, random }: Choice): NodeView | undefined {
  const { feasible, indexes } = found;
  const work = (node: NodeView): number => ownScore(cycle, node);
  const remembered =
    alike === undefined ? work : (_: NodeView, at: number): number => alike.score(indexes[at] ?? -1, work);
  const totals = totalScores(cycle, feasible, remembered);
  let highest = Number.NEGATIVE_INFINITY;
  let best: NodeView[] = [];
  for (const [index, node] of feasible.entries()) {
    const total = totals[index] ?? 0;
    if (total < highest) continue;
    if (total > highest) best = [];
    highest = total;
    best.push(node);
  }
  return best[random.below(best.length)];
}

/** Scales so that the highest raw score becomes 100. */
function spread(raw: readonly number[], how: 'spread' | 'reversed'): readonly number[] {
  let highest = 0;
  for (const value of raw) highest = Math.max(highest, value);
  const scaled = raw.map((value) => (highest === 0 ? 0 : Math.floor((100 * value) / highest)));
  return how === 'spread' ? scaled : scaled.map((value) => 100 - value);
}
