import { fromTimestamp } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { type Budgets, noBudgets, withoutLeave } from './budgets.ts';
import { type Cycle, objection, withoutPod, withPod } from './cycle.ts';
import type { Alike } from './memory.ts';
import type { NodeView } from './node-view.ts';
import { isResolvable, type Rejection, rejectsForGood } from './plugin.ts';
import type { PodView } from './pod-view.ts';
import type { Unplaced } from './schedule.ts';

export type Preemption =
  | MakesRoom
  /** An earlier preemption is making room on the nominated node: another one would cost more pods than needed. */
  | { readonly outcome: 'waits'; readonly node: string; readonly leaving: readonly PodView[] }
  /** The pod's policy forbids it. */
  | { readonly outcome: 'never' }
  /** On some nodes it would not be enough, for these reasons; on the hopeless ones the loss of pods does not help. */
  | { readonly outcome: 'fails'; readonly rejections: readonly Rejection[]; readonly hopeless: number };

export interface MakesRoom {
  readonly outcome: 'makesRoom';
  readonly node: string;
  /** Who has to go; the most important first. */
  readonly victims: readonly PodView[];
  /** How many of them a disruption budget would keep. */
  readonly violations: number;
  /** What is compared of it besides. */
  readonly loss: Loss;
}

interface Loss {
  readonly highest: number;
  readonly sum: number;
  readonly earliestStartMs: number;
}

/** What became of it on one node. */
export type DryRun = MakesRoom | Rejection;

export interface PreemptOptions {
  readonly budgets?: Budgets;
  readonly random: Random;
  readonly memory?: Alike | undefined;
  readonly limits?: CandidateLimits;
}

/** How many nodes have to be found on which it would work, before the best of them is taken. */
export interface CandidateLimits {
  readonly minCandidateNodesPercentage: number;
  readonly minCandidateNodesAbsolute: number;
}

export const defaultLimits: CandidateLimits = { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 };

/**
 * Which pods of lower priority would have to go so that this one fits. Plays the removal through node by node, puts back
 * whoever need not go, and takes the node where the least is lost. Pure but for the draw of where to begin.
 */
export function preempt(cycle: Cycle, { rejected }: Pick<Unplaced, 'rejected'>, options: PreemptOptions): Preemption {
  const { pod, snapshot } = cycle;
  if (pod.pod.spec.preemptionPolicy === 'Never') return { outcome: 'never' };
  const nominated = pod.pod.status.nominatedNodeName ?? '';
  if (nominated !== '') {
    const verdict = rejected.verdictOn(nominated);
    const isHopeless = verdict !== undefined && !isResolvable(verdict);
    const leaving = isHopeless ? [] : makingRoom(snapshot.node(nominated), pod);
    if (leaving.length > 0) return { outcome: 'waits', node: nominated, leaving };
  }
  const hopeful = rejected.resolvable();
  const { candidates, rejections } = playAll(cycle, hopeful, options);
  return best(candidates) ?? { outcome: 'fails', rejections, hopeless: snapshot.nodes.length - hopeful.length };
}

/** For a pod that was rejected whatever the node. */
export function preemptNowhere({ pod }: PodView, nodeCount: number): Preemption {
  return pod.spec.preemptionPolicy === 'Never'
    ? { outcome: 'never' }
    : { outcome: 'fails', rejections: [], hopeless: nodeCount };
}

function makingRoom(node: NodeView | undefined, { priority }: PodView): readonly PodView[] {
  if (node === undefined) return [];
  return [...node.pods.values()].filter(
    (other) => other.priority < priority && other.pod.metadata.deletionTimestamp !== undefined && wasPreempted(other),
  );
}

function wasPreempted({ pod }: PodView): boolean {
  return (
    pod.status.conditions?.some(
      ({ type, reason }) => type === 'DisruptionTarget' && reason === 'PreemptionByScheduler',
    ) === true
  );
}

interface Played {
  readonly candidates: readonly MakesRoom[];
  readonly rejections: readonly Rejection[];
}

/** From a node by chance on, until there are enough to choose from and one of them hurts no budget. */
function playAll(cycle: Cycle, nodes: readonly NodeView[], options: PreemptOptions): Played {
  const { random, budgets = noBudgets, memory, limits = defaultLimits } = options;
  const candidates: MakesRoom[] = [];
  const rejections: Rejection[] = [];
  const wanted = candidatesWanted(nodes.length, limits);
  const offset = random.below(Math.max(1, nodes.length));
  const own = cycle.snapshot.nominationOf(cycle.pod.uid);
  let isOneGentle = false;
  for (let step = 0; step < nodes.length && !(isOneGentle && candidates.length >= wanted); step++) {
    const node = nodes[(offset + step) % nodes.length];
    if (node === undefined) continue;
    const play = (): DryRun => dryRun(cycle, { node, budgets });
    // Where others are promised room, whose pods they are counts too.
    const run =
      memory === undefined || node.name === own ? play() : memory.dryRun(node, { budgets: budgets.version, play });
    if ('fits' in run) rejections.push(run);
    else {
      candidates.push(run);
      if (run.violations === 0) isOneGentle = true;
    }
  }
  return { candidates, rejections };
}

function candidatesWanted(
  nodeCount: number,
  { minCandidateNodesPercentage, minCandidateNodesAbsolute }: CandidateLimits,
): number {
  const share = Math.trunc((nodeCount * minCandidateNodesPercentage) / 100);
  return Math.min(nodeCount, Math.max(share, minCandidateNodesAbsolute));
}

function dryRun(cycle: Cycle, { node, budgets }: { readonly node: NodeView; readonly budgets: Budgets }): DryRun {
  const lower = [...node.pods.values()].filter(({ priority }) => priority < cycle.pod.priority);
  if (lower.length === 0) return nobodyToGo;
  let whatIf = lower.reduce((before, other) => withoutPod(before, other, node.name), cycle);
  const against = objectionOn(node.name, whatIf);
  if (against !== undefined) return against;
  const spare = (candidate: PodView): boolean => {
    const spared = withPod(whatIf, candidate, node.name);
    if (objectionOn(node.name, spared) !== undefined) return false;
    whatIf = spared;
    return true;
  };
  const { violating, others } = withoutLeave(lower.sort(moreImportantFirst), budgets);
  const hurt = violating.filter((each) => !spare(each));
  const victims = [...hurt, ...others.filter((each) => !spare(each))].sort(moreImportantFirst);
  if (victims.length === 0) return nobodyToGo;
  return { outcome: 'makesRoom', node: node.name, victims, violations: hurt.length, loss: lossOf(victims) };
}

const nobodyToGo = rejectsForGood('No preemption victims found for incoming pod');

function objectionOn(name: string, whatIf: Cycle): Rejection | undefined {
  const node = whatIf.snapshot.node(name);
  return node && objection(whatIf, node)?.verdict;
}

function moreImportantFirst(a: PodView, b: PodView): number {
  return b.priority - a.priority || startedMs(a) - startedMs(b) || (a.uid < b.uid ? -1 : 1);
}

function startedMs(view: PodView): number {
  const known = starts.get(view);
  if (known !== undefined) return known;
  const { startTime } = view.pod.status;
  const ms = startTime === undefined ? view.createdMs : fromTimestamp(startTime);
  starts.set(view, ms);
  return ms;
}

const starts = new WeakMap<PodView, number>();

function best(candidates: readonly MakesRoom[]): MakesRoom | undefined {
  let chosen: MakesRoom | undefined;
  for (const candidate of candidates) if (chosen === undefined || isBetter(candidate, chosen)) chosen = candidate;
  return chosen;
}

/** Fewest budgets hurt, lowest priority lost, least priority in sum, fewest pods, those that have run the shortest. */
function isBetter(a: MakesRoom, b: MakesRoom): boolean {
  if (a.violations !== b.violations) return a.violations < b.violations;
  if (a.loss.highest !== b.loss.highest) return a.loss.highest < b.loss.highest;
  if (a.loss.sum !== b.loss.sum) return a.loss.sum < b.loss.sum;
  if (a.victims.length !== b.victims.length) return a.victims.length < b.victims.length;
  return a.loss.earliestStartMs > b.loss.earliestStartMs;
}

function lossOf(victims: readonly PodView[]): Loss {
  const highest = victims[0]?.priority ?? 0;
  return {
    highest,
    // Shifted, so that each victim counts even when priorities are negative.
    sum: victims.reduce((total, { priority }) => total + priority + 2 ** 31, 0),
    earliestStartMs: Math.min(...victims.filter(({ priority }) => priority === highest).map(startedMs)),
  };
}
