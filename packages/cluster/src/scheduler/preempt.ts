import type { Random } from '../base/random.ts';
import { type Budgets, noBudgets, withoutLeave } from './budgets.ts';
import { asItIs, type Cycle, objection, promisedOn, withoutPods, withPod } from './cycle.ts';
import { type DryRun, isBetter, type Loss, type MakesRoom } from './loss.ts';
import type { Alike } from './memory.ts';
import type { NodeView } from './node-view.ts';
import { isResolvable, type Rejection, rejectsForGood } from './plugin.ts';
import type { PodView } from './pod-view.ts';
import type { Rejected } from './rejected-nodes.ts';
import type { Unplaced } from './schedule.ts';

export type { MakesRoom } from './loss.ts';

export type Preemption =
  | MakesRoom
  /** An earlier preemption is making room on the nominated node: another one would cost more pods than needed. */
  | { readonly outcome: 'waits'; readonly node: string; readonly leaving: readonly PodView[] }
  /** The pod's policy forbids it. */
  | { readonly outcome: 'never' }
  /** On some nodes it would not be enough, for these reasons; on the hopeless ones the loss of pods does not help. */
  | { readonly outcome: 'fails'; readonly rejections: ReadonlyMap<Rejection, number>; readonly hopeless: number };

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
  // What stands on the pod may be older than this: somebody more important may have been promised the node since.
  const nominated = snapshot.nominationOf(pod.uid);
  if (nominated !== undefined) {
    const verdict = rejected.verdictOn(nominated);
    const isHopeless = verdict !== undefined && !isResolvable(verdict);
    const leaving = isHopeless ? [] : makingRoom(snapshot.node(nominated), pod);
    if (leaving.length > 0) return { outcome: 'waits', node: nominated, leaving };
  }
  const { best, rejections, hopeful } = leastLoss(cycle, rejected, options);
  // What is remembered goes on changing.
  return best ?? { outcome: 'fails', rejections: new Map(rejections), hopeless: snapshot.nodes.length - hopeful };
}

/** For a pod that was rejected whatever the node. */
export function preemptNowhere({ pod }: PodView, nodeCount: number): Preemption {
  return pod.spec.preemptionPolicy === 'Never'
    ? { outcome: 'never' }
    : { outcome: 'fails', rejections: new Map(), hopeless: nodeCount };
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
      ({ type, status, reason }) =>
        type === 'DisruptionTarget' && status === 'True' && reason === 'PreemptionByScheduler',
    ) === true
  );
}

interface Found {
  readonly best: MakesRoom | undefined;
  /** Where nothing was found: on how many nodes what speaks against it. */
  readonly rejections: ReadonlyMap<Rejection, number>;
  /** On how many nodes it could help. */
  readonly hopeful: number;
}

/** From a node by chance on, until there are enough to choose from and one of them hurts no budget. */
function leastLoss(cycle: Cycle, rejected: Rejected, options: PreemptOptions): Found {
  const { random, budgets = noBudgets, memory, limits = defaultLimits } = options;
  const own = cycle.snapshot.nominationOf(cycle.pod.uid);
  const { circle } = rejected;
  if (circle === undefined || own !== undefined || memory === undefined)
    return playAll(cycle, rejected.resolvable(), options);
  const { standing, start } = circle;
  const hopeful = standing.resolvableCount;
  const nth = random.below(Math.max(1, hopeful));
  const wanted = candidatesWanted(hopeful, limits);
  const playOn = (node: NodeView): DryRun => dryRun(cycle, { node, budgets });
  return { hopeful, ...standing.leastLoss({ start, nth, wanted, budgets: budgets.version, playOn }) };
}

function playAll(cycle: Cycle, nodes: readonly NodeView[], options: PreemptOptions): Found {
  const { random, budgets = noBudgets, memory, limits = defaultLimits } = options;
  const candidates: MakesRoom[] = [];
  const rejections = new Map<Rejection, number>();
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
    if ('fits' in run) rejections.set(run, (rejections.get(run) ?? 0) + 1);
    else {
      candidates.push(run);
      if (run.violating.length === 0) isOneGentle = true;
    }
  }
  return { best: best(candidates), rejections, hopeful: nodes.length };
}

function candidatesWanted(
  nodeCount: number,
  { minCandidateNodesPercentage, minCandidateNodesAbsolute }: CandidateLimits,
): number {
  const share = Math.trunc((nodeCount * minCandidateNodesPercentage) / 100);
  return Math.min(nodeCount, Math.max(share, minCandidateNodesAbsolute));
}

function dryRun(cycle: Cycle, { node, budgets }: { readonly node: NodeView; readonly budgets: Budgets }): DryRun {
  const lower = lesserOn(node, cycle.pod);
  if (lower.length === 0) return nobodyToGo;
  let whatIf = withoutPods(asItIs(cycle, node), lower);
  const promised = promisedOn(node, cycle);
  const against = objection(whatIf, whatIf.node, promised);
  if (against !== undefined) return against.verdict;
  const isToGo = (candidate: PodView): boolean => {
    const spared = withPod(whatIf, candidate);
    if (objection(spared, spared.node, promised) !== undefined) return true;
    whatIf = spared;
    return false;
  };
  const { violating, others } = withoutLeave(lower.sort(moreImportantFirst), budgets);
  const hurt = violating.filter(isToGo);
  const gone = others.filter(isToGo);
  const victims = hurt.length === 0 ? gone : [...hurt, ...gone].sort(moreImportantFirst);
  if (victims.length === 0) return nobodyToGo;
  return { outcome: 'makesRoom', node: node.name, victims, violating: hurt, loss: lossOf(victims) };
}

function lesserOn(node: NodeView, { priority }: PodView): PodView[] {
  const lesser: PodView[] = [];
  for (const other of node.pods.values()) if (other.priority < priority) lesser.push(other);
  return lesser;
}

const nobodyToGo = rejectsForGood('No preemption victims found for incoming pod');

function moreImportantFirst(a: PodView, b: PodView): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  if (a.startedMs !== b.startedMs) return a.startedMs < b.startedMs ? -1 : 1;
  return a.uid < b.uid ? -1 : 1;
}

function best(candidates: readonly MakesRoom[]): MakesRoom | undefined {
  let chosen: MakesRoom | undefined;
  for (const candidate of candidates) if (chosen === undefined || isBetter(candidate, chosen)) chosen = candidate;
  return chosen;
}

function lossOf(victims: readonly PodView[]): Loss {
  const highest = victims[0]?.priority ?? 0;
  let sum = 0;
  let earliestStartMs = Number.POSITIVE_INFINITY;
  for (const { priority, startedMs } of victims) {
    // Shifted, so that each victim counts even when priorities are negative.
    sum += priority + 2 ** 31;
    if (priority === highest) earliestStartMs = Math.min(earliestStartMs, startedMs);
  }
  return { highest, sum, earliestStartMs };
}
