import type { Known } from '../compare/differences.ts';

/** What is known to differ, and why: docs/differences.md tells it to users. */
export const known: readonly Known[] = [
  {
    what: 'Pod *: status.conditions[*].lastProbeTime: upstream null, here nothing',
    why: 'a time that nobody set is null there',
    comesAndGoes: true,
  },
  { what: 'Node *: spec.podCIDR', why: 'in which order ranges are given', comesAndGoes: true },
  { what: 'Shown *: object.spec.podCIDR', why: 'in which order ranges are given', comesAndGoes: true },
  {
    what: 'Node *: metadata.annotations.node.alpha.kubernetes.io/ttl',
    why: 'kubelets that watch ask for no such time',
    comesAndGoes: true,
  },
  { what: 'Shown *: object.metadata.annotations.node.alpha.kubernetes.io/ttl', why: 'the same', comesAndGoes: true },
  {
    what: 'Node *: status.daemonEndpoints: upstream {"kubeletEndpoint":{"Port":0}}, here nothing',
    why: 'a part that says nothing is empty there',
    comesAndGoes: true,
  },
  { what: 'Node *: status.nodeInfo: upstream {"machineID":""', why: 'the same', comesAndGoes: true },
  {
    what: 'Shown *: object.status.daemonEndpoints: upstream {"kubeletEndpoint":{"Port":0}}, here nothing',
    why: 'the same',
    comesAndGoes: true,
  },
  { what: 'Shown *: object.status.nodeInfo: upstream {"machineID":""', why: 'the same', comesAndGoes: true },
  { what: 'Said Normal RegisteredNode of Node', why: 'nobody has to be told that a node is known', comesAndGoes: true },
  { what: 'Said Normal RemovingNode of Node', why: 'nobody has to be told that a node is gone', comesAndGoes: true },
  {
    what: 'Said Normal CIDRAssignmentFailed of Node',
    why: 'it gives a range to a node that has just got one, and is refused',
    comesAndGoes: true,
  },
  {
    what: 'Said Warning ClusterIPNotAllocated of Service',
    why: 'its repair may see a Service before its address',
    comesAndGoes: true,
  },
  {
    what: 'Said Normal NoPods of PodDisruptionBudget',
    why: 'it is told when the budget is seen before its pods',
    comesAndGoes: true,
  },
  {
    what: 'Said Warning NotDeleted of Pod',
    why: 'it names the namespace in place of the budget there',
    comesAndGoes: true,
  },
  {
    what: 'Said Normal TaintManagerEviction of Pod done by taint-eviction-controller: Cancelling',
    why: 'it is gone',
    comesAndGoes: true,
  },
  {
    what: 'Said Normal TaintManagerEviction of Pod soon by taint-eviction-controller: Cancelling',
    why: 'it is going',
    comesAndGoes: true,
  },
  { what: 'Shown at first: object.spec.taints: upstream nothing', why: 'nobody is there yet', comesAndGoes: true },
  {
    what: 'ConfigMap */kube-root-ca.crt: metadata.annotations.kubernetes.io/description',
    why: 'the text is ours to write',
    comesAndGoes: true,
  },
  {
    what: 'EndpointSlice *: endpoints: upstream null, here []',
    why: 'clients read lists',
    comesAndGoes: true,
  },
  {
    what: 'EndpointSlice *: ports: upstream null, here []',
    why: 'clients read lists',
    comesAndGoes: true,
  },
  {
    what: 'PodDisruptionBudget workloads/job-*: status.*observedGeneration',
    why: 'it is told when the budget is seen before its pods',
    comesAndGoes: true,
  },
  {
    what: 'Said Normal CIDRNotAvailable of Node ranges-n',
    why: 'it has given a range twice, and takes it back later',
    comesAndGoes: true,
  },
  {
    what: 'Said Normal TaintManagerEviction of Pod on-b by taint-eviction-controller: Cancelling',
    why: 'whether its node was tainted before all were in the dark',
    comesAndGoes: true,
  },
  {
    what: 'Shown smaller, not given yet: object.*.cpu: upstream',
    why: 'a quota is reckoned anew there when the node has given the size',
    comesAndGoes: true,
  },
];
