import { assert } from '../base/assert.ts';
import type { Random } from '../base/random.ts';
import { beginCycle, type Cycle, objection } from './cycle.ts';
import type { Groundwork } from './groundwork.ts';
import type { Alike, Memory } from './memory.ts';
import type { NodeView } from './node-view.ts';
import type { SchedulerPlugin, Wakes } from './plugin.ts';
import type { PodView } from './pod-view.ts';
import { wakesOf } from './reads.ts';
import { type Rejected, RejectedNodes } from './rejected-nodes.ts';
import { isOwnAll, ownScore, totalScores } from './scoring.ts';
import type { Snapshot } from './snapshot.ts';
import type { Stretch } from './standing/ring.ts';
import type { Standing } from './standing/standing.ts';

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
  readonly rejected: Rejected;
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
  const own = narrowed === undefined ? nominatedNode(cycle) : undefined;
  // One that is being cleared for the pod comes first: if it fits, that is it.
  if (own !== undefined && objection(cycle, own) === undefined)
    return { node: own.name, groundwork: groundworkFor(cycle, own), examined: 1 };
  const alike = narrowed === undefined ? memory?.of(cycle) : undefined;
  const wanted = wantedBy(plugins, { nodeCount: snapshot.nodes.length, percentage: percentageOfNodesToScore });
  const found =
    narrowed === undefined ? search(cycle, { own, startAt, alike, wanted }) : searchAmong(cycle, narrowed.names);
  const { examined, rejected } = found;
  if (rejected !== undefined)
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
  const best = pickBest(cycle, { found, alike, random });
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
  readonly examined: number;
  /** Set where no node fits. */
  readonly rejected: Rejected | undefined;
  /** How many fit. */
  readonly count: number;
  fitting(): Fitting;
  /** Where it was enough to look at how nodes stand to pods that are alike. */
  readonly among: { readonly standing: Standing; readonly stretch: Stretch } | undefined;
}

interface Fitting {
  readonly nodes: readonly NodeView[];
  /** Where they stand among all nodes; empty where the choice was narrowed. */
  readonly indexes: readonly number[];
}

interface SearchOptions {
  /** The one that is being cleared for the pod, which does not fit yet. */
  readonly own: NodeView | undefined;
  readonly startAt: number;
  readonly wanted: number;
  readonly alike: Alike | undefined;
}

/** Enough nodes that fit, in turn. */
function search(cycle: Cycle, { own, startAt, wanted, alike }: SearchOptions): Search {
  const { nodes } = cycle.snapshot;
  const ownName = own?.name;
  if (own === undefined && alike?.standing !== undefined)
    return searchStanding(cycle, { start: startAt % nodes.length, wanted, standing: alike.standing });
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
  return foundAll(feasible, { indexes, rejected, examined });
}

function foundAll(
  nodes: readonly NodeView[],
  {
    indexes = [],
    rejected,
    examined,
  }: { readonly indexes?: readonly number[]; readonly rejected?: Rejected; readonly examined: number },
): Search {
  const { length: count } = nodes;
  return {
    examined,
    rejected: count === 0 ? rejected : undefined,
    count,
    fitting: () => ({ nodes, indexes }),
    among: undefined,
  };
}

/** As if all had been asked again; what a turn costs is what has changed since. */
function searchStanding(
  cycle: Cycle,
  { start, wanted, standing }: { readonly start: number; readonly wanted: number; readonly standing: Standing },
): Search {
  const stretch = standing.look(cycle, { start, wanted });
  const count = standing.fittingOn(stretch);
  return {
    examined: stretch.length,
    rejected: count === 0 ? standing.rejected(start) : undefined,
    count,
    fitting() {
      const indexes = standing.placesOn(stretch);
      return { nodes: indexes.flatMap((index) => standing.nodes[index] ?? []), indexes };
    },
    among: { standing, stretch },
  };
}

function nominatedNode({ pod, snapshot }: Cycle): NodeView | undefined {
  const name = snapshot.nominationOf(pod.uid);
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
  return foundAll(feasible, { rejected, examined });
}

/** Where nobody says which node is better, the first that fits is as good as any; so pods go round. */
function wantedBy(
  plugins: readonly SchedulerPlugin[],
  { nodeCount, percentage }: { readonly nodeCount: number; readonly percentage: number | undefined },
): number {
  const areScored = plugins.some(({ score, rank }) => score !== undefined || rank !== undefined);
  return areScored ? feasibleWanted(nodeCount, percentage) : 1;
}

/** Upstream's compromise between the best node and a quick answer: all up to 100, then a falling share, at least 100. */
export function feasibleWanted(nodeCount: number, percentage = 0): number {
  if (nodeCount <= 100 || percentage >= 100) return nodeCount;
  const percent = percentage > 0 ? percentage : Math.max(5, 50 - Math.floor(nodeCount / 125));
  return Math.max(100, Math.floor((nodeCount * percent) / 100));
}

interface Choice {
  readonly found: Search;
  readonly alike: Alike | undefined;
  readonly random: Random;
}

function pickBest(cycle: Cycle, { found, alike, random }: Choice): NodeView | undefined {
  if (found.count > 1 && found.among !== undefined && isOwnAll(cycle))
    return found.among.standing.bestOn(found.among.stretch, (count) => random.below(count));
  const { nodes: feasible, indexes } = found.fitting();
  if (feasible.length === 1) return feasible[0];
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
