import { untolerated } from '../../api/tolerations.ts';
import { fits, rejectsForGood, type SchedulerPlugin } from '../plugin.ts';

const hard = ['NoSchedule', 'NoExecute'];
const soft = ['PreferNoSchedule'];

/** Hard taints keep out who does not tolerate them; soft ones count against the node. */
export const taintToleration: SchedulerPlugin = {
  name: 'TaintToleration',
  wakesOn: ['node/added', 'node/updated'],
  weight: 3,
  normalize: 'reversed',
  filter(pod, { node }) {
    const [taint] = untolerated(node.spec.taints, pod.tolerations, hard);
    // The 1.34 text up to patch 1 named the taint; later patches leave it out. People are helped by the name.
    return taint === undefined
      ? fits
      : rejectsForGood(`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`);
  },
  score: (pod, { node }) => untolerated(node.spec.taints, pod.tolerations, soft).length,
};
