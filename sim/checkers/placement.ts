import type { Event, Node, Pod, Taint, Toleration } from '@signalbox/cluster';
import {
  isPodTerminal,
  isUnpullable,
  milliValue,
  podCondition,
  podReady,
  wholeValue,
} from '@signalbox/cluster/testing';
import { type Finding, nameOf, type World } from '../world.ts';

/** The rules are written anew here, as simply as possible: a checker that shares code with what it checks checks nothing. */
export function tolerates(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some(
    ({ key = '', operator = 'Equal', value = '', effect = '' }) =>
      (key === '' ? operator === 'Exists' : key === taint.key) &&
      (effect === '' || effect === taint.effect) &&
      (operator === 'Exists' || value === (taint.value ?? '')),
  );
}

export function matchesSelector(selector: Readonly<Record<string, string>> | undefined, node: Node): boolean {
  return Object.entries(selector ?? {}).every(([key, value]) => node.metadata.labels?.[key] === value);
}

interface Sum {
  readonly cpuMilli: number;
  readonly memoryBytes: number;
  readonly pods: number;
}

function usedBy(pods: readonly Pod[]): Sum {
  const requests = pods.flatMap(({ spec }) => spec.containers.map(({ resources }) => resources?.requests ?? {}));
  return {
    cpuMilli: requests.reduce((sum, { cpu = '0' }) => sum + milliValue(cpu), 0),
    memoryBytes: requests.reduce((sum, { memory = '0' }) => sum + wholeValue(memory), 0),
    pods: pods.length,
  };
}

function roomOf({ status }: Node): Sum {
  const { cpu = '0', memory = '0', pods = '0' } = status.allocatable ?? {};
  return { cpuMilli: milliValue(cpu), memoryBytes: wholeValue(memory), pods: wholeValue(pods) };
}

function isOver(used: Sum, room: Sum): boolean {
  return used.cpuMilli > room.cpuMilli || used.memoryBytes > room.memoryBytes || used.pods > room.pods;
}

function podsOn({ metadata }: Node, { pods }: World): readonly Pod[] {
  return pods.filter((pod) => pod.spec.nodeName === metadata.name && !isPodTerminal(pod));
}

function hostPorts({ spec }: Pod): readonly number[] {
  return spec.containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0 }) => (hostPort > 0 ? [hostPort] : [])),
  );
}

const graceMs = 60_000;

/** A machine that took another's name has its pods, too, until they end: nobody decided that they fit. */
function isInherited(pod: Pod, { metadata }: Node): boolean {
  const boundAt = podCondition(pod, 'PodScheduled')?.lastTransitionTime ?? pod.metadata.creationTimestamp;
  return Date.parse(boundAt) <= Date.parse(metadata.creationTimestamp) + graceMs;
}

/** Holds at every moment: what runs on a node fits there. */
export function* capacity(world: World): Iterable<Finding> {
  for (const node of world.nodes) {
    const there = podsOn(node, world);
    if (node.status.allocatable === undefined || there.some((pod) => isInherited(pod, node))) continue;
    const used = usedBy(there);
    const room = roomOf(node);
    if (isOver(used, room)) yield `${nameOf(node)} holds ${JSON.stringify(used)} and has ${JSON.stringify(room)}`;
    const ports = there.flatMap(hostPorts);
    if (new Set(ports).size < ports.length) yield `${nameOf(node)} gives one host port to two pods: ${ports.join()}`;
  }
}

/** Holds at every moment: no two live pods share an address. */
export function* addresses(world: World): Iterable<Finding> {
  const seen = new Map<string, Pod>();
  const machines = new Set(world.nodes.map(({ metadata }) => metadata.name));
  for (const pod of world.pods) {
    const { podIP } = pod.status;
    // A pod whose machine is gone runs nowhere: its address is free, though it takes a while until the pod goes, too.
    if (!machines.has(pod.spec.nodeName ?? '')) continue;
    if (podIP === undefined || pod.spec.hostNetwork === true || isPodTerminal(pod)) continue;
    const other = seen.get(podIP);
    if (other !== undefined) yield `${nameOf(pod)} and ${nameOf(other)} share the address ${podIP}`;
    seen.set(podIP, pod);
  }
}

/** Holds at rest: every pod is where its status says, or nowhere for a reason. */
export function* pods(world: World): Iterable<Finding> {
  const nodes = new Map(world.nodes.map((node) => [node.metadata.name, node]));
  for (const pod of world.pods) {
    const { nodeName = '' } = pod.spec;
    if (pod.metadata.deletionTimestamp !== undefined) yield `${nameOf(pod)} is still being deleted`;
    else if (nodeName === '') yield* waiting(pod, world);
    else if (!nodes.has(nodeName)) yield `${nameOf(pod)} is bound to ${nodeName}, which does not exist`;
    else yield* bound(pod);
  }
}

function* bound(pod: Pod): Iterable<Finding> {
  if (isPodTerminal(pod)) return;
  const isBad = pod.spec.containers.some(({ image = '' }) => isUnpullable(image));
  const { phase } = pod.status;
  if (isBad !== !podReady(pod))
    yield `${nameOf(pod)} is ${phase}, ready: ${podReady(pod)}, its image is ${isBad ? 'bad' : 'good'}`;
  if (!isBad && phase !== 'Running') yield `${nameOf(pod)} is ${phase}`;
}

function* waiting(pod: Pod, world: World): Iterable<Finding> {
  if (isPodTerminal(pod)) return;
  const condition = podCondition(pod, 'PodScheduled');
  if (condition?.status !== 'False') yield `${nameOf(pod)} waits for a node and does not say why`;
  if (!isTold(pod, world)) yield `${nameOf(pod)} waits for a node and no event says why`;
  const possible = world.nodes.find((node) => fits(pod, node, world));
  if (possible !== undefined)
    yield `${nameOf(pod)} waits although ${nameOf(possible)} has room; it says: ${condition?.message ?? ''}`;
}

function isTold({ metadata }: Pod, { byResource }: World): boolean {
  return (byResource.get('/v1/events') ?? []).some((object) => {
    const { involvedObject, reason } = object as Event;
    return involvedObject.uid === metadata.uid && reason === 'FailedScheduling';
  });
}

function fits(pod: Pod, node: Node, world: World): boolean {
  const tolerations = pod.spec.tolerations ?? [];
  const cordon: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
  const taints = [...(node.spec?.taints ?? []), ...(node.spec?.unschedulable === true ? [cordon] : [])];
  if (taints.some((taint) => taint.effect !== 'PreferNoSchedule' && !tolerates(tolerations, taint))) return false;
  if (!matchesSelector(pod.spec.nodeSelector, node)) return false;
  const wanted = targetOf(pod);
  if (wanted !== undefined && wanted !== node.metadata.name) return false;
  const there = podsOn(node, world);
  const taken = new Set(there.flatMap(hostPorts));
  if (hostPorts(pod).some((port) => taken.has(port))) return false;
  // Room that is kept for one who may push others out is not free.
  const nominated = world.pods.filter(
    ({ spec, status, metadata }) =>
      (spec.nodeName ?? '') === '' &&
      status.nominatedNodeName === node.metadata.name &&
      metadata.uid !== pod.metadata.uid &&
      (spec.priority ?? 0) >= (pod.spec.priority ?? 0),
  );
  return !isOver(usedBy([...there, ...nominated, pod]), roomOf(node));
}

/** The node that a DaemonSet's pod is meant for. */
export function targetOf({ spec }: Pod): string | undefined {
  if ((spec.nodeName ?? '') !== '') return spec.nodeName;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.flatMap(({ matchFields = [] }) => matchFields).find(({ key }) => key === 'metadata.name')?.values?.[0];
}
