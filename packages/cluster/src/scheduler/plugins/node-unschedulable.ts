import { tolerates } from '../../api/tolerations.ts';
import { fits, rejectsForGood, type SchedulerPlugin } from '../plugin.ts';

const cordoned = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** Cordoned nodes take only pods that tolerate the mark, as daemon pods do. */
export const nodeUnschedulable: SchedulerPlugin = {
  name: 'NodeUnschedulable',
  looksAt: 'demands',
  wakesOn: ['node/added', 'node/updated'],
  filter: (pod, { node }) =>
    node.spec.unschedulable !== true || pod.tolerations.some((each) => tolerates(each, cordoned))
      ? fits
      : rejectsForGood('node(s) were unschedulable'),
  details: () => [{ text: 'the node is cordoned', mend: 'kubectl uncordon NODE' }],
};
