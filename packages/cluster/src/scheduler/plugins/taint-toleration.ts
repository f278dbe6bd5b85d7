import type { Taint } from '../../api/generated/core-v1.ts';
import { formatTaint, taintMend, untolerated } from '../../api/tolerations.ts';
import { fits, rejectsForGood, type SchedulerPlugin } from '../plugin.ts';

const hard = ['NoSchedule', 'NoExecute'];
const soft = ['PreferNoSchedule'];

/** Hard taints keep out who does not tolerate them; soft ones count against the node. */
export const taintToleration: SchedulerPlugin = {
  name: 'TaintToleration',
  looksAt: 'demands',
  wakesOn: ['node/added', 'node/updated'],
  weight: 3,
  filter(pod, { node }) {
    if (isEmpty(node.spec.taints)) return fits;
    const [taint] = untolerated(node.spec.taints, pod.tolerations, hard);
    // The 1.34 text up to patch 1 named the taint; later patches leave it out. People are helped by the name.
    return taint === undefined
      ? fits
      : rejectsForGood(`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`);
  },
  details: (pod, { node }) =>
    untolerated(node.spec.taints, pod.tolerations, hard).map((taint) => ({
      text: `it does not tolerate the taint ${formatTaint(taint)}`,
      mend: `tolerate it, or remove it: ${taintMend(taint)}`,
    })),
  isIndifferent: (_, { snapshot }) => snapshot.taintedNodes === 0,
  rank(pod, nodes, { snapshot }) {
    if (snapshot.taintedNodes === 0) return undefined;
    const counts = nodes.map(({ node }) => untolerated(node.spec.taints, pod.tolerations, soft).length);
    let most = 0;
    for (const count of counts) most = Math.max(most, count);
    return most === 0 ? undefined : counts.map((count) => 100 - Math.trunc((100 * count) / most));
  },
};

function isEmpty(taints: readonly Taint[] | undefined): boolean {
  return taints === undefined || taints.length === 0;
}
