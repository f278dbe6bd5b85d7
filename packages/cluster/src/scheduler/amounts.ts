import type { Amounts } from '../resources/core/pod/facts.ts';

export type { Amounts };

export const emptyAmounts: Amounts = { cpuMilli: 0, memoryBytes: 0, ephemeralBytes: 0, extended: {} };

/** `a` with `b` added, or taken away. */
export function plus(a: Amounts, b: Amounts, sign: 1 | -1): Amounts {
  return {
    cpuMilli: a.cpuMilli + sign * b.cpuMilli,
    memoryBytes: a.memoryBytes + sign * b.memoryBytes,
    ephemeralBytes: a.ephemeralBytes + sign * b.ephemeralBytes,
    extended: plusExtended(a.extended, b.extended, sign),
  };
}

/** The same for what several pods request. */
export function plusAll(a: Amounts, pods: readonly { readonly requests: Amounts }[], sign: 1 | -1): Amounts {
  let { cpuMilli, memoryBytes, ephemeralBytes, extended } = a;
  for (const { requests } of pods) {
    cpuMilli += sign * requests.cpuMilli;
    memoryBytes += sign * requests.memoryBytes;
    ephemeralBytes += sign * requests.ephemeralBytes;
    extended = plusExtended(extended, requests.extended, sign);
  }
  return { cpuMilli, memoryBytes, ephemeralBytes, extended };
}

function plusExtended(a: Amounts['extended'], b: Amounts['extended'], sign: 1 | -1): Amounts['extended'] {
  let sum: Record<string, number> | undefined;
  for (const name in b) {
    sum ??= { ...a };
    sum[name] = (a[name] ?? 0) + sign * (b[name] ?? 0);
  }
  return sum ?? a;
}
