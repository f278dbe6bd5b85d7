import type { Look } from './look.ts';

/** What the reloader remembers from one turn to the next. */
export interface Memory {
  /** The sum of what the process has loaded; undefined as long as nobody knows what it has. */
  readonly loadedSum: string | undefined;
  /** The sum of the last look, of whose variables the log tells once. */
  readonly seenSum: string | undefined;
  /** Looks in a row that failed, or whose output could not be written. */
  readonly failures: number;
}

export const nothingKnown: Memory = { loadedSum: undefined, seenSum: undefined, failures: 0 };

export interface Intervals {
  readonly watchIntervalMs: number;
  readonly retryIntervalMs: number;
}

export type Action =
  | { readonly type: 'warn of unset'; readonly names: readonly string[] }
  | { readonly type: 'write'; readonly bytes: Uint8Array }
  | { readonly type: 'reload'; readonly sum: string };

/** What to do about what was seen, in this order; what follows an action that fails is left for the next turn. */
export function plan(seen: Look, memory: Memory, { watchIntervalMs }: Intervals): readonly Action[] {
  const unset = seen.config?.output?.unset ?? [];
  return [
    ...(unset.length > 0 && seen.sum !== memory.seenSum ? [{ type: 'warn of unset' as const, names: unset }] : []),
    ...(seen.config?.unwritten !== undefined ? [{ type: 'write' as const, bytes: seen.config.unwritten }] : []),
    // Whoever runs once does so before there is a process to reload.
    ...(watchIntervalMs > 0 && seen.sum !== memory.loadedSum ? [{ type: 'reload' as const, sum: seen.sum }] : []),
  ];
}

/** How a turn ended. */
export type Ending = { readonly type: 'applied' | 'reload failed'; readonly sum: string } | { readonly type: 'failed' };

export interface Next {
  readonly memory: Memory;
  /** Unless something changes before. */
  readonly againInMs: number;
}

export function next(ending: Ending, memory: Memory, { watchIntervalMs, retryIntervalMs }: Intervals): Next {
  switch (ending.type) {
    case 'applied':
      return { memory: { loadedSum: ending.sum, seenSum: ending.sum, failures: 0 }, againInMs: watchIntervalMs };
    case 'reload failed':
      // Even if the files become what they were: it may hold some of what it refused.
      return {
        memory: { loadedSum: undefined, seenSum: ending.sum, failures: 0 },
        againInMs: Math.min(retryIntervalMs, watchIntervalMs),
      };
    case 'failed': {
      const failures = memory.failures + 1;
      return {
        memory: { ...memory, failures },
        againInMs: Math.min(retryIntervalMs * 2 ** (failures - 1), watchIntervalMs),
      };
    }
    default:
      return ending satisfies never;
  }
}
