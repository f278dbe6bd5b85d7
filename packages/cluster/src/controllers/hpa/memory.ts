import type { HorizontalPodAutoscalerSpec } from '../../api/generated/autoscaling-v2.ts';

export interface Moment {
  readonly atMs: number;
  readonly replicas: number;
}

/** What the autoscaler has to remember of one object, because the API does not: what was asked for and done lately. */
export interface Memory {
  readonly recommendations: readonly Moment[];
  /** Replicas added and removed, each as a positive number. */
  readonly ups: readonly Moment[];
  readonly downs: readonly Moment[];
}

/** After a start, the present number stands for all that came before it: so a restart never scales down at once. */
export function firstMemory(currentReplicas: number, nowMs: number): Memory {
  return { recommendations: [{ atMs: nowMs, replicas: currentReplicas }], ups: [], downs: [] };
}

export function remembering(memory: Memory, recommendation: Moment, spec: HorizontalPodAutoscalerSpec): Memory {
  const windows = [spec.behavior?.scaleUp, spec.behavior?.scaleDown].map(
    (rules) => rules?.stabilizationWindowSeconds ?? 0,
  );
  const sinceMs = recommendation.atMs - Math.max(300, ...windows) * 1_000;
  return { ...memory, recommendations: [...newerThan(memory.recommendations, sinceMs), recommendation] };
}

/** Only policies look back at changes; without a behavior there is none to remember them for. */
export function rememberingChange(
  memory: Memory,
  { from, to, atMs }: { readonly from: number; readonly to: number; readonly atMs: number },
  { behavior }: HorizontalPodAutoscalerSpec,
): Memory {
  if (behavior === undefined) return { ...memory, ups: [], downs: [] };
  const ups = newerThan(memory.ups, atMs - longestMs(behavior.scaleUp));
  const downs = newerThan(memory.downs, atMs - longestMs(behavior.scaleDown));
  return to > from
    ? { ...memory, ups: [...ups, { atMs, replicas: to - from }], downs }
    : { ...memory, ups, downs: [...downs, { atMs, replicas: from - to }] };
}

export function sumSince(moments: readonly Moment[], sinceMs: number): number {
  return moments.reduce((sum, { atMs, replicas }) => (atMs > sinceMs ? sum + replicas : sum), 0);
}

function newerThan(moments: readonly Moment[], sinceMs: number): readonly Moment[] {
  return moments.filter(({ atMs }) => atMs > sinceMs);
}

/** Both directions look at both kinds of changes, so the longest period of either policy is what has to be kept. */
function longestMs(rules: { readonly policies?: readonly { readonly periodSeconds: number }[] } | undefined): number {
  return Math.max(1_800, ...(rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds)) * 1_000;
}
