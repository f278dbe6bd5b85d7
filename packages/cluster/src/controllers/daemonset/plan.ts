import { conditionOf } from '../../api/conditions.ts';
import type { DaemonSet } from '../../api/generated/apps-v1.ts';
import { controllerrevisions, daemonsets, pods as podsType } from '../../api/generated/kinds.ts';
import { isEmptySelector } from '../../api/selector/selector.ts';
import { type Action, nothingToDo, type Plan } from '../../runtime/plan.ts';
import { createPod, deletePod, statusIfChanged } from '../../workloads/actions.ts';
import { claimActions } from '../../workloads/claim.ts';
import { sooner } from '../../workloads/phase.ts';
import { backingOffType, whyBackingOff } from './backing-off.ts';
import { blockedType, type Finding, whyBlocked, withFindings } from './blocked.ts';
import type { DaemonPod } from './daemon-pod.ts';
import { recalled } from './failed-pods.ts';
import { planCleanup, planHistory } from './history.ts';
import { type Managed, manage } from './manage.ts';
import type { Memory, Observed } from './observe.ts';
import { podBuilder } from './pod.ts';
import { replacements } from './rolling-update.ts';
import { type Rollout, rolloutOf, type Step } from './rollout.ts';
import type { Sites } from './sites.ts';
import { statusOf } from './status.ts';
import { surge } from './surge.ts';

/** At most so many creates, and so many deletes, in one plan; the rest follows when these have shown in the caches. */
const burstMin = 250;
/** Where nodes are very many, more is done at once: during a rollout each plan looks at all of them. */
const burstsPerFleet = 16;

/**
 * One look at one DaemonSet. A node's pods are put in order and, in the same plan, the rollout goes on with what that
 * leaves; pods on their way count against the rollout's budget like any that do not serve.
 */
export function plan(observed: Observed, nowMs: number): Plan<Memory> {
  const { daemonset } = observed;
  const { uid, generation = 0, deletionTimestamp } = daemonset.metadata;
  if (deletionTimestamp !== undefined) return nothingToDo;
  if (isEmptySelector(daemonset.spec.selector)) return { actions: [selectsAll(daemonset)] };
  const { kept, backoffs, naming } = observed;
  const onBehalfOf = { type: daemonsets, object: daemonset };
  const claims = [
    ...claimActions(onBehalfOf, { type: podsType, claims: kept.claims() }),
    ...claimActions(onBehalfOf, { type: controllerrevisions, claims: observed.revisions }),
  ];
  const history = planHistory(daemonset, { pods: kept.claimed, revisions: observed.revisions.claimed, naming });
  if (history.relabels) return { actions: [...claims, ...history.actions], memory: { kept, backoffs } };

  const { sites, rollout, managed, step, finding } = lookAt(observed, { hash: history.hash, nowMs });
  const findings = { [blockedType]: finding, [backingOffType]: whyBackingOff(managed.backingOff) };
  const conditions = withFindings(daemonset, { findings, nowMs });
  const status = statusOf(daemonset, { sites, rollout, collisionCount: history.collisionCount, conditions });
  return {
    actions: [
      ...claims,
      ...history.actions,
      ...podActions(daemonset, { hash: history.hash, step, managed, nodes: sites.size }),
      ...planCleanup(daemonset, { previous: history.previous, pods: kept.claimed }),
      ...statusIfChanged(daemonsets, { object: daemonset, status }),
    ],
    againInMs: sooner(managed.againInMs, sites.soonestAvailableInMs(nowMs)),
    memory: { kept, backoffs: managed.backoffs.size === 0 ? undefined : { uid, generation, byNode: managed.backoffs } },
  };
}

/** What a DaemonSet comes to on its nodes, before anything follows from it. */
export interface Look {
  readonly sites: Sites;
  readonly rollout: Rollout;
  readonly managed: Managed;
  readonly step: Step;
  /** Why the rollout will not go on by itself. */
  readonly finding: Finding | undefined;
}

/** `hash`: what pods of the template carry. */
export function lookAt(observed: Observed, { hash, nowMs }: { readonly hash: string; readonly nowMs: number }): Look {
  const { daemonset } = observed;
  const { uid, generation = 0 } = daemonset.metadata;
  const { sites } = observed.kept;
  const rollout = rolloutOf(daemonset, { tally: sites.tally, hash, nowMs });
  const backoffs = recalled(observed.backoffs, { uid, generation, nowMs });
  const managed = manage(daemonset, sites, { rollout, backoffs });
  const step = rollOn(daemonset, { sites, rollout, removed: managed.remove });
  return { sites, rollout, managed, step, finding: blockedBy(observed, { step, rollout }) };
}

interface PodActing {
  readonly hash: string;
  readonly step: Step;
  readonly managed: Managed;
  /** How many there are. */
  readonly nodes: number;
}

function podActions(daemonset: DaemonSet, { hash, step, managed, nodes }: PodActing): readonly Action[] {
  const build = podBuilder(daemonset, hash);
  const burst = Math.max(burstMin, Math.ceil(nodes / burstsPerFleet));
  const create = [...managed.create, ...step.create].slice(0, burst);
  const remove = [...managed.remove, ...step.remove].slice(0, burst);
  return [
    ...managed.events,
    ...create.map((node) => createPod(daemonset, build(node))),
    ...remove.map(({ pod }) => deletePod(daemonset, pod)),
  ];
}

const noStep: Step = Object.freeze({ create: [], remove: [], inTheWay: [], waiting: 0 });

function rollOn(
  { status }: DaemonSet,
  { sites, ...options }: { readonly sites: Sites; readonly rollout: Rollout; readonly removed: ReadonlySet<DaemonPod> },
): Step {
  const { onDelete, surges, hash } = options.rollout;
  if (onDelete) return noStep;
  // What has blocked a rollout may still do so when all pods have been replaced.
  const isThrough = conditionOf(status?.conditions, blockedType) === undefined && sites.tally.isAll(hash);
  if (isThrough) return noStep;
  const rolling = sites.rolling(options.rollout);
  return surges ? surge(rolling, options) : replacements(rolling, options);
}

function blockedBy(
  { nodes }: Observed,
  { step, rollout }: { readonly step: Step; readonly rollout: Rollout },
): Finding | undefined {
  if (step.create.length + step.remove.length > 0) return undefined;
  const budget = rollout.surges ? rollout.maxSurge : rollout.maxUnavailable;
  return whyBlocked({ ...step, budget }, nodes);
}

function selectsAll(daemonset: DaemonSet): Action {
  return {
    do: 'emit',
    regarding: daemonset,
    type: 'Warning',
    reason: 'SelectingAll',
    note: 'This daemon set is selecting all pods. A non-empty selector is required.',
  };
}
