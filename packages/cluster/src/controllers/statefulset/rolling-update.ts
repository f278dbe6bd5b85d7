import type { StatefulSet } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { scaledValue } from '../../workloads/budget.ts';
import { isTerminating } from '../../workloads/phase.ts';
import { revisionOf, wantedReplicas } from './identity.ts';
import { isServing, type Slot } from './replicas.ts';

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
  const unavailable = updating.slots.filter(({ pod }) => !isServing(pod, updating)).length;
  const reach = updating.slots.slice(partition).reverse();
  const outdated = reach.flatMap(({ pod }) => (pod !== undefined && isOutdated(pod, updating) ? [pod] : []));
  // What does not serve has been counted already, so replacing it costs nothing.
  const broken = outdated.filter((pod) => !isServing(pod, updating));
  const serving = outdated.filter((pod) => isServing(pod, updating));
  return [...broken.slice(0, allowed), ...serving.slice(0, Math.max(0, allowed - unavailable))];
}

function isOutdated(pod: Pod, { revision }: Updating): boolean {
  return revisionOf(pod) !== revision && !isTerminating(pod);
}
