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
      const { rejections, hopeless } = preemption;
      const counts = new Map(hopeless > 0 ? [['Preemption is not helpful for scheduling', hopeless]] : []);
      let nodes = hopeless;
      for (const [{ reasons }, times] of rejections) {
        nodes += times;
        for (const { text } of reasons) counts.set(text, (counts.get(text) ?? 0) + times);
      }
      return `0/${nodes} nodes are available: ${counted(counts).join(', ')}.`;
    }
    default:
      return preemption satisfies never;
  }
}

/** `3 Insufficient cpu`, sorted as text. A node counts once per reason. */
function countedReasons({ rejected, excluded }: Unplaced): readonly string[] {
  const counts = new Map(rejected.reasons());
  if (excluded !== undefined && excluded.count > 0)
    counts.set(`node(s) didn't satisfy plugin(s) [${excluded.by}]`, excluded.count);
  return counted(counts);
}

function counted(counts: ReadonlyMap<string, number>): readonly string[] {
  return [...counts].map(([reason, times]) => `${times} ${reason}`).sort();
}
