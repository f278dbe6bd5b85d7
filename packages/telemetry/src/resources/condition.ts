import { datedCondition } from '@signalbox/cluster';

/** One fact about an object, as `metav1.Condition` spells it. */
export interface Condition {
  readonly type: string;
  /** `True`, `False` or `Unknown`. */
  readonly status: string;
  /** CamelCase. */
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
}

/** A condition before it is known since when it holds. */
export type Fact = Omit<Condition, 'lastTransitionTime' | 'observedGeneration'>;

/**
 * The conditions as they are to be written: in the order of `facts`, each keeping its `lastTransitionTime` for as long as
 * its status stays the same, so that an unchanged world gives an unchanged status.
 */
export function conditionsOf(
  facts: readonly Fact[],
  {
    before,
    generation,
    now,
  }: {
    readonly before: readonly Condition[];
    readonly generation: number | undefined;
    /** RFC 3339. */
    readonly now: string;
  },
): readonly Condition[] {
  return facts.map((fact) =>
    datedCondition({ ...fact, ...(generation !== undefined && { observedGeneration: generation }) }, { before, now }),
  );
}
