import type { Known } from './differences.ts';

/** What is known to differ, and why: docs/differences.md tells it to users. */
export const known: readonly Known[] = [
  {
    what: 'ConfigMap */kube-root-ca.crt: metadata.annotations.kubernetes.io/description: upstream "Contains',
    why: 'the text is ours to write',
  },
  {
    what: 'Pod *: status.conditions[*].lastProbeTime: upstream null, here nothing',
    why: 'a time that nobody set is null there',
  },
  {
    what: 'Pod *: status.*ontainerStatuses[*].lastState: upstream {}, here nothing',
    why: 'a part that says nothing is empty there',
  },
  {
    what: 'HorizontalPodAutoscaler monitoring/edge-shards: status.',
    why: 'nobody serves metrics there',
  },
  { what: 'Event * of HorizontalPodAutoscaler by horizontal-pod-autoscaler', why: 'nobody serves metrics there' },
  {
    what: 'Event Normal RegisteredNode of Node by node-controller: upstream 1, here nothing',
    why: 'nobody has to be told that a node is known',
  },
  {
    what: 'Event Warning ClusterIPNotAllocated of Service by ipallocator-repair-controller: upstream 1, here nothing',
    why: 'it follows Services and their addresses apart, and may see a Service first',
    comesAndGoes: true,
  },
  {
    what: 'Event Normal NoPods of PodDisruptionBudget by controllermanager',
    why: 'it is told when the budget is seen before its pods',
    comesAndGoes: true,
  },
  {
    what: 'Event Warning FailedScheduling of Pod by default-scheduler',
    why: 'whether a pod is tried before its nodes are ready',
    comesAndGoes: true,
  },
  {
    what: 'Event Warning SecretMissing of',
    why: 'whether a root or its Secret is seen first',
    comesAndGoes: true,
  },
  {
    what: 'Event Normal Updated of',
    why: 'how many changes a root sees at once',
    comesAndGoes: true,
  },
];
