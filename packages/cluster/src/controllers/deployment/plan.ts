import type { Deployment, ReplicaSet } from '../../api/generated/apps-v1.ts';
import { deployments, replicasets } from '../../api/generated/kinds.ts';
import { isEmptySelector } from '../../api/selector/selector.ts';
import type { Action, Plan } from '../../runtime/plan.ts';
import { statusIfChanged } from '../../workloads/actions.ts';
import { claimActions } from '../../workloads/claim.ts';
import { revisionAnnotation, revisionOf } from './annotations.ts';
import { type Budget, budgetOf, isRecreate } from './budget.ts';
import { planCleanup } from './cleanup.ts';
import { type Generations, generationsOf, newGeneration, sizeOf } from './generations.ts';
import type { Memory, Observed } from './observe.ts';
import { deadlineInMs, isComplete, pausedOrResumed, progressed } from './progress.ts';
import { resize, type Sizes } from './resize.ts';
import { currentSize, rollingSizes } from './rolling-update.ts';
import { active, isScaled, scaledSizes } from './scale.ts';
import { countsOf, withAvailability, withFailure } from './status.ts';

/** What to do with the generations in this pass. */
export interface Step {
  readonly sizes: Sizes;
  /** Set: the template's ReplicaSet has to be made, this large. */
  readonly createSize?: number;
  /** Whether the rollout goes on, so that its progress is judged. */
  readonly rolls: boolean;
}

export interface Facts {
  readonly observed: Observed;
  readonly generations: Generations;
  readonly budget: Budget;
}

/** Upstream's order: a change of size first, by itself; then one step of the rollout. */
export function plan(observed: Observed, nowMs: number): Plan<Memory> {
  const { deployment } = observed;
  if (isEmptySelector(deployment.spec.selector)) return { actions: selectsAll(deployment) };
  const facts = factsOf(observed);
  const { generations, budget } = facts;
  if (deployment.metadata.deletionTimestamp !== undefined)
    return { actions: judged(facts, { step: idle, nowMs }).actions };
  const step = nextStep(facts);
  const { current, revision } = generations;
  const { actions, againInMs } = judged(facts, { step, nowMs });
  const created = creation(facts, step.createSize);
  // That it was made is told once it was.
  const isTold = created.length > 0 && observed.refusal === undefined;
  return {
    actions: [
      ...claimActions({ type: deployments, object: deployment }, { type: replicasets, claims: observed.replicasets }),
      ...(isTold ? [{ do: 'inOrder', actions: [...created, ...actions] } as const] : created),
      ...resize(deployment, { budget, sizes: step.sizes, current, revision }),
      ...cleanup(facts, step),
      ...(isTold ? [] : actions),
      ...numbered(deployment, { current, revision }),
    ],
    againInMs,
  };
}

export function factsOf(observed: Observed): Facts {
  const { deployment, replicasets: claims } = observed;
  return { observed, generations: generationsOf(deployment, claims.claimed), budget: budgetOf(deployment) };
}

const idle: Step = { sizes: new Map(), rolls: false };

export function nextStep({ observed, generations, budget }: Facts): Step {
  const { deployment, oldPodsRun } = observed;
  if (deployment.spec.paused === true || isScaled(generations, budget))
    return { sizes: scaledSizes(deployment, { generations, budget }), rolls: false };
  const { current, old } = generations;
  if (!isRecreate(deployment.spec)) {
    const createSize = currentSize(0, { old, budget });
    return current === undefined
      ? { sizes: new Map(), createSize, rolls: true }
      : { sizes: rollingSizes(generations, budget), rolls: true };
  }
  const running = active(undefined, old);
  if (running.length > 0) return { sizes: new Map(running.map((replicaset) => [replicaset, 0])), rolls: true };
  if (oldPodsRun) return { sizes: new Map(), rolls: true };
  if (current === undefined) return { sizes: new Map(), createSize: budget.replicas, rolls: true };
  const isSized = sizeOf(current) === budget.replicas;
  return { sizes: isSized ? new Map() : new Map([[current, budget.replicas]]), rolls: true };
}

function creation({ observed, generations, budget }: Facts, replicas: number | undefined): readonly Action[] {
  if (replicas === undefined) return [];
  const { deployment, naming } = observed;
  const object = newGeneration(deployment, { naming, revision: generations.revision, replicas, budget });
  const done = { reason: 'ScalingReplicaSet', note: `Scaled up replica set {name} from 0 to ${replicas}` };
  const failed = {
    reason: 'ReplicaSetCreateError',
    note: `Failed to create new replica set "${naming.name}": {error}`,
  };
  const announce = { regarding: deployment, failed, ...(replicas > 0 && { done }) };
  return [{ do: 'create', type: replicasets, object, announce }];
}

/** Status and when to look again. */
function judged(
  { observed, generations, budget }: Facts,
  { step, nowMs }: { readonly step: Step; readonly nowMs: number },
): { readonly actions: readonly Action[]; readonly againInMs: number | undefined } {
  const { deployment, naming } = observed;
  const isNew = step.createSize !== undefined;
  const collisions = isNew && naming.collisionCount > 0 ? naming.collisionCount : undefined;
  const collisionCount = collisions ?? deployment.status?.collisionCount;
  const counts = countsOf(deployment, { generations, collisionCount });
  const given = pausedOrResumed(deployment, deployment.status?.conditions ?? [], nowMs);
  const served = withAvailability(given, { counts, budget, nowMs });
  const created = isNew ? naming.name : undefined;
  const { current } = generations;
  const conditions = step.rolls
    ? withFailure(progressed(deployment, served, { counts, current, created, refusal: observed.refusal, nowMs }), {
        generations,
        nowMs,
      })
    : served;
  const status = { ...counts, ...(conditions.length > 0 && { conditions }) };
  return {
    actions: statusIfChanged(deployments, { object: deployment, status }),
    againInMs: deadlineInMs(deployment, conditions, nowMs),
  };
}

function cleanup({ observed, generations }: Facts, { rolls }: Step): readonly Action[] {
  const { deployment } = observed;
  const counts = countsOf(deployment, { generations, collisionCount: undefined });
  const isTime = rolls ? isComplete(deployment, counts) : deployment.spec.paused === true;
  return isTime ? planCleanup(deployment, generations.old) : [];
}

/**
 * The Deployment carries the number of its current ReplicaSet. Comes after the status, which wants the version seen, and by
 * its door: that makes no new generation.
 */
function numbered(
  deployment: Deployment,
  { current, revision }: { readonly current: ReplicaSet | undefined; readonly revision: bigint },
): readonly Action[] {
  if (current === undefined) return [];
  const before = revisionOf(current);
  const wanted = String(before < revision ? revision : before);
  if (deployment.metadata.annotations?.[revisionAnnotation] === wanted) return [];
  const body = { metadata: { annotations: { [revisionAnnotation]: wanted } } };
  return [{ do: 'patch', type: deployments, target: deployment, patchType: 'merge', body, subresource: 'status' }];
}

function selectsAll(deployment: Deployment): readonly Action[] {
  const { generation } = deployment.metadata;
  const status = { ...deployment.status, ...(generation !== undefined && { observedGeneration: generation }) };
  return [
    {
      do: 'emit',
      regarding: deployment,
      type: 'Warning',
      reason: 'SelectingAll',
      note: 'This deployment is selecting all pods. A non-empty selector is required.',
    },
    ...statusIfChanged(deployments, { object: deployment, status }),
  ];
}
