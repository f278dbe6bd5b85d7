import type { Preemption } from './preempt.ts';
import type { Unplaced } from './schedule.ts';

/**
 * Upstream's sentence about a pod that fits nowhere: `0/4 nodes are available: 1 Insufficient cpu, 3 node(s) …. ` and
 * what preemption had to say. Clients and people search for it, so it is kept letter by letter.
 */
export function unplacedMessage(
  unplaced: Unplaced,
  { nodeCount, preemption }: { readonly nodeCount: number; readonly preemption: Preemption | undefined },
): string {
  if (nodeCount === 0) return 'no nodes available to schedule pods';
  const why = unplaced.rejectedForAll ?? countedReasons(unplaced).join(', ');
  const head = `0/${nodeCount} nodes are available:`;
  const refused = preemption === undefined ? '' : preemptionMessage(preemption);
  return [head, why === '' ? '' : `${why}.`, refused === '' ? '' : `preemption: ${refused}`]
    .filter((part) => part !== '')
    .join(' ');
}

/** Why nobody goes for the pod; empty when somebody does. */
export function preemptionMessage(preemption: Preemption): string {
  switch (preemption.outcome) {
    case 'makesRoom':
      return '';
    case 'waits':
      return 'not eligible due to a terminating pod on the nominated node.';
    case 'never':
      return 'not eligible due to preemptionPolicy=Never.';
    case 'fails': {
      const { hopeful, hopeless } = preemption;
      const parts = [
        ...(hopeful > 0 ? [`${hopeful} No preemption victims found for incoming pod`] : []),
        ...(hopeless > 0 ? [`${hopeless} Preemption is not helpful for scheduling`] : []),
      ];
      return `0/${hopeful + hopeless} nodes are available: ${parts.sort().join(', ')}.`;
    }
    default:
      return preemption satisfies never;
  }
}

/** `3 Insufficient cpu`, sorted as text. A node counts once per reason. */
function countedReasons({ verdicts, excluded }: Unplaced): readonly string[] {
  const counts = new Map<string, number>();
  const count = (reason: string, by: number): void => {
    counts.set(reason, (counts.get(reason) ?? 0) + by);
  };
  for (const { reasons } of verdicts.values()) for (const { text } of reasons) count(text, 1);
  if (excluded !== undefined && excluded.count > 0)
    count(`node(s) didn't satisfy plugin(s) [${excluded.by}]`, excluded.count);
  return [...counts].map(([reason, times]) => `${times} ${reason}`).sort();
}
