import { fresh } from '../base/fresh.ts';
/** What every kind's conditions share. Kinds add times and generations of their own. */
export interface Condition {
  readonly type: string;
  /** `True`, `False` or `Unknown`. */
  readonly status: string;
  readonly lastTransitionTime?: string;
}

export interface Dating {
  /** The object's conditions as they stand. */
  readonly before: readonly Condition[] | undefined;
  /** RFC 3339. */
  readonly now: string;
}

/** The condition of a type; undefined when nothing is said about it. */
export function conditionOf<Of extends Condition>(conditions: readonly Of[] | undefined, type: string): Of | undefined {
  if (conditions === undefined) return undefined;
  for (const condition of conditions) if (condition.type === type) return condition;
  return undefined;
}

/**
 * What is said now, with the time since when it holds: the status decides about that, not reason or message. So an
 * unchanged world gives an unchanged status.
 */
export function datedCondition<Said extends Condition>(
  said: Said,
  { before, now }: Dating,
): Said & { readonly lastTransitionTime: string } {
  return dated(said, { old: conditionOf(before, said.type), now });
}

function dated<Said extends Condition>(
  said: Said,
  { old, now }: { readonly old: Condition | undefined; readonly now: string },
): Said & { readonly lastTransitionTime: string } {
  return {
    ...fresh,
    ...said,
    lastTransitionTime: (old?.status === said.status ? old.lastTransitionTime : undefined) ?? now,
  };
}

/**
 * The conditions after something new is said. Each takes the place of the one of its type, or the end of the list, as
 * `meta.SetStatusCondition` has it; what is not spoken of stays. Later sayings win.
 */
export function mergeConditions<Old extends Condition, Said extends Condition>(
  before: readonly Old[] | undefined,
  said: readonly Said[],
  now: string,
): readonly (Old | (Said & { readonly lastTransitionTime: string }))[] {
  const merged: (Old | (Said & { readonly lastTransitionTime: string }))[] = [...(before ?? [])];
  for (const condition of said) {
    const at = merged.findIndex(({ type }) => type === condition.type);
    const old = before?.[at];
    const stays = old !== undefined && isSaid(condition, old);
    merged[at < 0 ? merged.length : at] = stays ? old : dated(condition, { old, now });
  }
  return merged;
}

/** Whether the condition stands there as it is said: then it stays, and those who compare the whole see that at once. */
function isSaid(said: Condition, old: Condition): boolean {
  for (const field in said) if (said[field as keyof Condition] !== old[field as keyof Condition]) return false;
  for (const field in old) if (field !== 'lastTransitionTime' && !Object.hasOwn(said, field)) return false;
  return old.lastTransitionTime !== undefined;
}
