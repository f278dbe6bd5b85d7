import type { Deployment } from '../../api/generated/apps-v1.ts';
import { scaledValue } from '../../workloads/budget.ts';

/** How far a rollout may go above and below the wanted size. */
export interface Budget {
  readonly replicas: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

export function budgetOf({ spec }: Deployment): Budget {
  const replicas = spec.replicas ?? 1;
  if (isRecreate(spec)) return { replicas, maxSurge: 0, maxUnavailable: 0 };
  const rolling = spec.strategy?.rollingUpdate;
  const maxSurge = scaledValue(rolling?.maxSurge ?? '25%', { of: replicas, round: 'up' });
  const allowed = scaledValue(rolling?.maxUnavailable ?? '25%', { of: replicas, round: 'down' });
  // Rounding may leave no room at all; then nothing would ever be replaced.
  const maxUnavailable = maxSurge === 0 && allowed === 0 ? 1 : allowed;
  return { replicas, maxSurge, maxUnavailable: Math.min(maxUnavailable, replicas) };
}

export function isRecreate({ strategy }: Deployment['spec']): boolean {
  return strategy?.type === 'Recreate';
}
