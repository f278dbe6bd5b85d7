import type { Pod } from '../api/generated/core-v1.ts';
import { keyOf } from '../api/meta.ts';
import { agreeing, counted } from '../base/counted.ts';
import { planHistory } from '../controllers/statefulset/history.ts';
import {
  claimNames,
  firstOrdinal,
  ordinalOf,
  podName,
  revisionOf,
  wantedReplicas,
} from '../controllers/statefulset/identity.ts';
import { type Observed, observe } from '../controllers/statefulset/observe.ts';
import { type Look, lookAt } from '../controllers/statefulset/plan.ts';
import { isServing, type Slot } from '../controllers/statefulset/replicas.ts';
import { isStale } from '../controllers/statefulset/retention.ts';
import { outdatedInReach, unavailableMax } from '../controllers/statefulset/rolling-update.ts';
import { isTerminating } from '../workloads/phase.ts';
import { whyClaimWaits } from './claims.ts';
import type { Cause, Explanation, Group } from './explanation.ts';
import { goingCauses } from './going.ts';
import { grouped, namesOf, naming, noneWanted, type Said } from './groups.ts';
import { inNamespace } from './in-namespace.ts';
import { podState } from './pod-state.ts';
import { inWords, namingNode, notYetAvailable, podCauses } from './pods.ts';
import { refusalMend } from './refusals.ts';
import { toldOf } from './told.ts';
import type { ExplainWorld, Subject } from './world.ts';

/** Which ordinal the others wait for, which stay at their revision, which claims have no volume. */
export function explainStatefulSet(
  { namespace = '', name }: Subject,
  { world }: { readonly world: ExplainWorld },
): Explanation | undefined {
  const { caches, nowMs } = world;
  const observed = observe(`${namespace}/${name}`, caches);
  if (observed === undefined) return undefined;
  const { set } = observed;
  const { minReadySeconds = 0 } = set.spec;
  const history = planHistory(set, { revisions: observed.revisions.claimed, naming: observed.naming });
  const look = lookAt(observed, { history, minReadySeconds, nowMs });
  const asking: Asking = { observed, look, revision: history.update.name, world };
  const { slots, condemned } = look.replicas;
  const items = [...slots, ...condemned].map((slot) => ({
    name: `${namespace}/${podName(set, slot.ordinal)}`,
    node: slot.pod?.spec.nodeName ?? '',
    said: slotSaid(slot, asking),
  }));
  const nodes = new Map(items.map((item) => [item.name, item.node]));
  const pods = grouped('pod', items).map((group) => namingNode(group, nodes));
  const serving = slots.filter(({ pod }) => isServing(pod, { minReadySeconds, nowMs })).length;
  const groups = [...pods, ...claimGroups(asking)];
  const isSettled = groups.every(isCalm) && set.metadata.deletionTimestamp === undefined;
  const wanted = wantedReplicas(set);
  return {
    subject: { kind: 'StatefulSet', namespace, name },
    outcome: isSettled ? 'settled' : 'waits',
    summary:
      wanted === 0
        ? isSettled
          ? noneWanted
          : `is to have no pods, and has ${items.length}`
        : `has ${serving === wanted ? 'all' : serving} of its ${counted(wanted, 'replica')} serving`,
    causes: isSettled ? [] : withClaims([...causesOf(asking), ...besides(asking, groups)], groups),
    facts: numbers(asking),
    groups,
  };
}

interface Asking {
  readonly observed: Observed;
  readonly look: Look;
  /** Name of the revision that it goes to. */
  readonly revision: string;
  readonly world: ExplainWorld;
}

const kept = 'ready, kept at its revision';
const outdated = 'ready, outdated';
const calm = ['ready', 'is bound', kept];

/** A claim that somebody has deleted serves for as long as its pod is there, and nothing waits for it. */
function isCalm({ of, state }: Group): boolean {
  return calm.includes(state) || (of === 'claim' && state === 'is going');
}

function slotSaid({ ordinal, pod }: Slot, asking: Asking): Said {
  const { observed, look, revision, world } = asking;
  const { set } = observed;
  if (pod === undefined) return missing(ordinal, asking);
  const said = podState(pod, world);
  if (look.replicas.condemned.some((slot) => slot.ordinal === ordinal) && said.state !== 'is going')
    return { state: 'has to go', why: `its ordinal is outside of the ${counted(wantedReplicas(set), 'replica')}` };
  if (said.state !== 'ready') return { ...said, ...deletion({ ordinal, pod }, asking) };
  const { minReadySeconds = 0 } = set.spec;
  if (!isServing(pod, { minReadySeconds, nowMs: world.nowMs })) return notYetAvailable;
  if (revisionOf(pod) === revision) return said;
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type === 'OnDelete')
    return {
      state: outdated,
      why: 'its strategy is OnDelete',
      mend: `a new one is made when the old one is gone; one after the other: kubectl delete pod ${podName(set, ordinal)}${inNamespace(set.metadata)}`,
    };
  const { partition = 0 } = rollingUpdate ?? {};
  return ordinal - firstOrdinal(set) < partition
    ? { state: kept, why: `its ordinal is below the partition ${partition}` }
    : { state: outdated, why: turnOf(asking) };
}

/** Why the next pod is not replaced yet. */
function turnOf({ observed: { set }, look, world: { nowMs } }: Asking): string {
  const turn = 'replaced from the highest ordinal down';
  const { minReadySeconds = 0 } = set.spec;
  const away = look.replicas.slots.filter(({ pod }) => !isServing(pod, { minReadySeconds, nowMs }));
  if (look.outdated.length > 0 || away.length === 0) return turn;
  const who = namesOf(away.map(({ ordinal }) => podName(set, ordinal)));
  return look.scaled.waitsFor === undefined
    ? `${turn}: ${who} ${agreeing(away.length, 'does')} not serve, and maxUnavailable is ${unavailableMax(set)}`
    : `${turn}, once ${who} ${agreeing(away.length, 'serves')}`;
}

function missing(ordinal: number, { observed, look, world }: Asking): Said {
  const { set, volumeClaims } = observed;
  const claims = claimNames(set, ordinal).flatMap((name) => volumeClaims.get(name) ?? []);
  const going = claims.find(({ metadata }) => metadata.deletionTimestamp !== undefined);
  if (going !== undefined)
    return { state: 'is missing', why: `its claim ${going.metadata.name} is being deleted, and has to be gone first` };
  if (claims.some((claim) => isStale(claim, { set, podName: podName(set, ordinal) })))
    return { state: 'is missing', why: 'the claim of its predecessor has to be collected first' };
  const { waitsFor } = look.scaled;
  if (waitsFor !== undefined && waitsFor.ordinal < ordinal)
    return { state: 'is missing', why: `${podName(set, waitsFor.ordinal)} has to serve first` };
  const told = toldOf(set, { world, reasons: ['FailedCreate'] });
  return { state: 'is missing', why: told ?? 'it is not made yet', mend: told === undefined ? '' : refusalMend(told) };
}

function causesOf(asking: Asking): readonly Cause[] {
  const { observed, look, world } = asking;
  const { set } = observed;
  const going = goingCauses(set);
  const slot = look.scaled.waitsFor;
  if (slot === undefined) return going;
  const { pod, ordinal } = slot;
  const name = podName(set, ordinal);
  if (pod === undefined) return [...going, unmade(name, { set, world })];
  const waiting = waitingFor(slot, asking);
  if (waiting.length === 0) return going;
  const own = podState(pod, world);
  const said = own.state === 'ready' ? slotSaid(slot, asking) : { ...own, ...deletion({ ordinal, pod }, asking) };
  const { slots, condemned } = look.replicas;
  const isForAll = waiting.length === slots.length + condemned.length - 1;
  const who = isForAll ? 'all others' : namesOf(waiting.map((each) => podName(set, each)));
  const waits = isForAll ? 'wait' : agreeing(waiting.length, 'waits');
  const cause = `${who} ${waits} for ${name} (podManagementPolicy OrderedReady), which ${inWords(said, 1)}`;
  return [...going, { cause, mend: naming(said.mend ?? '', [pod.spec.nodeName ?? '']) }];
}

/** Ordinals for which its controller has something to do, once the pod of the slot serves or is gone. */
function waitingFor({ ordinal }: Slot, { observed: { set }, look, revision }: Asking): readonly number[] {
  const { slots, condemned } = look.replicas;
  const toReplace = new Set(outdatedInReach(set, { slots, revision }));
  const waits = ({ pod }: Slot): boolean => pod === undefined || toReplace.has(pod);
  const toGo = condemned.filter(({ pod }) => !isTerminating(pod));
  return [...slots.filter(waits), ...toGo].map((slot) => slot.ordinal).filter((each) => each !== ordinal);
}

/** Of a pod that is not going by itself, when another revision would come in its place. */
function deletion(
  { ordinal, pod }: Slot & { readonly pod: Pod },
  { observed: { set }, look }: Asking,
): Pick<Said, 'mend'> {
  const isOutside = look.replicas.condemned.some((slot) => slot.ordinal === ordinal);
  const isGoing = pod.metadata.deletionTimestamp !== undefined;
  if (isOutside || isGoing || look.versionOf(ordinal).name === revisionOf(pod)) return {};
  const command = `kubectl delete pod ${podName(set, ordinal)}${inNamespace(set.metadata)}`;
  return { mend: `it is of an older revision, and if its controller does not replace it: ${command}` };
}

function unmade(name: string, { set, world }: { readonly set: Observed['set']; readonly world: ExplainWorld }): Cause {
  const told = toldOf(set, { world, reasons: ['FailedCreate'] });
  return told === undefined
    ? { cause: `${name} has yet to be made`, mend: '' }
    : { cause: `${name} cannot be made: ${told}`, mend: refusalMend(told) };
}

/** What else keeps pods from serving, then what waits for them: the pod that is waited for is a cause already, and so are those that wait. */
function besides(asking: Asking, groups: readonly Group[]): readonly Cause[] {
  const { observed, look } = asking;
  const others = groups.filter((group) => !isCalm(group));
  const slot = look.scaled.waitsFor;
  if (slot === undefined || (slot.pod !== undefined && waitingFor(slot, asking).length === 0))
    return [
      ...podCauses(others.filter(({ state }) => state !== outdated)),
      ...podCauses(others.filter(({ state }) => state === outdated)),
    ];
  const { namespace } = observed.set.metadata;
  const awaited = `${namespace}/${podName(observed.set, slot.ordinal)}`;
  const waits = ['is missing', outdated, 'has to go'];
  return podCauses(
    others.filter(({ state, names }) => !waits.includes(state) && !(names.length === 1 && names[0] === awaited)),
  );
}

function claimGroups({ observed, world }: Asking): readonly Group[] {
  const claims = [...observed.volumeClaims.values()];
  return grouped(
    'claim',
    claims.map((claim) => ({ name: keyOf(claim), said: whyClaimWaits(keyOf(claim), world) ?? { state: 'is bound' } })),
  );
}

/** What a claim waits for is told of the pods that wait for it already, where they are told of. */
function withClaims(causes: readonly Cause[], groups: readonly Group[]): readonly Cause[] {
  const claims = groups
    .filter(({ of, state, why }) => of === 'claim' && state !== 'is bound' && !isTold(why, causes))
    .map(({ names, why, mend }) => ({
      cause: `${names.length === 1 ? 'claim' : 'claims'} ${namesOf(names)}: ${why}`,
      mend,
    }));
  return [...causes, ...claims];
}

function isTold(why: string, causes: readonly Cause[]): boolean {
  return why !== '' && causes.some(({ cause }) => cause.includes(`its claim: ${why}`));
}

function numbers({ observed }: Asking): Explanation['facts'] {
  const { set, pods } = observed;
  const { updateStrategy, podManagementPolicy, minReadySeconds = 0 } = set.spec;
  const { partition, maxUnavailable } = updateStrategy?.rollingUpdate ?? {};
  return {
    replicas: wantedReplicas(set),
    pods: pods.claimed.filter((pod) => ordinalOf(set, pod) !== undefined).length,
    ready: set.status?.readyReplicas ?? 0,
    updated: set.status?.updatedReplicas ?? 0,
    ...(podManagementPolicy !== undefined && { podManagementPolicy }),
    ...(updateStrategy?.type === 'OnDelete' && { updateStrategy: 'OnDelete' }),
    ...(partition !== undefined && partition > 0 && { partition }),
    ...(maxUnavailable !== undefined && { maxUnavailable }),
    ...(minReadySeconds > 0 && { minReadySeconds }),
    ...(firstOrdinal(set) > 0 && { firstOrdinal: firstOrdinal(set) }),
  };
}
