/**
 * Whether version `a` has reached `b`. Versions of one resource are decimal numbers of any length that may be compared
 * (guaranteed upstream since 1.35, true of every older API server that keeps its data in etcd).
 */
export function hasReached(a: string, b: string): boolean {
  return a.length === b.length ? a >= b : a.length > b.length;
}
