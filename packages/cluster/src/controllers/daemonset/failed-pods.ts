/**
 * How long to leave a failed pod alone before it is replaced, per node: 1 s, then twice as long each time, at most
 * 15 min. Kept in the controller's memory; a change of the DaemonSet starts anew, because it may be the mend.
 */
export interface Backoffs {
  readonly uid: string;
  readonly generation: number;
  readonly byNode: ReadonlyMap<string, Backoff>;
}

export interface Backoff {
  readonly delayMs: number;
  readonly sinceMs: number;
}

const delayMsInitial = 1_000;
const delayMsMax = 900_000;

export type FailedVerdict =
  | { readonly replace: true; readonly backoff: Backoff }
  | { readonly replace: false; readonly waitMs: number; readonly delayMs: number };

/** Whether the failed pod of a node is to be replaced now. */
export function judgeFailed(before: Backoff | undefined, nowMs: number): FailedVerdict {
  if (before === undefined || isForgotten(before, nowMs))
    return { replace: true, backoff: { delayMs: delayMsInitial, sinceMs: nowMs } };
  const waitMs = before.sinceMs + before.delayMs - nowMs;
  if (waitMs > 0) return { replace: false, waitMs, delayMs: before.delayMs };
  return { replace: true, backoff: { delayMs: Math.min(before.delayMs * 2, delayMsMax), sinceMs: nowMs } };
}

/** What still counts of the memory. */
export function recalled(
  memory: Backoffs | undefined,
  { uid, generation, nowMs }: { readonly uid: string; readonly generation: number; readonly nowMs: number },
): Map<string, Backoff> {
  if (memory === undefined || memory.uid !== uid || memory.generation !== generation) return new Map();
  return new Map([...memory.byNode].filter(([, backoff]) => !isForgotten(backoff, nowMs)));
}

/** A node whose pod has not failed for long enough starts with the shortest delay again. */
function isForgotten({ sinceMs }: Backoff, nowMs: number): boolean {
  return nowMs - sinceMs > 2 * delayMsMax;
}
