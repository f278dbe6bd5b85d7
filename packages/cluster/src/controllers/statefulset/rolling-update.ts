import type { StatefulSet } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { scaledValue } from '../../workloads/budget.ts';
import { isTerminating } from '../../workloads/phase.ts';
import { revisionOf, wantedReplicas } from './identity.ts';
import { isHealthy, isServing, type Slot } from './replicas.ts';

export interface Updating {
  readonly slots: readonly Slot[];
  /** Name of the revision to go to. */
  readonly revision: string;
  readonly minReadySeconds: number;
  readonly nowMs: number;
}

/**
 * The pods to replace now, from the top down to the partition: of those that serve as many as may be unavailable, wherever in the
 * set others already are.
 */
export function outdatedToReplace(set: StatefulSet, updating: Updating): readonly Pod[] {
  const { updateStrategy } = set.spec;
  if (updateStrategy?.type === 'OnDelete') return [];
  const { partition = 0, maxUnavailable } = updateStrategy?.rollingUpdate ?? {};
  // Rounded down: upstream's documentation says up, its code does not.
  const allowed = Math.max(1, scaledValue(maxUnavailable ?? 1, { of: wantedReplicas(set), round: 'down' }));
  const reach = updating.slots.slice(partition).reverse();
  const outdated = reach.flatMap(({ pod }) => (pod !== undefined && isOutdated(pod, updating) ? [pod] : []));
  const serving = outdated.filter((pod) => isServing(pod, updating));
  const rest = outdated.filter((pod) => !isServing(pod, updating));
  // What is not ready has been counted already, so replacing it costs nothing. What is ready has its clients, although
  // minReadySeconds are not over.
  const broken = rest.filter((pod) => !isHealthy(pod));
  const young = rest.filter(isHealthy);
  const unavailable = updating.slots.filter(({ pod }) => !isServing(pod, updating)).length;
  return [
    ...broken.slice(0, allowed),
    ...young.slice(0, Math.max(0, allowed - (unavailable - young.length))),
    ...serving.slice(0, Math.max(0, allowed - unavailable)),
  ];
}

function isOutdated(pod: Pod, { revision }: Updating): boolean {
  return revisionOf(pod) !== revision && !isTerminating(pod);
}
