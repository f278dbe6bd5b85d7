import type { Pod } from '../api/generated/core-v1.ts';
import { poddisruptionbudgets } from '../api/generated/kinds.ts';
import { agreeing, counted } from '../base/counted.ts';
import { budgetsOf, budgetsOver } from '../scheduler/budgets.ts';
import type { Fault, Judgement } from '../scheduler/judgement.ts';
import { preemptionMessage } from '../scheduler/message.ts';
import type { MakesRoom, Preemption } from '../scheduler/preempt.ts';
import type { Cause, Group } from './explanation.ts';
import { namesOf } from './groups.ts';
import { nodesFor, placementOn, undecided } from './placement.ts';
import type { ExplainWorld } from './world.ts';

interface Asked {
  readonly judgement: Judgement;
  readonly groups: readonly Group[];
  /** Only what is to be said of this node. */
  readonly node: string | undefined;
  readonly world: ExplainWorld;
}

/** What preemption would do, for a pod that no node takes as it is; of a node that is asked about, whether others take it. */
export function placementCauses(pod: Pod, { judgement, groups, node, world }: Asked): readonly Cause[] {
  const isHeld = (pod.spec.schedulingGates ?? []).length > 0 || world.nodes.size === 0;
  const isDone = groups.some(({ state }) => state === 'fits' || state === undecided);
  if (isHeld || isDone || (pod.status.nominatedNodeName ?? '') !== '') return [];
  const others = node === undefined ? 0 : fittingNodes(pod, { judgement, world });
  if (others > 0) return [{ cause: `it fits ${counted(others, 'other node')}`, mend: '' }];
  const preemption = judgement.preemption(node);
  const cause = preemption === undefined ? 'its profile does not preempt others' : words(preemption, { node, world });
  return cause === undefined ? [] : [{ cause, mend: '' }];
}

function fittingNodes(pod: Pod, { judgement, world }: Pick<Asked, 'judgement' | 'world'>): number {
  const all = [...nodesFor(pod, world)];
  return all.filter((each) => placementOn(judgement, { node: each, tell: 'first' }).state === 'fits').length;
}

function words(
  preemption: Preemption | Fault,
  { node, world }: { readonly node: string | undefined; readonly world: ExplainWorld },
): string | undefined {
  switch (preemption.outcome) {
    case 'makesRoom': {
      const makes = node === undefined ? `makes room on node ${preemption.node}` : 'could make room there';
      return `preemption ${makes}: ${lossWords(preemption, world)}`;
    }
    case 'waits':
      return `preemption is clearing node ${preemption.node}`;
    case 'never':
      return `preemption does not help: ${preemptionMessage(preemption)}`;
    case 'fails':
      return node === undefined
        ? `preemption does not help: ${preemptionMessage(preemption)}`
        : `preemption does not help there: ${whyNotThere(preemption)}`;
    case 'fault':
      return `preemption cannot be decided: ${preemption.message}`;
    default:
      return preemption satisfies never;
  }
}

function lossWords({ victims, violating }: MakesRoom, { caches }: ExplainWorld): string {
  const going = `${namesOf(victims.map(({ key }) => key))} ${agreeing(victims.length, 'has')} to go`;
  if (violating.length === 0) return going;
  const budgets = budgetsOf(caches.of(poddisruptionbudgets), 0);
  const names = [
    ...new Set(violating.flatMap((pod) => budgetsOver(pod, budgets)).map(({ metadata }) => metadata.name)),
  ];
  const whom = violating.length === victims.length ? '' : ` of ${namesOf(violating.map(({ key }) => key))}`;
  const [does, what] = names.length === 1 ? ['does', 'PodDisruptionBudget'] : ['do', 'PodDisruptionBudgets'];
  return `${going}, although the ${what} ${namesOf(names)} ${does} not allow that${whom}`;
}

function whyNotThere({ rejections }: Extract<Preemption, { readonly outcome: 'fails' }>): string {
  const texts = [...rejections.keys()].flatMap(({ reasons }) => reasons.map(({ text }) => text));
  return texts.length === 0 ? 'it would not fit there without the pods that are there either' : texts.join(', ');
}
