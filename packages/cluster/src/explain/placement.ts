import type { Pod } from '../api/generated/core-v1.ts';
import { persistentvolumeclaims } from '../api/generated/kinds.ts';
import { agreeing, counted } from '../base/counted.ts';
import { defaultSchedulerName } from '../resources/core/pod/defaults.ts';
import { podCondition } from '../resources/core/pod/facts.ts';
import type { Judgement, PluginVerdict } from '../scheduler/judgement.ts';
import { podView } from '../scheduler/pod-view.ts';
import { awaitedVolume } from './chosen-node.ts';
import { whyMountedWaits } from './claims.ts';
import type { Group } from './explanation.ts';
import { grouped, namesOf, type Said, type SaidRule } from './groups.ts';
import type { ExplainWorld } from './world.ts';

/** Which of the rules that reject a node are told: the scheduler stops at the first. */
export type Telling = 'first' | 'all';

/** What the scheduler's rules say of one node for a pod. */
export function placementOn(
  judgement: Judgement,
  { node, tell }: { readonly node: string; readonly tell: Telling },
): Said {
  const against = judgement.on(node).filter(({ verdict }) => !verdict.fits);
  const told = tell === 'first' ? against.slice(0, 1) : against;
  if (told.length > 0) {
    // What comes after the first rejection the scheduler does not ask.
    const isFault = told[0]?.fault !== undefined;
    return { state: isFault ? undecided : 'does not fit', rules: toldOnce(told.flatMap(rulesOf)) };
  }
  const promised = judgement.promised(node);
  if (promised.length === 0) return { state: 'fits' };
  const rule = { plugin: '', text: 'its room is promised to pods that matter as much or more', pods: promised };
  return { state: 'does not fit', rules: [rule] };
}

/** Of a node about which a plugin of somebody's own fails. */
export const undecided = 'cannot be judged';

/** Without what another rule tells whose mend is one of theirs: the mark of a cordoned node is a taint as well. */
function toldOnce(rules: readonly SaidRule[]): readonly SaidRule[] {
  const isTold = ({ mend = '' }: SaidRule): boolean =>
    rules.some((other) => other.mend !== undefined && mend.endsWith(`: ${other.mend}`));
  return rules.filter((rule) => !isTold(rule));
}

function rulesOf({ plugin, verdict, details, fault }: PluginVerdict): readonly SaidRule[] {
  if (fault !== undefined) return [{ plugin, text: `it fails: ${fault}`, mend: 'mend that plugin' }];
  if (details.length > 0) return details.map((detail) => ({ plugin, ...detail }));
  return verdict.fits ? [] : verdict.reasons.map(({ text }) => ({ plugin, text }));
}

/** All nodes, by what keeps the pod from them. */
export function placementGroups(
  judgement: Judgement,
  { nodes, tell }: { readonly nodes: Iterable<string>; readonly tell: Telling },
): readonly Group[] {
  const items: { readonly name: string; readonly said: Said }[] = [];
  for (const name of nodes) items.push({ name, said: placementOn(judgement, { node: name, tell }) });
  return grouped('node', items);
}

/** Those that a pod may go to by their names, as daemon pods do; of the others there is nothing to say. */
export function nodesFor(pod: Pod, { nodes }: ExplainWorld): Iterable<string> {
  const { pinnedTo } = podView(pod);
  return pinnedTo === undefined ? nodes.keys() : [...pinnedTo].filter((name) => nodes.has(name));
}

/** Why a pod that waits for a node has none, in one sentence; and what would help. `nodes`: of these alone. */
export function whyUnplaced(pod: Pod, world: ExplainWorld, nodes: Iterable<string> = nodesFor(pod, world)): Said {
  const state = 'waits for a node';
  const { schedulingGates = [] } = pod.spec;
  if (schedulingGates.length > 0) {
    const names = schedulingGates.map(({ name }) => name).join(', ');
    return { state, why: `scheduling gates hold it: ${names}`, mend: 'whoever set the gates has to take them off' };
  }
  const stranger = strangerFor(pod, world);
  if (stranger !== undefined) return { state, ...stranger };
  const judgement = world.judge(pod);
  if (judgement.rejected !== undefined) return { state, ...rejectedForAll(pod, { judgement, world }) };
  const leaving = leavingFor(pod, world);
  const { nominatedNodeName = '' } = pod.status;
  if (leaving.length > 0)
    return {
      state,
      why: `preemption clears node ${nominatedNodeName} for it, and ${namesOf(leaving)} ${agreeing(leaving.length, 'has')} yet to leave`,
    };
  const groups = placementGroups(judgement, { nodes, tell: 'first' });
  const broken = groups.find(({ state: each }) => each === undecided);
  if (broken !== undefined) return { state, why: `the scheduler cannot decide: ${broken.why}`, mend: broken.mend };
  const fitting = groups.find(({ state: each }) => each === 'fits');
  if (fitting !== undefined) {
    const fitsThere = `it fits ${counted(fitting.names.length, 'node')}`;
    return {
      state,
      ...(failureOf(pod, fitsThere) ?? { why: `${fitsThere} and waits for the scheduler` }),
      ...awaitedVolume(pod, world),
    };
  }
  if (groups.length === 0) {
    const { pinnedTo } = podView(pod);
    return pinnedTo === undefined
      ? { state, why: 'there are no nodes', mend: 'add a node' }
      : { state, why: `it may only go to ${namesOf([...pinnedTo])}, which is not there` };
  }
  const told = groups.slice(0, toldMax).map(({ names, why }) => `${counted(names.length, 'node')}: ${why}`);
  const rest = groups.length > toldMax ? `; and ${counted(groups.length - toldMax, 'more reason')}` : '';
  const mend = groups.find((each) => each.mend !== '')?.mend ?? '';
  return { state, why: `${told.join('; ')}${rest}`, mend };
}

/** What the scheduler said when something of it failed about the pod: rules that only its process has, or what came after the choice. */
export function failureOf(pod: Pod, fitsThere?: string): { readonly why: string; readonly mend: string } | undefined {
  const { status, reason, message = '' } = podCondition(pod, 'PodScheduled') ?? {};
  if (status !== 'False' || reason !== 'SchedulerError') return undefined;
  const why = `the scheduler failed on it last: ${message}`;
  return {
    why: fitsThere === undefined ? why : `${fitsThere}, and ${why}`,
    mend: 'it is tried again; what it names has to be mended where that lasts',
  };
}

/** A pod that none of the known profiles answers for: what others would say of it is beside the point. */
export function strangerFor(
  { spec }: Pod,
  { scheduling: { basis, profiles } }: Pick<ExplainWorld, 'scheduling'>,
): Pick<Said, 'why' | 'mend'> | undefined {
  const { schedulerName = defaultSchedulerName } = spec;
  if (profiles.some(({ name }) => name === schedulerName)) return undefined;
  return basis === 'assumed'
    ? {
        why: `the scheduler ${schedulerName} decides about it, and its rules are not known here`,
        mend: `see that ${schedulerName} runs, and say by which rules: --scheduler-config FILE`,
      }
    : {
        why: `no scheduler here answers for its schedulerName ${schedulerName}, only for ${profiles.map(({ name }) => name).join(', ')}`,
        mend: `run a scheduler of that name, or mend the pod's schedulerName`,
      };
}

const toldMax = 3;

function rejectedForAll(
  pod: Pod,
  { judgement, world }: { readonly judgement: Judgement; readonly world: ExplainWorld },
): Pick<Said, 'why' | 'mend'> {
  const { plugin = '', message = '' } = judgement.rejected ?? {};
  const waiting = podView(pod).claims.flatMap((mounted) => {
    const said = whyMountedWaits(mounted, { pod, world });
    const isThere = world.caches.of(persistentvolumeclaims).get(mounted.key) !== undefined;
    return said === undefined ? [] : [{ mend: said.mend ?? '', told: isThere ? [`its claim: ${said.why}`] : [] }];
  });
  const mends = new Set(waiting.map(({ mend }) => mend).filter((mend) => mend !== ''));
  return {
    // Without their names, which differ in the pods of one StatefulSet; explain of the pod has them beside it.
    why: [...new Set([`${plugin}: ${message}`, ...waiting.flatMap(({ told }) => told)])].join('; '),
    mend: [...mends].join('; '),
  };
}

/** Pods that have to leave the nominated node, because preemption chose them, before this one may go there. */
export function leavingFor(pod: Pod, world: ExplainWorld): readonly string[] {
  if ((pod.status.nominatedNodeName ?? '') === '') return [];
  const preemption = world.judge(pod).preemption();
  return preemption?.outcome === 'waits' ? preemption.leaving.map(({ key }) => key) : [];
}
