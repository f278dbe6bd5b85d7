import { controllerOf, type DaemonSet, type Node, type Pod, type Toleration } from '@signalbox/cluster';
import { isPodTerminal, podReady } from '@signalbox/cluster/testing';
import { type Finding, nameOf, type World } from '../world.ts';
import { matchesSelector, targetOf, tolerates } from './placement.ts';

const automatic: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((name) => ({
    key: `node.kubernetes.io/${name}`,
    operator: 'Exists',
    effect: 'NoSchedule',
  })),
];

type Verdict = 'runs' | 'may stay' | 'must go';

function verdictOf(daemonset: DaemonSet, node: Node): Verdict {
  const spec = daemonset.spec.template.spec;
  if (!matchesSelector(spec?.nodeSelector, node)) return 'must go';
  const tolerations = [...(spec?.tolerations ?? []), ...automatic];
  const hurting = (node.spec?.taints ?? []).filter((taint) => !tolerates(tolerations, taint));
  if (hurting.some(({ effect }) => effect === 'NoExecute')) return 'must go';
  return hurting.some(({ effect }) => effect === 'NoSchedule') ? 'may stay' : 'runs';
}

/** Holds at rest: one pod on each node that the template allows, none elsewhere, and a status that says so. */
export function* daemonsets(world: World): Iterable<Finding> {
  for (const daemonset of world.daemonsets) {
    if (daemonset.metadata.deletionTimestamp !== undefined) continue;
    const own = world.pods.filter(
      (pod) => controllerOf(pod)?.uid === daemonset.metadata.uid && pod.metadata.deletionTimestamp === undefined,
    );
    yield* coverage(daemonset, own, world);
    yield* status(daemonset, own, world);
    yield* rollout(daemonset, own);
  }
}

function* coverage(daemonset: DaemonSet, own: readonly Pod[], { nodes }: World): Iterable<Finding> {
  for (const node of nodes) {
    const { name } = node.metadata;
    const there = own.filter((pod) => targetOf(pod) === name);
    const verdict = verdictOf(daemonset, node);
    if (verdict === 'runs' && there.length === 0) yield `${nameOf(daemonset)} has no pod on ${name}`;
    if (verdict === 'must go' && there.length > 0)
      yield `${nameOf(daemonset)} has a pod on ${name}, where none belongs`;
    // While a surge is stuck, the old pod stays beside the new one.
    const most = isSurging(daemonset) && there.some((pod) => !podReady(pod)) ? 2 : 1;
    if (there.length > most) yield `${nameOf(daemonset)} has ${there.length} pods on ${name}`;
  }
}

function isSurging({ spec }: DaemonSet): boolean {
  const { maxSurge = 0 } = spec.updateStrategy?.rollingUpdate ?? {};
  return maxSurge !== 0;
}

function* status(daemonset: DaemonSet, own: readonly Pod[], { nodes }: World): Iterable<Finding> {
  const { metadata, status: said } = daemonset;
  const wanted = nodes.filter((node) => verdictOf(daemonset, node) === 'runs');
  const names = new Set(wanted.map((node) => node.metadata.name));
  const holding = new Set(own.flatMap((pod) => targetOf(pod) ?? []));
  const readyOn = new Set(own.filter(podReady).flatMap((pod) => targetOf(pod) ?? []));
  const truth = {
    desiredNumberScheduled: wanted.length,
    currentNumberScheduled: [...holding].filter((name) => names.has(name)).length,
    numberMisscheduled: [...holding].filter((name) => !names.has(name)).length,
    ...(!isSurging(daemonset) && { numberReady: [...readyOn].filter((name) => names.has(name)).length }),
    observedGeneration: metadata.generation,
  };
  for (const [field, value] of Object.entries(truth)) {
    const says = said?.[field as keyof typeof truth];
    if (says !== value) yield `${nameOf(daemonset)} says ${field} ${says}; it is ${value}`;
  }
}

function* rollout(daemonset: DaemonSet, own: readonly Pod[]): Iterable<Finding> {
  if (daemonset.spec.updateStrategy?.type === 'OnDelete') return;
  const image = daemonset.spec.template.spec?.containers[0]?.image;
  if (own.some((pod) => !podReady(pod) || isPodTerminal(pod))) return;
  for (const pod of own)
    if (pod.spec.containers[0]?.image !== image)
      yield `${nameOf(pod)} has an old image although nothing hinders the rollout`;
}
