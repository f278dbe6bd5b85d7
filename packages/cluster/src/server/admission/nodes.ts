import type { Node, Taint } from '../../api/generated/core-v1.ts';
import { nodes } from '../../api/generated/kinds.ts';
import type { AdmissionPlugin } from '../context/admission.ts';

const notReady: Taint = Object.freeze({ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' });

/**
 * A new node takes no pods until it has said that it is ready: before that nobody knows what it has room for. Whoever keeps
 * the nodes' health takes the taint away.
 */
export const nodeAdmission: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  resources: [nodes],
  create(object) {
    const node = object as Node;
    const { taints = [] } = node.spec;
    if (taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return node;
    return { ...node, spec: { ...node.spec, taints: [...taints, notReady] } };
  },
};
