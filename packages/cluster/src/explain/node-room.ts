import type { Pod } from '../api/generated/core-v1.ts';
import { pods as podsType } from '../api/generated/kinds.ts';
import { keyOf } from '../api/meta.ts';
import { counted } from '../base/counted.ts';
import { formatAmount, podSlots } from '../scheduler/detail.ts';
import type { NodeView } from '../scheduler/node-view.ts';
import { roomOf } from '../scheduler/room.ts';
import type { Cause, Explanation, Group } from './explanation.ts';
import { grouped, type Said } from './groups.ts';
import { inNamespace } from './in-namespace.ts';
import { leavingFor } from './placement.ts';
import type { ExplainWorld } from './world.ts';

/** What is requested of each resource, and what is free, by the sums that the scheduler goes by. `ended`: pods that take no room. */
export function roomFacts(view: NodeView, { ended }: { readonly ended: number }): Explanation['facts'] {
  const resources = roomOf(view).filter(
    ({ resource, whole, requested }) => resource !== podSlots && (whole > 0 || requested > 0),
  );
  return {
    ...{ pods: view.podCount, podsMax: view.podsMax },
    ...(ended > 0 && { endedPods: ended }),
    ...Object.fromEntries(
      resources.map(({ resource, whole, requested }) => {
        const [asked, all, free] = [requested, whole, Math.max(0, whole - requested)].map((amount) =>
          formatAmount(resource, amount),
        );
        return [resource, `${asked} of ${all} requested, ${free} free`];
      }),
    ),
  };
}

/** What was promised to its pods and is not there: nobody takes it back by himself. */
export function overfullCauses(view: NodeView): readonly Cause[] {
  // It has not said yet what it has.
  if (view.podsMax === 0) return [];
  return roomOf(view)
    .filter(({ whole, requested }) => requested > whole)
    .map(({ resource, whole, requested }) => {
      if (resource === podSlots)
        return {
          cause: `it has ${counted(requested, 'pod')} of at most ${whole}`,
          mend: 'move pods to other nodes, or raise maxPods of the node',
        };
      const [asked, all] = [requested, whole].map((amount) => formatAmount(resource, amount));
      return {
        cause: `its pods request ${asked} ${resource}, and it has ${all}`,
        mend: `move pods to other nodes, or request less ${resource}`,
      };
    });
}

/** Pods for which preemption clears the node: they are on no node yet. */
export function nominatedGroups(node: string, world: ExplainWorld): readonly Group[] {
  const nominated = [...world.caches.of(podsType).values()].filter(
    ({ spec, status }) => status.nominatedNodeName === node && (spec.nodeName ?? '') === '',
  );
  return grouped(
    'pod',
    nominated.map((pod) => ({ name: keyOf(pod), said: nominatedSaid(pod, world) })),
  );
}

function nominatedSaid(pod: Pod, world: ExplainWorld): Said {
  const state = 'is nominated';
  const leaving = leavingFor(pod, world);
  if (leaving.length > 0)
    return { state, rules: [{ plugin: '', text: 'it waits here until preempted pods have left', pods: leaving }] };
  return {
    state,
    why: 'its room is kept for it, and it is not bound yet',
    mend: `signalbox explain pod ${pod.metadata.name}${inNamespace(pod.metadata)}`,
  };
}
