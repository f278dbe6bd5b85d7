import type { StatefulSet } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { controllerrevisions, pods as podsType, statefulsets } from '../../api/generated/kinds.ts';
import { isEmptySelector } from '../../api/selector/selector.ts';
import type { Action, Plan } from '../../runtime/plan.ts';
import { nothingToDo } from '../../runtime/plan.ts';
import { statusIfChanged } from '../../workloads/actions.ts';
import { claimActions } from '../../workloads/claim.ts';
import { nextAvailableInMs } from '../../workloads/phase.ts';
import { deleteReplica } from './actions.ts';
import { type History, planCleanup, planHistory } from './history.ts';
import { firstOrdinal, type Version } from './identity.ts';
import type { Observed } from './observe.ts';
import { type Replicas, replicasOf } from './replicas.ts';
import { outdatedToReplace } from './rolling-update.ts';
import { type Scaled, scale } from './scale.ts';
import { statusOf } from './status.ts';

export function plan(observed: Observed, nowMs: number): Plan {
  const { set } = observed;
  if (isEmptySelector(set.spec.selector)) return nothingToDo;
  const pods = observed.pods.claimed;
  const revisions = observed.revisions.claimed;
  const history = planHistory(set, { revisions, naming: observed.naming });
  const status = statusIfChanged(statefulsets, { object: set, status: statusOf(set, { pods, history, nowMs }) });
  if (set.metadata.deletionTimestamp !== undefined) return { actions: status };
  const { minReadySeconds = 0 } = set.spec;
  return {
    actions: [
      ...claimActions({ type: statefulsets, object: set }, { type: podsType, claims: observed.pods }),
      ...claimActions({ type: statefulsets, object: set }, { type: controllerrevisions, claims: observed.revisions }),
      ...history.actions,
      ...replicaActions(observed, { history, minReadySeconds, nowMs }),
      ...planCleanup(set, { history, revisions, pods }),
      ...status,
    ],
    againInMs: nextAvailableInMs(pods, { minReadySeconds, nowMs }),
  };
}

function replicaActions(observed: Observed, looking: Looking): readonly Action[] {
  const { scaled, outdated } = lookAt(observed, looking);
  if (scaled.waits) return scaled.actions;
  const going = new Set(scaled.actions.map((action) => (action.do === 'delete' ? action.target : undefined)));
  const others = outdated.filter((pod) => !going.has(pod));
  return [...scaled.actions, ...others.map((pod) => deleteReplica(observed.set, pod))];
}

export interface Looking {
  readonly history: History;
  readonly minReadySeconds: number;
  readonly nowMs: number;
}

/** What a set comes to: its places, the next step towards its size, and when that is reached towards its revision. */
export interface Look {
  readonly replicas: Replicas;
  readonly scaled: Scaled;
  /** What is replaced next, once the size is right. */
  readonly outdated: readonly Pod[];
  /** Which version a pod gets that is made for an ordinal now. */
  readonly versionOf: (ordinal: number) => Version;
}

export function lookAt({ set, pods, volumeClaims }: Observed, { history, minReadySeconds, nowMs }: Looking): Look {
  const replicas = replicasOf(set, pods.claimed);
  const versionOf = (ordinal: number): Version => versionFor(set, { ordinal, history });
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  const scaled = scale(replicas, {
    set,
    claims: volumeClaims,
    versionOf,
    course: type === 'OnDelete' ? undefined : { current: history.current.name, update: history.update.name },
    partition: rollingUpdate?.partition ?? 0,
    minReadySeconds,
    nowMs,
  });
  const { slots } = replicas;
  const revision = history.update.name;
  const outdated = scaled.waits ? [] : outdatedToReplace(set, { slots, revision, minReadySeconds, nowMs });
  return { replicas, scaled, outdated, versionOf };
}

/** Below the partition a pod comes back as it was. */
function versionFor(
  set: StatefulSet,
  { ordinal, history }: { readonly ordinal: number; readonly history: History },
): Version {
  const { updateStrategy } = set.spec;
  if (updateStrategy?.type === 'OnDelete') return history.update;
  const { rollingUpdate } = updateStrategy ?? {};
  const kept = rollingUpdate === undefined ? (set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0);
  return ordinal < firstOrdinal(set) + kept ? history.current : history.update;
}
