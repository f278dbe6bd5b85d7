import { type Cycle, objection, withoutPod, withPod } from './cycle.ts';
import type { NodeView } from './node-view.ts';
import { isResolvable } from './plugin.ts';
import type { PodView } from './pod-view.ts';
import type { Unplaced } from './schedule.ts';

export type Preemption =
  | MakesRoom
  /** An earlier preemption is making room on the nominated node: another one would cost more pods than needed. */
  | { readonly outcome: 'waits'; readonly node: string }
  /** The pod's policy forbids it. */
  | { readonly outcome: 'never' }
  /** On the hopeful nodes nobody may go, or it would not be enough; on the hopeless ones the loss of pods does not help. */
  | { readonly outcome: 'fails'; readonly hopeful: number; readonly hopeless: number };

export interface MakesRoom {
  readonly outcome: 'makesRoom';
  readonly node: string;
  /** Who has to go; the most important first. */
  readonly victims: readonly PodView[];
}

/**
 * Which pods of lower priority would have to go so that this one fits. Plays the removal through on each node, puts back
 * whoever need not go, and takes the node where the least important pods are lost. Pure.
 */
export function preempt(cycle: Cycle, { verdicts }: Pick<Unplaced, 'verdicts'>): Preemption {
  const { pod, snapshot } = cycle;
  if (pod.pod.spec.preemptionPolicy === 'Never') return { outcome: 'never' };
  const nominated = pod.pod.status.nominatedNodeName ?? '';
  if (isMakingRoom(snapshot.node(nominated), pod)) return { outcome: 'waits', node: nominated };
  const candidates: MakesRoom[] = [];
  let hopeful = 0;
  for (const [name, verdict] of verdicts) {
    const node = snapshot.node(name);
    if (node === undefined || !isResolvable(verdict)) continue;
    hopeful++;
    const victims = victimsOn(node, cycle);
    if (victims !== undefined) candidates.push({ outcome: 'makesRoom', node: name, victims });
  }
  return pickCandidate(candidates) ?? { outcome: 'fails', hopeful, hopeless: snapshot.nodes.length - hopeful };
}

function isMakingRoom(node: NodeView | undefined, { priority }: PodView): boolean {
  if (node === undefined) return false;
  for (const other of node.pods.values())
    if (other.priority < priority && other.pod.metadata.deletionTimestamp !== undefined && wasPreempted(other))
      return true;
  return false;
}

function wasPreempted({ pod }: PodView): boolean {
  return (
    pod.status.conditions?.some(
      ({ type, reason }) => type === 'DisruptionTarget' && reason === 'PreemptionByScheduler',
    ) === true
  );
}

function victimsOn(node: NodeView, cycle: Cycle): readonly PodView[] | undefined {
  const lower = [...node.pods.values()].filter(({ priority }) => priority < cycle.pod.priority);
  if (lower.length === 0) return undefined;
  let whatIf = lower.reduce((before, other) => withoutPod(before, other, node.name), cycle);
  if (!fitsOn(node.name, whatIf)) return undefined;
  const victims: PodView[] = [];
  for (const candidate of lower.sort(moreImportantFirst)) {
    const spared = withPod(whatIf, candidate, node.name);
    if (fitsOn(node.name, spared)) whatIf = spared;
    else victims.push(candidate);
  }
  return victims.length === 0 ? undefined : victims;
}

function fitsOn(name: string, whatIf: Cycle): boolean {
  const node = whatIf.snapshot.node(name);
  return node !== undefined && objection(whatIf, node) === undefined;
}

function moreImportantFirst(a: PodView, b: PodView): number {
  return b.priority - a.priority || startedMs(a) - startedMs(b) || (a.uid < b.uid ? -1 : 1);
}

function startedMs({ pod, createdMs }: PodView): number {
  const { startTime } = pod.status;
  return startTime === undefined ? createdMs : Date.parse(startTime);
}

/** Lowest priority lost, then least priority in sum, then fewest pods, then those that have run the shortest. */
function pickCandidate(candidates: readonly MakesRoom[]): MakesRoom | undefined {
  const order = (a: MakesRoom, b: MakesRoom): number =>
    highest(a) - highest(b) ||
    sum(a) - sum(b) ||
    a.victims.length - b.victims.length ||
    earliestStart(b) - earliestStart(a);
  return [...candidates].sort(order)[0];
}

function highest({ victims }: MakesRoom): number {
  return victims[0]?.priority ?? 0;
}

/** Shifted, so that each victim counts even when priorities are negative. */
function sum({ victims }: MakesRoom): number {
  return victims.reduce((total, { priority }) => total + priority + 2 ** 31, 0);
}

function earliestStart(candidate: MakesRoom): number {
  const top = highest(candidate);
  return Math.min(...candidate.victims.filter(({ priority }) => priority === top).map(startedMs));
}
