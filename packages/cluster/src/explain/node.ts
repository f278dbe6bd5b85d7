import type { Node, Pod, Taint } from '../api/generated/core-v1.ts';
import { daemonsets, poddisruptionbudgets, pods as podsType, volumeattachments } from '../api/generated/kinds.ts';
import type { PodDisruptionBudget } from '../api/generated/policy-v1.ts';
import { isOfKind } from '../api/gvk.ts';
import { controllerOf, keyOf } from '../api/meta.ts';
import { formatTaint, taintMend } from '../api/tolerations.ts';
import { assert } from '../base/assert.ts';
import { agreeing, counted } from '../base/counted.ts';
import { isGoing } from '../controllers/attachdetach/facts.ts';
import { isPodTerminal } from '../resources/core/pod/facts.ts';
import { mirrorAnnotation } from '../resources/core/pod/references.ts';
import { evictionRefusal, isCovered, needsNoBudget } from '../resources/policy/eviction-leave.ts';
import { snapshotOf } from '../scheduler/judgement.ts';
import type { NodeView } from '../scheduler/node-view.ts';
import { drivenOut } from './driven-out.ts';
import type { Cause, Explanation, Group } from './explanation.ts';
import { goingCauses } from './going.ts';
import { grouped, namesOf, naming, type Said } from './groups.ts';
import { inNamespace } from './in-namespace.ts';
import { nominatedGroups, overfullCauses, roomFacts } from './node-room.ts';
import { podState } from './pod-state.ts';
import { namingNode } from './pods.ts';
import { since } from './since.ts';
import type { ExplainWorld, Subject } from './world.ts';

/** What is wrong with it, whom it keeps away, and which of its pods stay when it is drained. */
export function explainNode({ name }: Subject, { world }: { readonly world: ExplainWorld }): Explanation | undefined {
  const node = world.nodes.get(name);
  if (node === undefined) return undefined;
  const pods = [...world.caches.of(podsType).values()].filter(({ spec }) => spec.nodeName === name);
  const places = new Map(pods.map((pod) => [keyOf(pod), name]));
  const groups = grouped(
    'pod',
    pods.map((pod) => ({ name: keyOf(pod), said: onDrain(pod, { node, world }) })),
  ).map((group) => namingNode(group, places));
  const view = snapshotOf({ nodes: [node], pods }).node(name);
  assert(view !== undefined, 'a node is in the snapshot of it', { name });
  const causes = [...healthCauses(node, world), ...closedCauses(node), ...overfullCauses(view)];
  const isClosed = causes.length > 0;
  const nominated = nominatedGroups(name, world);
  return {
    subject: { kind: 'Node', name },
    outcome: isClosed ? 'waits' : 'settled',
    summary: summaryOf(view, pods.length),
    causes: isClosed ? [...causes, ...stayCauses(groups)] : [],
    facts: {
      ...roomFacts(view, { ended: pods.length - view.podCount }),
      ...(nominated.length > 0 && { nominated: nominated.reduce((sum, { names }) => sum + names.length, 0) }),
      taints: node.spec.taints?.length ?? 0,
      ...attachedFacts(node, world),
    },
    groups: [...groups, ...nominated],
  };
}

/** Said of nodes with such volumes alone. */
function attachedFacts({ metadata, status }: Node, { caches }: ExplainWorld): Explanation['facts'] {
  const attachments = [...caches.of(volumeattachments).values()].filter(({ spec }) => spec.nodeName === metadata.name);
  const going = attachments.filter(isGoing);
  const waiting = attachments.filter((each) => !isGoing(each) && each.status?.attached !== true);
  const attached = status.volumesAttached?.length ?? 0;
  return {
    ...(attached > 0 && { attachedVolumes: attached }),
    ...(waiting.length > 0 && { attachingVolumes: waiting.length }),
    ...(going.length > 0 && { detachingVolumes: going.length }),
  };
}

function summaryOf({ node, podCount, podsMax }: NodeView, pods: number): string {
  const ready = isReady(node) ? 'is ready' : 'is not ready';
  const isOpen = node.spec.unschedulable !== true;
  const open = isOpen ? (podCount < podsMax || podsMax === 0 ? '' : ', takes no more pods') : ', takes no new pods';
  return `${ready}${open}, and has ${counted(pods, 'pod')}`;
}

function isReady({ status }: Node): boolean {
  return status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
}

function healthCauses(node: Node, { nowMs }: ExplainWorld): readonly Cause[] {
  const { status } = node;
  const going = goingCauses(node);
  const troubles = (status.conditions ?? []).flatMap(({ type, status: is, reason, message, lastTransitionTime }) => {
    const isTrouble = type === 'Ready' ? is !== 'True' : is === 'True';
    if (!isTrouble) return [];
    const said = [reason, message].filter((text) => (text ?? '') !== '').join(': ');
    const mend = type === 'Ready' && is === 'Unknown' ? silentMend(node) : '';
    return [{ cause: `${type} is ${is}${since(lastTransitionTime, nowMs)}${said === '' ? '' : ` (${said})`}`, mend }];
  });
  const unknown = status.conditions?.some(({ type }) => type === 'Ready') === true;
  return [
    ...going,
    ...troubles,
    ...(unknown
      ? []
      : [{ cause: 'it has never said that it is ready', mend: 'see that its kubelet runs and reaches the API' }]),
  ];
}

/** It may be off, cut off, or without its kubelet: nobody can tell from here. */
function silentMend({ metadata }: Node): string {
  return `bring it back; or, if it is gone for good: kubectl delete node ${metadata.name}`;
}

/** The mark of a cordoned node is a taint as well: it is told once. */
function closedCauses({ spec, metadata }: Node): readonly Cause[] {
  const cordoned =
    spec.unschedulable === true ? [{ cause: 'it is cordoned', mend: `kubectl uncordon ${metadata.name}` }] : [];
  const isTold = ({ key }: Taint): boolean => key === 'node.kubernetes.io/unschedulable' && spec.unschedulable === true;
  const taints = (spec.taints ?? []).filter((taint) => taint.effect !== 'PreferNoSchedule' && !isTold(taint));
  // Several of one condition are one cause: what keeps pods away and what drives them out.
  const own = taints.filter(isOwn);
  return [
    ...cordoned,
    ...(own.length === 0 ? [] : [{ cause: taintWords(own), mend: '' }]),
    ...taints
      .filter((taint) => !isOwn(taint))
      .map((taint) => ({ cause: taintWords([taint]), mend: naming(taintMend(taint), [metadata.name]) })),
  ];
}

function taintWords(taints: readonly Taint[]): string {
  const { length } = taints;
  const drives = taints.some(({ effect }) => effect === 'NoExecute')
    ? ` and ${agreeing(length, 'drives')} them out`
    : '';
  const which = `${length === 1 ? 'the taint' : 'the taints'} ${namesOf(taints.map(formatTaint))}`;
  return `${which} ${agreeing(length, 'keeps')} pods away${drives}`;
}

/** Those that follow from conditions come back when they are taken off. */
function isOwn({ key }: Taint): boolean {
  return key.startsWith('node.kubernetes.io/') && key !== 'node.kubernetes.io/out-of-service';
}

function stayCauses(groups: readonly Group[]): readonly Cause[] {
  return groups
    .filter(({ state }) => state === states.kept || state === states.going)
    .map(({ names, state, why, mend }) => ({
      cause: `${counted(names.length, 'pod')} ${agreeing(names.length, state)}: ${why}`,
      mend,
    }));
}

const states = {
  kept: 'may not be evicted',
  going: 'is going',
  stays: 'stays after a drain',
  due: 'will be driven out',
  free: 'may be evicted',
} as const;

/** What eviction and taints would do to one of its pods. */
function onDrain(pod: Pod, { node, world }: { readonly node: Node; readonly world: ExplainWorld }): Said {
  const { metadata, spec } = pod;
  if (metadata.deletionTimestamp !== undefined) return podState(pod, world);
  const out = drivenOut(pod, { node, nowMs: world.nowMs });
  if (out !== undefined) return { state: states.due, why: out.why };
  if (metadata.annotations?.[mirrorAnnotation] !== undefined)
    return { state: states.stays, why: 'it mirrors a static pod, which the node runs by itself' };
  const owner = controllerOf(pod);
  if (owner !== undefined && isOfKind(owner, daemonsets))
    return { state: states.stays, why: 'its DaemonSet would make it again (--ignore-daemonsets)' };
  const refusal = refusalOf(pod, world);
  if (refusal !== undefined) return { state: states.kept, ...refusal };
  if (owner === undefined && !isPodTerminal(pod))
    return {
      state: states.stays,
      why: 'nobody would make it again',
      mend: 'kubectl drain NODE --force deletes it for good',
    };
  return (spec.volumes ?? []).some(({ emptyDir }) => emptyDir !== undefined)
    ? { state: states.free, why: 'its emptyDir is lost then (--delete-emptydir-data)' }
    : { state: states.free };
}

/** What the eviction door would answer. */
function refusalOf(pod: Pod, { caches }: ExplainWorld): Pick<Said, 'why' | 'mend'> | undefined {
  if (needsNoBudget(pod)) return undefined;
  const covering = caches
    .of(poddisruptionbudgets)
    .inNamespace(pod.metadata.namespace ?? '')
    .filter((budget) => isCovered(pod, budget));
  const [budget] = covering;
  if (budget === undefined) return undefined;
  if (covering.length > 1)
    return {
      why: `more than one disruption budget covers it: ${covering.map(({ metadata }) => metadata.name).join(', ')}`,
      mend: 'leave it to one of them',
    };
  const refusal = evictionRefusal(budget, pod);
  if (refusal === undefined) return undefined;
  return {
    why: refusal.message,
    mend: refusal.because === 'spent' ? spentMend(budget) : '',
  };
}

/** More replicas help against a number that has to be there; not against a share, or a number that may be away. */
function spentMend({ metadata, spec, status }: PodDisruptionBudget): string {
  const allow = `allow more disruptions: kubectl edit poddisruptionbudget ${metadata.name}${inNamespace(metadata)}`;
  if (typeof spec?.minAvailable === 'number') return `run more replicas, or ${allow}`;
  return status !== undefined && status.currentHealthy < status.expectedPods
    ? `see that all of its pods are ready, or ${allow}`
    : allow;
}
