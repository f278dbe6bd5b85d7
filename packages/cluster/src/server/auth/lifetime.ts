/** How long certificates last, and when they are renewed. */

export const dayMs: number = 24 * 60 * 60 * 1000;

/** This long before its end a certificate is replaced. */
export const renewalMs: number = 30 * dayMs;

/** A span of time: `fromMs` belongs to it, `untilMs` does not. */
export interface Window {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Clocks of different computers differ, so what is signed now is valid since yesterday. */
export function startsEarly(nowMs: number): number {
  return nowMs - dayMs;
}

export function isWithin(nowMs: number, { fromMs, untilMs }: Window): boolean {
  return fromMs <= nowMs && nowMs < untilMs;
}

/** What all of them have in common. */
export function common(windows: readonly Window[]): Window {
  return {
    fromMs: Math.max(...windows.map(({ fromMs }) => fromMs)),
    untilMs: Math.min(...windows.map(({ untilMs }) => untilMs)),
  };
}
