import { conditionOf } from '../api/conditions.ts';
import type { DaemonSet } from '../api/generated/apps-v1.ts';
import type { NodeSelectorTerm } from '../api/generated/core-v1.ts';
import { labelCommand, labellingHelps } from '../api/node-labels.ts';
import { describeUnmetTerms } from '../api/selector/words.ts';
import { formatTaint, taintMend } from '../api/tolerations.ts';
import { counted } from '../base/counted.ts';
import { backingOffType } from '../controllers/daemonset/backing-off.ts';
import { type DaemonPod, isAvailable, isOver } from '../controllers/daemonset/daemon-pod.ts';
import { describeVerdict, type Rule as Eligibility, type Verdict } from '../controllers/daemonset/eligibility.ts';
import { planHistory } from '../controllers/daemonset/history.ts';
import { observe } from '../controllers/daemonset/observe.ts';
import { type Look, lookAt } from '../controllers/daemonset/plan.ts';
import type { Site } from '../controllers/daemonset/sites.ts';
import type { Cause, Explanation, Group } from './explanation.ts';
import { goingCauses } from './going.ts';
import { grouped, type Said } from './groups.ts';
import { inNamespace } from './in-namespace.ts';
import { failureOf, leavingFor, placementOn, strangerFor } from './placement.ts';
import { podState } from './pod-state.ts';
import { refusalMend } from './refusals.ts';
import { toldOf } from './told.ts';
import type { ExplainWorld, Subject } from './world.ts';

/** Where it runs and where not, group by group of nodes, and why its rollout waits. `node`: of that one alone. */
export function explainDaemonSet(
  { namespace = '', name }: Subject,
  { world, node }: { readonly world: ExplainWorld; readonly node: string | undefined },
): Explanation | undefined {
  const { caches, nowMs } = world;
  const observed = observe(`${namespace}/${name}`, caches, undefined);
  if (observed === undefined) return undefined;
  const { daemonset, kept, naming } = observed;
  const { hash } = planHistory(daemonset, { pods: kept.claimed, revisions: observed.revisions.claimed, naming });
  const look = lookAt(observed, { hash, nowMs });
  const asking: Asking = { daemonset, look, world };
  const all = look.sites.all();
  const sites = node === undefined ? all : all.filter((site) => site.node === node);
  const groups = grouped(
    'node',
    sites.map((site) => ({ name: site.node, said: siteSaid(site, asking) })),
  );
  const counts = countsOf(groups);
  const isPaused = daemonset.metadata.deletionTimestamp !== undefined;
  const waits = counts.missing + counts.outdated + counts.misplaced > 0 || isPaused;
  return {
    subject: { kind: 'DaemonSet', namespace, name },
    outcome: waits ? 'waits' : 'settled',
    summary: summaryOf(counts, node),
    causes: waits ? causesOf(groups, asking) : [],
    facts: factsOf(asking, counts),
    groups,
  };
}

interface Asking {
  readonly daemonset: DaemonSet;
  readonly look: Look;
  readonly world: ExplainWorld;
}

const states = {
  runs: 'runs',
  outdated: 'runs, outdated',
  missing: 'should run',
  misplaced: 'does not belong',
  unwanted: 'is not wanted',
} as const;

function siteSaid(site: Site, asking: Asking): Said {
  const { verdict, pods } = site;
  const living = pods.filter((pod) => !pod.terminating && !isOver(pod));
  if (!verdict.runs) return notWanted(site, { asking, isThere: living.length > 0 });
  const { rollout } = asking.look;
  const serving = living.filter((pod) => isAvailable(pod, rollout));
  if (serving.some(({ hash }) => hash === rollout.hash)) return { state: states.runs };
  if (serving.length > 0) return outdated(living, asking);
  const [first] = living;
  return { state: states.missing, ...whyMissing(first ?? pods[0], { site, asking }) };
}

/** An old pod serves: it waits for its turn, or for the new one beside it. */
function outdated(living: readonly DaemonPod[], { look, world }: Asking): Said {
  const { rollout } = look;
  const next = living.find(({ hash }) => hash === rollout.hash);
  if (next !== undefined) {
    const { state, why = '', mend = '' } = podState(next.pod, world);
    return { state: states.outdated, why: `its new pod ${state}${why === '' ? '' : `: ${why}`}`, mend };
  }
  if (rollout.onDelete) {
    const command = living.slice(0, 1).map(({ pod: { metadata } }) => `${metadata.name}${inNamespace(metadata)}`);
    return {
      state: states.outdated,
      why: 'its strategy is OnDelete',
      mend: `a new one is made when the old one is gone; one after the other: kubectl delete pod ${command.join('')}`,
    };
  }
  const budget = rollout.surges ? `maxSurge ${rollout.maxSurge}` : `maxUnavailable ${rollout.maxUnavailable}`;
  return { state: states.outdated, why: `its old pod waits for its turn (${budget})` };
}

function notWanted(
  { node, verdict, pods }: Site,
  { asking, isThere }: { readonly asking: Asking; readonly isThere: boolean },
): Said {
  const { why, mend } = ruleWords(verdict, { node, asking });
  if (!isThere) return { state: states.unwanted, why, mend };
  return verdict.stays
    ? { state: states.unwanted, why: `${why}; the pod that is there already may stay${troubleOf(pods, asking)}`, mend }
    : {
        state: states.misplaced,
        why: `${why}; its pod ${pods[0]?.terminating === true ? 'is going' : 'will be deleted'}`,
      };
}

/** It may stay, but does it serve? */
function troubleOf(pods: readonly DaemonPod[], { world }: Asking): string {
  const [first] = pods.filter((pod) => !pod.terminating && !isOver(pod));
  if (first === undefined || first.ready) return '';
  const { state, why = '' } = podState(first.pod, world);
  return `, and ${state}${why === '' ? '' : `: ${why}`}`;
}

/** Without what differs from node to node, so that nodes with other values of one label are one group. */
function ruleWords(
  verdict: Verdict,
  { node, asking }: { readonly node: string; readonly asking: Asking },
): { readonly why: string; readonly mend: string } {
  if (verdict.runs) return { why: '', mend: '' };
  return {
    why: wordsOf(verdict.rule, { node, asking }) ?? describeVerdict(verdict),
    mend: mendOf(verdict.rule, { node, asking }),
  };
}

function wordsOf(
  rule: Eligibility,
  { node, asking }: { readonly node: string; readonly asking: Asking },
): string | undefined {
  switch (rule.rule) {
    case 'nodeName':
      return undefined;
    case 'nodeSelector':
      return `the nodeSelector wants the label ${rule.key}=${rule.wants}`;
    case 'taint':
      return `the taint ${formatTaint(rule.taint)} is not tolerated`;
    case 'nodeAffinity': {
      const terms = termsOf(asking.daemonset) ?? [];
      const { labels } = asking.world.nodes.get(node)?.metadata ?? {};
      return `the required node affinity wants ${describeUnmetTerms(terms, { labels, fields: { 'metadata.name': node } }) ?? 'something else'}`;
    }
    default:
      return rule satisfies never;
  }
}

function mendOf(rule: Eligibility, { node, asking }: { readonly node: string; readonly asking: Asking }): string {
  switch (rule.rule) {
    case 'nodeName':
      return 'take spec.nodeName out of the template';
    case 'nodeSelector':
      return canBeLabelled(node, asking)
        ? `if it should run there: ${labelCommand({ key: rule.key, value: rule.wants, has: rule.has })}`
        : 'if it should run there: change the nodeSelector';
    case 'taint':
      return `if it should run there: tolerate the taint in the template, or ${taintMend(rule.taint)}`;
    case 'nodeAffinity':
      return canBeLabelled(node, asking)
        ? 'if it should run there: label the nodes, or change the affinity'
        : 'if it should run there: change the affinity';
    default:
      return rule satisfies never;
  }
}

function canBeLabelled(node: string, { daemonset, world }: Asking): boolean {
  const { nodeSelector } = daemonset.spec.template.spec ?? {};
  const { labels } = world.nodes.get(node)?.metadata ?? {};
  return labellingHelps({ nodeSelector, terms: termsOf(daemonset) }, { labels, fields: { 'metadata.name': node } });
}

function termsOf({ spec }: DaemonSet): readonly NodeSelectorTerm[] | undefined {
  return spec.template.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
}

function whyMissing(
  pod: DaemonPod | undefined,
  { site, asking }: { readonly site: Site; readonly asking: Asking },
): Omit<Said, 'state'> {
  const { world, look, daemonset } = asking;
  if (pod === undefined) {
    const told = toldOf(daemonset, { world, reasons: ['FailedCreate'] });
    return told === undefined
      ? { why: 'its pod is not made yet' }
      : { why: `its pod cannot be made: ${told}`, mend: refusalMend(told) };
  }
  if (!pod.bound && !pod.terminating) return unplaced(pod, { site, world });
  if (pod.ready && !pod.terminating && !isOver(pod))
    return { why: `its pod is ready, but not for minReadySeconds (${look.rollout.minReadySeconds}) yet` };
  const { state, alike, ...rest } = podState(pod.pod, world);
  const what = `its pod ${state}`;
  const why = rest.why === undefined || rest.why === '' ? what : `${what}: ${rest.why}`;
  const like = alike !== undefined && { alike: `${what}: ${alike}` };
  return isOver(pod) && !pod.terminating
    ? { why: `${why}; another one is made after a back-off`, ...like }
    : { ...rest, why, ...like };
}

/** Its node is certain: only that one is asked about, by the rules of the scheduler. */
function unplaced(
  { pod }: DaemonPod,
  { site, world }: { readonly site: Site; readonly world: ExplainWorld },
): Omit<Said, 'state'> {
  const { schedulingGates = [] } = pod.spec;
  if (schedulingGates.length > 0)
    return { why: `scheduling gates hold its pod: ${schedulingGates.map(({ name }) => name).join(', ')}` };
  const stranger = strangerFor(pod, world);
  if (stranger !== undefined) return stranger;
  const judgement = world.judge(pod);
  if (judgement.rejected !== undefined) return { why: `${judgement.rejected.plugin}: ${judgement.rejected.message}` };
  const { state, ...said } = placementOn(judgement, { node: site.node, tell: 'first' });
  if (state === 'fits') return failureOf(pod, 'its pod fits') ?? { why: 'its pod fits and waits for the scheduler' };
  const leaving = leavingFor(pod, world);
  if (leaving.length === 0) return said;
  const rule = { plugin: '', text: 'its pod waits until preempted pods have left', pods: leaving };
  // What would help else is done already.
  const others = (said.rules ?? []).map((each) => ({ ...each, mend: '' }));
  return { rules: [rule, ...others] };
}

interface Counts {
  readonly runs: number;
  readonly outdated: number;
  readonly missing: number;
  readonly misplaced: number;
}

function countsOf(groups: readonly Group[]): Counts {
  const of = (wanted: string): number =>
    groups.reduce((sum, { state, names }) => sum + (state === wanted ? names.length : 0), 0);
  return {
    runs: of(states.runs),
    outdated: of(states.outdated),
    missing: of(states.missing),
    misplaced: of(states.misplaced),
  };
}

function summaryOf({ runs, outdated, missing }: Counts, node: string | undefined): string {
  if (node !== undefined) return runs + outdated > 0 ? `runs on node ${node}` : `does not run on node ${node}`;
  const wanted = runs + outdated + missing;
  if (wanted === 0) return 'should run on no node';
  const serving = runs + outdated;
  const old = outdated === 0 ? '' : `, on ${outdated} of them in an older revision`;
  return serving === wanted
    ? `runs on all ${counted(wanted, 'node')} that should run it${old}`
    : `runs on ${serving} of ${counted(wanted, 'node')} that should run it${old}`;
}

function causesOf(groups: readonly Group[], { daemonset, look }: Asking): readonly Cause[] {
  const { finding } = look;
  const going = goingCauses(daemonset);
  const blocked =
    finding === undefined
      ? []
      : [{ cause: `its rollout is held up (${finding.reason}): ${finding.message}`, mend: '' }];
  const backOff = conditionOf(daemonset.status?.conditions, backingOffType);
  const backingOff =
    backOff === undefined
      ? []
      : [
          {
            cause: backOff.message ?? backOff.type,
            mend: 'mend the template: a change of it begins without a back-off',
          },
        ];
  const missing = groups
    .filter(({ state }) => state === states.missing || state === states.misplaced)
    .map(({ names, why, mend }) => ({ cause: `${counted(names.length, 'node')}: ${why}`, mend }));
  // Those that wait for their turn wait for those that something can be done about.
  const waiting = groups
    .filter(({ state }) => state === states.outdated)
    .sort((a, b) => Number(a.mend === '') - Number(b.mend === ''))
    .map(({ names, why, mend }) => ({ cause: `${counted(names.length, 'node')}: ${why}`, mend }));
  return [...going, ...blocked, ...backingOff, ...missing, ...waiting];
}

function factsOf({ look }: Asking, { outdated }: Counts): Explanation['facts'] {
  const { rollout, step } = look;
  const isRolling = outdated > 0;
  return {
    desired: rollout.desired,
    ...(rollout.onDelete
      ? { updateStrategy: 'OnDelete' }
      : rollout.surges
        ? { maxSurge: rollout.maxSurge }
        : { maxUnavailable: rollout.maxUnavailable }),
    ...(isRolling && { inTheWay: step.inTheWay.length, waitingForTheirTurn: step.waiting }),
  };
}
