import { conditionOf } from '../api/conditions.ts';
import type { Deployment, ReplicaSet } from '../api/generated/apps-v1.ts';
import { pods as podsType } from '../api/generated/kinds.ts';
import { agreeing, counted } from '../base/counted.ts';
import { formatDuration } from '../base/duration.ts';
import { isRecreate } from '../controllers/deployment/budget.ts';
import { sizeOf, totalSize } from '../controllers/deployment/generations.ts';
import { observe } from '../controllers/deployment/observe.ts';
import { type Facts, factsOf, nextStep } from '../controllers/deployment/plan.ts';
import { deadlineInMs, isComplete } from '../controllers/deployment/progress.ts';
import { countsOf } from '../controllers/deployment/status.ts';
import { podAvailable } from '../resources/core/pod/facts.ts';
import type { Cause, Explanation } from './explanation.ts';
import { goingCauses } from './going.ts';
import { noneWanted } from './groups.ts';
import { inNamespace } from './in-namespace.ts';
import { notYetAvailable, podCauses, podGroups } from './pods.ts';
import { refusalMend } from './refusals.ts';
import { toldOf } from './told.ts';
import type { ExplainWorld, Subject } from './world.ts';

/** Why its rollout waits: by the budgets of its controller, what was refused, and what its pods wait for. */
export function explainDeployment(
  { namespace = '', name }: Subject,
  { world }: { readonly world: ExplainWorld },
): Explanation | undefined {
  const observed = observe(`${namespace}/${name}`, world.caches);
  if (observed === undefined) return undefined;
  const { deployment } = observed;
  const facts = factsOf(observed);
  const counts = countsOf(deployment, { generations: facts.generations, collisionCount: undefined });
  const asking: Asking = { facts, deployment, world };
  const isSettled = isComplete(deployment, counts) && deployment.metadata.deletionTimestamp === undefined;
  const { minReadySeconds = 0 } = deployment.spec;
  const { current, old } = facts.generations;
  const pods = [...old, ...(current === undefined ? [] : [current])].flatMap(({ metadata }) =>
    world.caches.of(podsType).ownedBy(metadata.uid),
  );
  const groups = podGroups(pods, {
    world,
    also: (pod) => (podAvailable(pod, minReadySeconds, world.nowMs) ? undefined : notYetAvailable),
  });
  const { replicas } = facts.budget;
  const { updatedReplicas: updated = 0, availableReplicas: available = 0 } = counts;
  return {
    subject: { kind: 'Deployment', namespace, name },
    outcome: isSettled ? 'settled' : 'waits',
    summary: isSettled
      ? replicas === 0
        ? noneWanted
        : `has all of its ${counted(replicas, 'replica')} up to date and available`
      : `has ${updated} of ${counted(replicas, 'replica')} up to date, ${available} available`,
    causes: isSettled ? [] : [...causesOf(asking), ...podCauses(groups), ...lateCauses(asking)],
    facts: numbers(asking),
    groups,
  };
}

interface Asking {
  readonly facts: Facts;
  readonly deployment: Deployment;
  readonly world: ExplainWorld;
}

function causesOf(asking: Asking): readonly Cause[] {
  const { deployment } = asking;
  const { metadata, spec } = deployment;
  const causes = goingCauses(deployment);
  if (spec.paused !== true) return [...causes, ...refusals(asking), ...stepCauses(asking)];
  const mend = `kubectl rollout resume deployment ${metadata.name}${inNamespace(metadata)}`;
  return [...causes, { cause: 'its rollout is paused', mend }, ...refusals(asking)];
}

/** That it takes too long is told last: it comes of what its pods wait for. */
function lateCauses({ facts, deployment }: Asking): readonly Cause[] {
  const { metadata, spec, status } = deployment;
  const progressing = conditionOf(status?.conditions, 'Progressing');
  if (progressing?.reason !== 'ProgressDeadlineExceeded') return [];
  const back = `, or go back: kubectl rollout undo deployment ${metadata.name}${inNamespace(metadata)}`;
  return [
    {
      cause: `it has made no progress for more than ${spec.progressDeadlineSeconds}s: ${progressing.message ?? ''}`,
      mend: `mend what its pods wait for${facts.generations.old.length > 0 ? back : ''}`,
    },
  ];
}

/** What its ReplicaSets could not do: a quota, a policy, a webhook says no. */
function refusals({ facts, world }: Asking): readonly Cause[] {
  const { current, old } = facts.generations;
  return [...(current === undefined ? [] : [current]), ...old].flatMap((replicaset) => {
    const message = failureOf(replicaset);
    if (
      message === undefined ||
      world.caches.of(podsType).ownedBy(replicaset.metadata.uid).length >= sizeOf(replicaset)
    )
      return [];
    const cause = `ReplicaSet ${replicaset.metadata.name} cannot make its pods: ${message}`;
    return [{ cause, mend: refusalMend(message) }];
  });
}

function failureOf({ status }: ReplicaSet): string | undefined {
  const failure = conditionOf(status?.conditions, 'ReplicaFailure');
  return failure?.status === 'True' ? failure.message : undefined;
}

/** Why the controller does not take another step now. */
function stepCauses({ facts, deployment, world }: Asking): readonly Cause[] {
  const { observed, generations, budget } = facts;
  const step = nextStep(facts);
  if (!step.rolls) return [];
  if (isRecreate(deployment.spec) && observed.oldPodsRun)
    return [{ cause: 'its strategy is Recreate: all old pods have to end before new ones are made', mend: '' }];
  if (step.createSize !== undefined) {
    const told = toldOf(deployment, { world, reasons: ['ReplicaSetCreateError'] });
    return [{ cause: told ?? 'the ReplicaSet of its template is not made yet', mend: '' }];
  }
  const { current, old } = generations;
  const left = totalSize(old);
  if (current === undefined || left === 0) return [];
  if (step.sizes.size > 0) return [{ cause: 'its controller is about to take the next step', mend: '' }];
  const serving = current.status?.availableReplicas ?? 0;
  const waiting = sizeOf(current) - serving;
  const allowed = `maxUnavailable ${budget.maxUnavailable} and maxSurge ${budget.maxSurge} allow no more`;
  return [
    {
      cause: `${counted(left, 'old pod')} ${agreeing(left, 'stays')} until new ones serve: ${waiting} of ${counted(sizeOf(current), 'new pod')} ${agreeing(waiting, 'does')} not yet, and ${allowed}`,
      mend: '',
    },
  ];
}

function numbers({ facts, deployment, world }: Asking): Explanation['facts'] {
  const { budget, generations } = facts;
  const { status, spec } = deployment;
  const { minReadySeconds = 0 } = spec;
  const leftMs = deadlineInMs(deployment, status?.conditions ?? [], world.nowMs);
  return {
    replicas: budget.replicas,
    updated: status?.updatedReplicas ?? 0,
    ready: status?.readyReplicas ?? 0,
    available: status?.availableReplicas ?? 0,
    ...(isRecreate(spec)
      ? { strategy: 'Recreate' }
      : { maxUnavailable: budget.maxUnavailable, maxSurge: budget.maxSurge }),
    ...(minReadySeconds > 0 && { minReadySeconds }),
    ...(generations.current !== undefined && { replicaSet: generations.current.metadata.name }),
    ...(spec.paused === true && { paused: true }),
    ...(leftMs !== undefined && { progressDeadlineIn: formatDuration(leftMs) }),
  };
}
