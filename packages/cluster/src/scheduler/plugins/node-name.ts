import { abstains, fits, rejectsForGood, type SchedulerPlugin } from '../plugin.ts';

/** A pod that names its node goes there or nowhere. */
export const nodeName: SchedulerPlugin = {
  name: 'NodeName',
  looksAt: 'demands',
  wakesOn: ['node/added'],
  prepare: ({ pod }) => ((pod.spec.nodeName ?? '') === '' ? abstains : { state: undefined }),
  filter: ({ pod }, node) =>
    (pod.spec.nodeName ?? '') === '' || pod.spec.nodeName === node.name
      ? fits
      : rejectsForGood("node(s) didn't match the requested node name"),
  details: ({ pod }) => [{ text: `it names the node ${pod.spec.nodeName} itself` }],
};
