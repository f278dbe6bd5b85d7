import type { Random } from './random.ts';

export interface Backoff {
  readonly initialMs: number;
  readonly maxMs: number;
  /** 2 doubles each time. */
  readonly factor: number;
  /** 0.5 adds up to half again, by chance, so that many waiters do not come back at once. */
  readonly jitter: number;
}

/** How long to wait before try number `attempt` (1 is the first repetition). */
export function backoffMs(
  { initialMs, maxMs, factor, jitter }: Backoff,
  { attempt, random }: { readonly attempt: number; readonly random: Random },
): number {
  const plainMs = Math.min(maxMs, initialMs * factor ** (attempt - 1));
  return Math.round(plainMs * (1 + jitter * random.next()));
}
