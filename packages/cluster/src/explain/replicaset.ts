import { conditionOf } from '../api/conditions.ts';
import type { ReplicaSet } from '../api/generated/apps-v1.ts';
import { deployments, pods as podsType } from '../api/generated/kinds.ts';
import { isOfKind } from '../api/gvk.ts';
import { controllerOf } from '../api/meta.ts';
import { counted } from '../base/counted.ts';
import { observe as observeDeployment } from '../controllers/deployment/observe.ts';
import { factsOf as deploymentFacts } from '../controllers/deployment/plan.ts';
import { observe } from '../controllers/replicaset/controller.ts';
import { type Observed, wantedReplicas } from '../controllers/replicaset/plan.ts';
import { observe as observeReplicationController } from '../controllers/replicaset/replicationcontroller.ts';
import { statusOf } from '../controllers/replicaset/status.ts';
import { isPodActive, podAvailable } from '../resources/core/pod/facts.ts';
import { explainDeployment } from './deployment.ts';
import type { Cause, Explanation } from './explanation.ts';
import { goingCauses } from './going.ts';
import { noneWanted } from './groups.ts';
import { notYetAvailable, podCauses, podGroups } from './pods.ts';
import { refusalMend } from './refusals.ts';
import type { ExplainWorld, Subject } from './world.ts';

/** Why it has fewer pods than it should, what they wait for, and what its Deployment has to do with it. */
export function explainReplicaSet(
  { namespace = '', name }: Subject,
  { world }: { readonly world: ExplainWorld },
): Explanation | undefined {
  const observed = observe(`${namespace}/${name}`, world.caches, undefined);
  return observed && explainReplicas(observed, { kind: 'ReplicaSet', world });
}

/** The same of a ReplicationController, which has no Deployment behind it. */
export function explainReplicationController(
  { namespace = '', name }: Subject,
  { world }: { readonly world: ExplainWorld },
): Explanation | undefined {
  const observed = observeReplicationController(`${namespace}/${name}`, world.caches, undefined);
  return observed && explainReplicas(observed, { kind: 'ReplicationController', world });
}

function explainReplicas(
  observed: Observed,
  { kind, world }: { readonly kind: string; readonly world: ExplainWorld },
): Explanation {
  const { replicaset } = observed;
  const { namespace = '', name } = replicaset.metadata;
  const { minReadySeconds = 0 } = replicaset.spec;
  // Those that have ended are nobody's business any more, but people ask about them.
  const pods = world.caches.of(podsType).ownedBy(replicaset.metadata.uid);
  const active = observed.pods.claimed.filter(isPodActive);
  const counts = statusOf(replicaset, { active, refusal: undefined, nowMs: world.nowMs });
  const wanted = wantedReplicas(replicaset);
  const { readyReplicas: ready = 0, availableReplicas: available = 0 } = counts;
  const owner = ownerOf(replicaset, world);
  const isSettled =
    active.length === wanted &&
    available === wanted &&
    replicaset.metadata.deletionTimestamp === undefined &&
    (owner?.leaves.length ?? 0) === 0;
  const groups = podGroups(pods, {
    world,
    also: (pod) => (podAvailable(pod, minReadySeconds, world.nowMs) ? undefined : notYetAvailable),
  });
  const own = ownCauses(replicaset, { active: active.length, wanted });
  return {
    subject: { kind, namespace, name },
    outcome: isSettled ? 'settled' : 'waits',
    summary: summaryOf({ wanted, active: active.length, available }),
    causes: isSettled ? [] : [...own, ...podCauses(groups), ...(owner?.leaves ?? [])],
    facts: {
      replicas: wanted,
      pods: active.length,
      ready,
      available,
      ...(minReadySeconds > 0 && { minReadySeconds }),
      ...owner?.facts,
    },
    groups,
  };
}

function summaryOf({
  wanted,
  active,
  available,
}: {
  readonly wanted: number;
  readonly active: number;
  readonly available: number;
}): string {
  if (wanted === 0 && active === 0) return noneWanted;
  if (active === wanted && available === wanted) return `has all of its ${counted(wanted, 'pod')} available`;
  return `has ${active} of ${counted(wanted, 'pod')}, ${available} available`;
}

function ownCauses(
  replicaset: ReplicaSet,
  { active, wanted }: { readonly active: number; readonly wanted: number },
): readonly Cause[] {
  const { metadata, status } = replicaset;
  if (metadata.deletionTimestamp !== undefined) return goingCauses(replicaset);
  if (active === wanted) return [];
  const failure = conditionOf(status?.conditions, 'ReplicaFailure');
  if (failure?.status === 'True' && failure.message !== undefined) {
    const what = active < wanted ? 'cannot make its pods' : 'cannot delete pods that are too many';
    return [{ cause: `it ${what}: ${failure.message}`, mend: refusalMend(failure.message) }];
  }
  const off = Math.abs(wanted - active);
  const what = active < wanted ? `${counted(off, 'pod')} to make` : `${counted(off, 'pod')} too many to delete`;
  return [{ cause: `its controller has ${what}`, mend: '' }];
}

interface Owner {
  readonly facts: Explanation['facts'];
  /** Why its Deployment leaves pods to one that is not its current revision. */
  readonly leaves: readonly Cause[];
}

/** A Deployment decides how many pods it has. */
function ownerOf(replicaset: ReplicaSet, world: ExplainWorld): Owner | undefined {
  const owner = controllerOf(replicaset);
  if (owner === undefined) return undefined;
  const { namespace = '', name, annotations } = replicaset.metadata;
  if (!isOfKind(owner, deployments)) return { facts: { controller: `${owner.kind} ${owner.name}` }, leaves: [] };
  const observed = observeDeployment(`${namespace}/${owner.name}`, world.caches);
  if (observed === undefined || observed.deployment.metadata.uid !== owner.uid)
    return { facts: { deployment: `${owner.name} (gone)` }, leaves: [] };
  const isCurrent = deploymentFacts(observed).generations.current?.metadata.name === name;
  const revision = annotations?.['deployment.kubernetes.io/revision'];
  const facts = {
    deployment: owner.name,
    ...(revision !== undefined && { revision }),
    role: isCurrent ? 'current revision' : 'older revision',
  };
  if (isCurrent || wantedReplicas(replicaset) === 0) return { facts, leaves: [] };
  const { causes = [] } = explainDeployment({ type: deployments, namespace, name: owner.name }, { world }) ?? {};
  return {
    facts,
    leaves: [
      { cause: `it is an older revision, to which Deployment ${owner.name} leaves pods`, mend: '' },
      ...causes.map(({ cause, mend }) => ({ cause: `Deployment ${owner.name}: ${cause}`, mend })),
    ],
  };
}
