/** How fast and how far the number of replicas may move. */
import type {
  HorizontalPodAutoscalerSpec,
  HPAScalingPolicy,
  HPAScalingRules,
} from '../../api/generated/autoscaling-v2.ts';
import { type Memory, sumSince } from './memory.ts';

export interface Wish {
  readonly spec: HorizontalPodAutoscalerSpec;
  readonly currentReplicas: number;
  /** What the metrics ask for. */
  readonly wantedReplicas: number;
  readonly memory: Memory;
  readonly nowMs: number;
}

export interface Reason {
  readonly reason: string;
  readonly message: string;
}

export interface Limited {
  readonly replicas: number;
  /** For the condition AbleToScale. */
  readonly stabilization: Reason;
  /** For the condition ScalingLimited; the status is whether it was. */
  readonly limit: Reason & { readonly isLimited: boolean };
}

export const downStabilizationSecondsDefault = 300;

/** First what was asked for lately, then how fast, then how far. */
export function limitReplicas(wish: Wish): Limited {
  const stable = stabilized(wish);
  const bounded = wish.spec.behavior === undefined ? plainlyBounded(wish, stable) : boundedByPolicies(wish, stable);
  return {
    replicas: bounded.replicas,
    stabilization: stable === wish.wantedReplicas ? steady : stabilizationReason(wish),
    limit: { ...bounded.why, isLimited: bounded.replicas !== stable },
  };
}

const steady: Reason = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' };

function stabilizationReason({ spec, wantedReplicas, currentReplicas }: Wish): Reason {
  if (spec.behavior !== undefined && wantedReplicas >= currentReplicas)
    return {
      reason: 'ScaleUpStabilized',
      message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
    };
  return {
    reason: 'ScaleDownStabilized',
    message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
  };
}

/** Up only as far as all recent recommendations agree on, and down only as far as all of them do. */
function stabilized({ spec, currentReplicas, wantedReplicas, memory, nowMs }: Wish): number {
  const { behavior } = spec;
  const upMs = (behavior?.scaleUp?.stabilizationWindowSeconds ?? 0) * 1_000;
  const downMs = (behavior?.scaleDown?.stabilizationWindowSeconds ?? downStabilizationSecondsDefault) * 1_000;
  let least = wantedReplicas;
  let most = wantedReplicas;
  for (const { atMs, replicas } of memory.recommendations) {
    if (atMs > nowMs - upMs) least = Math.min(least, replicas);
    if (atMs > nowMs - downMs) most = Math.max(most, replicas);
  }
  // Without a behavior, whatever is not a way down is taken at once.
  if (behavior === undefined) return most;
  return Math.min(Math.max(currentReplicas, least), most);
}

interface Bounded {
  readonly replicas: number;
  readonly why: Reason;
}

const within: Reason = {
  reason: 'DesiredWithinRange',
  message: 'the desired count is within the acceptable range',
};
const tooFew: Reason = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
};
const tooMany: Reason = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
};
const tooFastUp: Reason = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
};
const tooFastDown: Reason = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
};

function plainlyBounded({ spec, currentReplicas }: Wish, replicas: number): Bounded {
  const least = leastReplicas(spec);
  if (replicas < least) return { replicas: least, why: tooFew };
  const fastest = Math.max(2 * currentReplicas, 4);
  const most = Math.min(spec.maxReplicas, fastest);
  if (replicas <= most) return { replicas, why: within };
  return { replicas: most, why: spec.maxReplicas > fastest ? tooFastUp : tooMany };
}

function boundedByPolicies(wish: Wish, replicas: number): Bounded {
  const { spec, currentReplicas } = wish;
  if (replicas > currentReplicas) {
    const fastest = Math.max(currentReplicas, upLimit(wish));
    const most = Math.min(spec.maxReplicas, fastest);
    if (replicas > most) return { replicas: most, why: spec.maxReplicas > fastest ? tooFastUp : tooMany };
  } else if (replicas < currentReplicas) {
    const fastest = Math.min(currentReplicas, downLimit(wish));
    const least = Math.max(leastReplicas(spec), fastest);
    if (replicas < least) return { replicas: least, why: leastReplicas(spec) < fastest ? tooFastDown : tooFew };
  }
  return { replicas, why: within };
}

/** Every policy counts from the number of replicas at the beginning of its period. */
function upLimit(wish: Wish): number {
  const allowed = ({ type, value }: HPAScalingPolicy, startReplicas: number): number =>
    type === 'Pods' ? startReplicas + value : Math.ceil((startReplicas * (100 + value)) / 100);
  const limits = policyLimits(wish.spec.behavior?.scaleUp, { wish, allowed });
  if (limits === undefined || limits.length === 0) return wish.currentReplicas;
  return wish.spec.behavior?.scaleUp?.selectPolicy === 'Min' ? Math.min(...limits) : Math.max(...limits);
}

function downLimit(wish: Wish): number {
  const allowed = ({ type, value }: HPAScalingPolicy, startReplicas: number): number =>
    type === 'Pods' ? startReplicas - value : Math.trunc((startReplicas * (100 - value)) / 100);
  const limits = policyLimits(wish.spec.behavior?.scaleDown, { wish, allowed });
  if (limits === undefined || limits.length === 0) return wish.currentReplicas;
  // The least change leaves the most replicas.
  return wish.spec.behavior?.scaleDown?.selectPolicy === 'Min' ? Math.max(...limits) : Math.min(...limits);
}

interface Limiting {
  readonly wish: Wish;
  readonly allowed: (policy: HPAScalingPolicy, startReplicas: number) => number;
}

function policyLimits(rules: HPAScalingRules | undefined, { wish, allowed }: Limiting): readonly number[] | undefined {
  if (rules?.selectPolicy === 'Disabled') return undefined;
  const { memory, currentReplicas, nowMs } = wish;
  return (rules?.policies ?? []).map((policy) => {
    const sinceMs = nowMs - policy.periodSeconds * 1_000;
    return allowed(policy, currentReplicas - sumSince(memory.ups, sinceMs) + sumSince(memory.downs, sinceMs));
  });
}

function leastReplicas({ minReplicas = 1 }: HorizontalPodAutoscalerSpec): number {
  return minReplicas;
}
