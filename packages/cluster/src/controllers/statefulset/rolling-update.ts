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
  const allowed = unavailableMax(set);
  const outdated = outdatedInReach(set, updating);
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

/** The pods that have yet to be replaced, from the top down to the partition. */
export function outdatedInReach(
  { spec: { updateStrategy } }: StatefulSet,
  { slots, revision }: Pick<Updating, 'slots' | 'revision'>,
): readonly Pod[] {
  if (updateStrategy?.type === 'OnDelete') return [];
  const reach = slots.slice(updateStrategy?.rollingUpdate?.partition ?? 0).reverse();
  return reach.flatMap(({ pod }) => (pod !== undefined && isOutdated(pod, { revision }) ? [pod] : []));
}

/** So many pods may be unavailable while others are replaced. Rounded down: upstream's documentation says up, its code does not. */
export function unavailableMax(set: StatefulSet): number {
  const { maxUnavailable = 1 } = set.spec.updateStrategy?.rollingUpdate ?? {};
  return Math.max(1, scaledValue(maxUnavailable, { of: wantedReplicas(set), round: 'down' }));
}

function isOutdated(pod: Pod, { revision }: Pick<Updating, 'revision'>): boolean {
  return revisionOf(pod) !== revision && !isTerminating(pod);
}
