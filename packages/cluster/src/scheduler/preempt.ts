import type { NodeAccount } from './node-view.ts';
import type { SchedulerPlugin } from './plugin.ts';
import type { PodView } from './pod-view.ts';
import { type Unplaced, wouldFit } from './schedule.ts';
import type { LiveSnapshot } from './snapshot.ts';

export type Preemption =
  | { readonly node: string; readonly victims: readonly PodView[] }
  | { readonly node: undefined; readonly message: string };

export interface PreemptOptions {
  readonly unplaced: Unplaced;
  readonly snapshot: LiveSnapshot;
  readonly plugins: readonly SchedulerPlugin[];
}

const notHelpful = 'Preemption is not helpful for scheduling';
const noVictims = 'No preemption victims found for incoming pod';

/**
 * Which pods of lower priority would have to go so that this one fits. Plays the removal through on a copy of each node,
 * puts back whoever need not go, and takes the node where the least important pods are lost. Pure.
 */
export function preempt(pod: PodView, { unplaced, snapshot, plugins }: PreemptOptions): Preemption {
  if (pod.pod.spec.preemptionPolicy === 'Never') return refusal('not eligible due to preemptionPolicy=Never.');
  if (waitsForVictims(pod, snapshot)) return refusal('not eligible due to a terminating pod on the nominated node.');
  const candidates: Candidate[] = [];
  let hopeful = 0;
  for (const [name, { resolvable }] of unplaced.verdicts) {
    const account = snapshot.account(name);
    if (!resolvable || account === undefined) continue;
    hopeful++;
    const victims = victimsOn(pod, account, { snapshot, plugins });
    if (victims !== undefined) candidates.push({ node: name, victims });
  }
  const best = pickCandidate(candidates);
  if (best !== undefined) return best;
  const total = snapshot.nodes.length;
  const hopeless = total - hopeful;
  const parts = [
    ...(hopeful > 0 ? [`${hopeful} ${noVictims}`] : []),
    ...(hopeless > 0 ? [`${hopeless} ${notHelpful}`] : []),
  ];
  return refusal(`0/${total} nodes are available: ${parts.sort().join(', ')}.`);
}

interface Candidate {
  readonly node: string;
  /** The most important first. */
  readonly victims: readonly PodView[];
}

function refusal(message: string): Preemption {
  return { node: undefined, message };
}

/** Room is being made already: preempting again would cost more pods than needed. */
function waitsForVictims({ pod, priority }: PodView, snapshot: LiveSnapshot): boolean {
  const nominated = pod.status.nominatedNodeName ?? '';
  const node = nominated === '' ? undefined : snapshot.node(nominated);
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

function victimsOn(
  pod: PodView,
  account: NodeAccount,
  context: Pick<PreemptOptions, 'snapshot' | 'plugins'>,
): readonly PodView[] | undefined {
  const copy = account.fork();
  const lower = [...account.pods.values()].filter(({ priority }) => priority < pod.priority);
  if (lower.length === 0) return undefined;
  for (const { uid } of lower) copy.remove(uid);
  if (!wouldFit(pod, copy, context)) return undefined;
  const victims: PodView[] = [];
  for (const candidate of [...lower].sort(moreImportantFirst)) {
    copy.add(candidate);
    if (wouldFit(pod, copy, context)) continue;
    copy.remove(candidate.uid);
    victims.push(candidate);
  }
  return victims.length === 0 ? undefined : victims;
}

function moreImportantFirst(a: PodView, b: PodView): number {
  return b.priority - a.priority || startedMs(a) - startedMs(b) || (a.uid < b.uid ? -1 : 1);
}

function startedMs({ pod, createdMs }: PodView): number {
  const { startTime } = pod.status;
  return startTime === undefined ? createdMs : Date.parse(startTime);
}

/** Lowest priority lost, then least priority in sum, then fewest pods, then those that have run the shortest. */
function pickCandidate(candidates: readonly Candidate[]): Candidate | undefined {
  const order = (a: Candidate, b: Candidate): number =>
    highest(a) - highest(b) ||
    sum(a) - sum(b) ||
    a.victims.length - b.victims.length ||
    earliestStart(b) - earliestStart(a);
  return [...candidates].sort(order)[0];
}

function highest({ victims }: Candidate): number {
  return victims[0]?.priority ?? 0;
}

/** Shifted, so that each victim counts even when priorities are negative. */
function sum({ victims }: Candidate): number {
  return victims.reduce((total, { priority }) => total + priority + 2 ** 31, 0);
}

function earliestStart(candidate: Candidate): number {
  const top = highest(candidate);
  return Math.min(...candidate.victims.filter(({ priority }) => priority === top).map(startedMs));
}
