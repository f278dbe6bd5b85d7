import type { StatefulSet, StatefulSetStatus } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { podAvailable } from '../../resources/core/pod/facts.ts';
import { isTerminating } from '../../workloads/phase.ts';
import type { History } from './history.ts';
import { revisionOf, wantedReplicas } from './identity.ts';
import { isRunningAndReady } from './replicas.ts';

export function statusOf(
  set: StatefulSet,
  { pods, history, nowMs }: { readonly pods: readonly Pod[]; readonly history: History; readonly nowMs: number },
): StatefulSetStatus {
  const { minReadySeconds = 0 } = set.spec;
  const ready = pods.filter(isRunningAndReady);
  const available = ready.filter((pod) => podAvailable(pod, minReadySeconds, nowMs)).length;
  const staying = pods.filter((pod) => !isTerminating(pod));
  const count = (name: string): number => staying.filter((pod) => revisionOf(pod) === name).length;
  const updated = count(history.update.name);
  const isThrough =
    set.spec.updateStrategy?.type !== 'OnDelete' &&
    [updated, ready.length, pods.length].every((number) => number === wantedReplicas(set));
  const currentRevision = isThrough ? history.update.name : history.current.name;
  const current = isThrough ? updated : count(history.current.name);
  const { generation } = set.metadata;
  const { conditions } = set.status ?? {};
  return {
    replicas: pods.length,
    availableReplicas: available,
    ...(generation !== undefined && { observedGeneration: generation }),
    ...(ready.length > 0 && { readyReplicas: ready.length }),
    ...(current > 0 && { currentReplicas: current }),
    ...(updated > 0 && { updatedReplicas: updated }),
    currentRevision,
    updateRevision: history.update.name,
    collisionCount: history.collisionCount,
    ...(conditions !== undefined && { conditions }),
  };
}
