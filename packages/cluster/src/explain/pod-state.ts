import type { ContainerState, ContainerStatus, Node, Pod } from '../api/generated/core-v1.ts';
import { fromTimestamp } from '../base/clock.ts';
import { isPodTerminal, podCondition, podReady } from '../resources/core/pod/facts.ts';
import { wordsOf } from '../scheduler/demands.ts';
import { podView } from '../scheduler/pod-view.ts';
import { whyNotAttached } from './attachments.ts';
import type { Said } from './groups.ts';
import { inNamespace } from './in-namespace.ts';
import { whyNotMounted } from './mounting.ts';
import { failureOf, whyUnplaced } from './placement.ts';
import { whyUnclaimed } from './unclaimed.ts';
import type { ExplainWorld } from './world.ts';

/** What is to be said of one pod of many: the same words for pods that wait for the same. */
export type PodTeller = (pod: Pod) => Said;

/** Pods that are alike to the scheduler's rules are judged once. */
export function podTeller(world: ExplainWorld): PodTeller {
  const unplaced = new Map<string, Said>();
  return (pod) => {
    const isWaiting = (pod.spec.nodeName ?? '') === '' && pod.metadata.deletionTimestamp === undefined;
    if (!isWaiting || isPodTerminal(pod)) return podState(pod, world);
    const gates = pod.spec.schedulingGates?.map(({ name }) => name).join() ?? '';
    const { schedulerName = '' } = pod.spec;
    const failure = failureOf(pod)?.why ?? '';
    const key = `${schedulerName} ${pod.status.nominatedNodeName ?? ''} ${gates} ${failure} ${wordsOf(podView(pod))}`;
    const known = unplaced.get(key) ?? whyUnplaced(pod, world);
    unplaced.set(key, known);
    return known;
  };
}

export function podState(pod: Pod, world: ExplainWorld): Said {
  const { nodeName = '' } = pod.spec;
  if (pod.metadata.deletionTimestamp !== undefined) return going(pod, world);
  if (isPodTerminal(pod)) return ended(pod);
  if (nodeName === '') return whyUnplaced(pod, world);
  const node = world.nodes.get(nodeName);
  const silent = nodeTrouble(node);
  if (silent !== undefined && !podReady(pod)) return { state: 'is not ready', ...silent };
  if (podReady(pod)) return { state: 'ready' };
  const volumes = whyUnclaimed(pod, world) ?? whyNotAttached(pod, world) ?? whyNotMounted(pod, world);
  return { state: 'is not ready', ...(volumes ?? notReady(pod)) };
}

/** What of its node keeps a pod from starting, serving or ending. */
function nodeTrouble(node: Node | undefined): Pick<Said, 'why' | 'mend'> | undefined {
  if (node === undefined) return { why: 'its node is not there any more', mend: 'pod GC deletes it in a moment' };
  const ready = node.status.conditions?.find(({ type }) => type === 'Ready');
  if (ready === undefined || ready.status === 'True') return undefined;
  return {
    why: `its node is not ready (${ready.reason ?? ready.status})`,
    mend: 'see signalbox explain node NODE',
  };
}

function going(pod: Pod, world: ExplainWorld): Said {
  const state = 'is going';
  const { finalizers = [], deletionTimestamp = '', deletionGracePeriodSeconds } = pod.metadata;
  const { nodeName = '' } = pod.spec;
  // Without a grace period nobody's word is waited for.
  const isFree = isPodTerminal(pod) || nodeName === '' || deletionGracePeriodSeconds === 0;
  if (finalizers.length > 0 && isFree)
    return {
      state,
      why: `finalizers keep it: ${finalizers.join(', ')}`,
      mend: 'whoever set them has to take them off',
    };
  const trouble = nodeName === '' ? undefined : nodeTrouble(world.nodes.get(nodeName));
  if (trouble !== undefined)
    return {
      state,
      why: `${trouble.why}, so nobody says that its containers have ended`,
      mend: 'bring the node back, or mark it out of service: kubectl taint nodes NODE node.kubernetes.io/out-of-service=nodeshutdown:NoExecute',
    };
  // The timestamp is when it has to be over.
  const leftMs = fromTimestamp(deletionTimestamp) - world.nowMs;
  return leftMs > 0
    ? { state, why: `within its grace period of ${pod.metadata.deletionGracePeriodSeconds ?? 30}s${disruption(pod)}` }
    : { state, why: 'its grace period is over, and its node has not said yet that it has ended' };
}

/** Who has sent it away, where that is not simply whoever deleted it. */
function disruption(pod: Pod): string {
  const { status, reason, message } = podCondition(pod, 'DisruptionTarget') ?? {};
  return status === 'True' ? `, sent away: ${reason ?? ''}${message === undefined ? '' : ` (${message})`}` : '';
}

function ended(pod: Pod): Said {
  if (pod.status.phase === 'Succeeded') return { state: 'has succeeded' };
  const { reason, message } = pod.status;
  const bad = (pod.status.containerStatuses ?? []).filter(
    ({ state }) => (state?.terminated?.exitCode ?? 0) !== 0 && !(reason !== undefined && neverRan(state)),
  );
  const failed = bad.map(({ name, state }) => `container ${name} exited with code ${state?.terminated?.exitCode}`);
  const why = [...(reason === undefined ? [] : [message === undefined ? reason : `${reason}: ${message}`]), ...failed];
  return {
    state: 'has failed',
    why: why.join('; '),
    // What a node says of an eviction has amounts in it.
    alike: [reason ?? '', ...failed].join('; '),
    ...(bad[0] !== undefined && { mend: logOf(pod, bad[0].name) }),
  };
}

/** Its node calls it so where it ended the pod before. */
function neverRan(state: ContainerState | undefined): boolean {
  return state?.terminated?.reason === 'ContainerStatusUnknown';
}

function notReady(pod: Pod): Pick<Said, 'why' | 'mend'> {
  const container = containerTrouble(pod);
  const gates = gateTrouble(pod);
  if (gates !== undefined)
    return container === undefined
      ? gates
      : { why: `${container.why}; ${gates.why}`, mend: [container.mend, gates.mend].filter(Boolean).join('; ') };
  if (container !== undefined) return container;
  const { reason, message } = podCondition(pod, 'Ready') ?? {};
  if ((pod.status.containerStatuses ?? []).length === 0) return { why: 'its node has not started it yet' };
  return { why: message ?? reason ?? 'its node does not call it ready' };
}

function containerTrouble(pod: Pod): Pick<Said, 'why' | 'mend'> | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status;
  const init = initContainerStatuses.find(({ ready, state }) => !ready && state?.terminated?.exitCode !== 0);
  if (init !== undefined && init.started !== true) return ofContainer('init container', init, pod);
  const container = containerStatuses.find(({ ready }) => !ready);
  return container && ofContainer('container', container, pod);
}

/** Conditions that somebody besides its node has to set to True, and has not. */
function gateTrouble(pod: Pod): Pick<Said, 'why' | 'mend'> | undefined {
  const unmet = (pod.spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const { status, reason, message = reason } = podCondition(pod, conditionType) ?? {};
    if (status === 'True') return [];
    const said = message === undefined ? '' : ` (${withoutName(message, pod)})`;
    return [`its readiness gate ${conditionType} is ${status === undefined ? 'not set' : `${status}${said}`}`];
  });
  if (unmet.length === 0) return undefined;
  const which = unmet.length === 1 ? 'that condition' : 'those conditions';
  return {
    why: unmet.join('; '),
    mend: `whoever answers for ${which} has to set ${unmet.length === 1 ? 'it' : 'them'} to True`,
  };
}

function ofContainer(
  what: string,
  { name, state, restartCount, lastState }: ContainerStatus,
  pod: Pod,
): Pick<Said, 'why' | 'mend'> {
  const { waiting, terminated, running } = state ?? {};
  const last = lastState?.terminated;
  const before = restartCount > 0 && last !== undefined ? `, it exited with code ${last.exitCode} before` : '';
  if (waiting !== undefined) {
    const { reason = 'waiting', message } = waiting;
    const isStarting = reason === 'ContainerCreating' || reason === 'PodInitializing';
    const said = message === undefined || message === '' || isStarting ? '' : ` (${withoutName(message, pod)})`;
    const mend = reason === 'CrashLoopBackOff' ? `${logOf(pod, name)} --previous` : (mends[reason] ?? '');
    return { why: `${what} ${name} waits: ${reason}${said}${before}`, mend };
  }
  if (terminated !== undefined)
    return { why: `${what} ${name} exited with code ${terminated.exitCode}`, mend: logOf(pod, name) };
  if (running !== undefined && what === 'container')
    return { why: `container ${name} runs and is not ready${before}`, mend: 'its readiness probe has to succeed' };
  return { why: `${what} ${name} has yet to ${running === undefined ? 'start' : 'end'}` };
}

/** Kubelets name the pod in what they say of it, and how long they wait; then no two pods would be said to wait for the same. */
function withoutName(message: string, { metadata }: Pod): string {
  const { name, namespace, uid } = metadata;
  return message
    .replaceAll(` pod=${name}_${namespace}(${uid})`, '')
    .replaceAll(` pod=${name}`, '')
    .replace(/^back-off \S+ restarting/, 'back-off restarting')
    .replaceAll(name, 'POD');
}

/** Of several pods that are said to wait for the same the log of one is read. */
function logOf({ metadata, spec }: Pod, container: string): string {
  const isOnly = spec.containers.length === 1 && spec.containers[0]?.name === container;
  return `its log says why: kubectl logs ${metadata.name}${inNamespace(metadata)}${isOnly ? '' : ` -c ${container}`}`;
}

const image = 'mend the name of the image, or the secrets that pull it';
const mends: Readonly<Record<string, string>> = {
  ErrImagePull: image,
  ImagePullBackOff: image,
  InvalidImageName: image,
  ErrImageNeverPull: image,
  CreateContainerConfigError: 'create the ConfigMap or Secret that it names',
};
