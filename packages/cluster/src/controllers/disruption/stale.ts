import { conditionOf } from '../../api/conditions.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { pods } from '../../api/generated/kinds.ts';
import { keyOf } from '../../api/meta.ts';
import { controllerUser } from '../../api/system-identities.ts';
import { fromTimestamp, toTimestamp } from '../../base/clock.ts';
import { isPodTerminal } from '../../resources/core/pod/facts.ts';
import { type Controller, mapped, nobody } from '../../runtime/controller.ts';
import { nothingToDo, type Plan } from '../../runtime/plan.ts';

/** Whoever is told that it has to go is deleted in the same moment, or it was let be. */
const staleAfterMs = 2 * 60_000;

/** Takes back what was said to pods that were to go and stayed: their controllers count by it. */
export const staleDisruptions: Controller<Pod> = {
  name: 'stale-disruption',
  user: controllerUser('disruption'),
  watches: [
    mapped(pods, ({ type, object }) =>
      type !== 'deleted' && toldSince(object) !== undefined ? [keyOf(object)] : nobody,
    ),
  ],
  observe: (key, caches) => caches.of(pods).get(key),
  plan,
};

/** Since when it stands there; undefined where it does not, or where there is nothing to take back. */
function toldSince(pod: Pod): number | undefined {
  const told = conditionOf(pod.status?.conditions, 'DisruptionTarget');
  if (told?.status !== 'True' || pod.metadata.deletionTimestamp !== undefined) return undefined;
  // A kubelet that ends a pod takes the time that the pod needs.
  if (told.reason === 'TerminationByKubelet' || isPodTerminal(pod)) return undefined;
  const sinceMs = fromTimestamp(told.lastTransitionTime ?? '');
  return Number.isNaN(sinceMs) ? 0 : sinceMs;
}

export function plan(pod: Pod, nowMs: number): Plan {
  const sinceMs = toldSince(pod);
  if (sinceMs === undefined) return nothingToDo;
  const leftMs = sinceMs + staleAfterMs - nowMs;
  if (leftMs > 0) return { actions: [], againInMs: leftMs };
  const { generation, uid } = pod.metadata;
  const condition = {
    ...{ type: 'DisruptionTarget', status: 'False', reason: null, message: null },
    lastTransitionTime: toTimestamp(nowMs),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  const body = { metadata: { uid }, status: { conditions: [condition] } };
  return { actions: [{ do: 'patch', type: pods, target: pod, patchType: 'strategic', subresource: 'status', body }] };
}
