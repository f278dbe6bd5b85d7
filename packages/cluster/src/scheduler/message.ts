import type { Unplaced } from './schedule.ts';

/**
 * Upstream's sentence about a pod that fits nowhere: `0/4 nodes are available: 1 Insufficient cpu, 3 node(s) …. ` and
 * what preemption had to say. Clients and people search for it, so it is kept letter by letter.
 */
export function unplacedMessage(
  unplaced: Unplaced,
  { nodeCount, preemption }: { readonly nodeCount: number; readonly preemption: string },
): string {
  if (nodeCount === 0) return 'no nodes available to schedule pods';
  const why = unplaced.rejectedForAll ?? countedReasons(unplaced).join(', ');
  const head = `0/${nodeCount} nodes are available:`;
  return [head, why === '' ? '' : `${why}.`, preemption === '' ? '' : `preemption: ${preemption}`]
    .filter((part) => part !== '')
    .join(' ');
}

/** `3 Insufficient cpu`, sorted as text. A node counts once per reason. */
function countedReasons({ verdicts, excluded }: Unplaced): readonly string[] {
  const counts = new Map<string, number>();
  const count = (reason: string, by: number): void => {
    counts.set(reason, (counts.get(reason) ?? 0) + by);
  };
  for (const { reasons } of verdicts.values()) for (const reason of reasons) count(reason, 1);
  if (excluded !== undefined && excluded.count > 0)
    count(`node(s) didn't satisfy plugin(s) [${excluded.by}]`, excluded.count);
  return [...counts].map(([reason, times]) => `${times} ${reason}`).sort();
}
