import { mergeConditions } from '../../../api/conditions.ts';
import type {
  Container,
  ContainerState,
  ContainerStatus,
  Pod,
  PodCondition,
  PodStatus,
} from '../../../api/generated/core-v1.ts';
import { toTimestamp } from '../../../base/clock.ts';
import { fnv1a } from '../../../base/random.ts';
import { isSidecar, podCondition } from '../../../resources/core/pod/facts.ts';

export interface Addresses {
  readonly podIp: string;
  readonly hostIp: string;
}

type Timed = { readonly nowMs: number };

/** The status of a pod whose node has taken it in and prepares its containers. */
export function preparingStatus(
  pod: Pod,
  { nowMs, hostIp, waiting }: Timed & { readonly hostIp: string; readonly waiting: Waiting },
): PodStatus {
  const now = toTimestamp(nowMs);
  const blocked = (container: Container): ContainerStatus => statusOf(pod, container, { waiting });
  return {
    ...pod.status,
    phase: 'Pending',
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    startTime: pod.status.startTime ?? now,
    conditions: mergedConditions(pod, now, [
      ['PodReadyToStartContainers', 'True'],
      ['Initialized', 'True'],
      ['Ready', 'False', 'ContainersNotReady', unready(pod)],
      ['ContainersReady', 'False', 'ContainersNotReady', unready(pod)],
    ]),
    containerStatuses: pod.spec.containers.map(blocked),
  };
}

export interface Waiting {
  readonly reason: string;
  readonly message?: string;
}

/** All containers run; the pod may still be unready. Init containers have done their work. */
export function runningStatus(
  pod: Pod,
  { nowMs, addresses, isReady }: Timed & { readonly addresses: Addresses; readonly isReady: boolean },
): PodStatus {
  const now = toTimestamp(nowMs);
  const { podIp, hostIp } = addresses;
  const running = (container: Container): ContainerStatus => {
    const before = pod.status.containerStatuses?.find(({ name }) => name === container.name);
    const startedAt = before?.state?.running?.startedAt ?? now;
    return { ...statusOf(pod, container, { running: { startedAt } }), ready: isReady };
  };
  const isGated = unmetGates(pod).length > 0;
  const because = isReady ? [] : ['ContainersNotReady', unready(pod)];
  const gatesSay =
    isReady && isGated
      ? [
          'ReadinessGatesNotReady',
          `corresponding condition of pod readiness gate "${unmetGates(pod)[0]}" does not exist.`,
        ]
      : because;
  return {
    ...pod.status,
    phase: 'Running',
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    podIP: podIp,
    podIPs: [{ ip: podIp }],
    startTime: pod.status.startTime ?? now,
    conditions: mergedConditions(pod, now, [
      ['PodReadyToStartContainers', 'True'],
      ['Initialized', 'True'],
      ['Ready', isReady && !isGated ? 'True' : 'False', ...gatesSay],
      ['ContainersReady', isReady ? 'True' : 'False', ...because],
    ]),
    containerStatuses: pod.spec.containers.map(running),
    ...(pod.spec.initContainers !== undefined && {
      initContainerStatuses: pod.spec.initContainers.map((container) => initStatus(pod, container, now)),
    }),
  };
}

/** The containers have ended: the pod with them, or they wait to be started again. */
export function exitedStatus(
  pod: Pod,
  { nowMs, exitCode, restarts }: Timed & { readonly exitCode: number; readonly restarts: boolean },
): PodStatus {
  const now = toTimestamp(nowMs);
  const reason = exitCode === 0 ? 'Completed' : 'Error';
  const ended = (container: Container): ContainerStatus => {
    const startedAt =
      pod.status.containerStatuses?.find(({ name }) => name === container.name)?.state?.running?.startedAt ?? now;
    const terminated: ContainerState = { terminated: { exitCode, reason, startedAt, finishedAt: now } };
    if (!restarts) return { ...statusOf(pod, container, terminated), started: false };
    const waiting = {
      reason: 'CrashLoopBackOff',
      message: `back-off restarting failed container=${container.name} pod=${pod.metadata.name}`,
    };
    return { ...statusOf(pod, container, { waiting }), lastState: terminated, started: false };
  };
  const why = restarts ? 'ContainersNotReady' : exitCode === 0 ? 'PodCompleted' : 'PodFailed';
  const message = why === 'ContainersNotReady' ? [unready(pod)] : [];
  return {
    ...pod.status,
    phase: restarts ? 'Running' : exitCode === 0 ? 'Succeeded' : 'Failed',
    conditions: mergedConditions(pod, now, [
      ['Ready', 'False', why, ...message],
      ['ContainersReady', 'False', why, ...message],
    ]),
    containerStatuses: pod.spec.containers.map(ended),
  };
}

/** Started once more after an end. */
export function restartedStatus(pod: Pod, { nowMs }: Timed): PodStatus {
  const now = toTimestamp(nowMs);
  const again = (container: Container): ContainerStatus => {
    const before = pod.status.containerStatuses?.find(({ name }) => name === container.name);
    return {
      ...statusOf(pod, container, { running: { startedAt: now } }),
      restartCount: (before?.restartCount ?? 0) + 1,
    };
  };
  return { ...pod.status, phase: 'Running', containerStatuses: pod.spec.containers.map(again) };
}

function statusOf(pod: Pod, { name, image = '' }: Container, state: ContainerState): ContainerStatus {
  const before = pod.status.containerStatuses?.find((each) => each.name === name);
  const isRunning = state.running !== undefined;
  return {
    name,
    image,
    imageID: isRunning ? imageId(image) : (before?.imageID ?? ''),
    ready: false,
    started: isRunning,
    restartCount: before?.restartCount ?? 0,
    state,
    ...(before?.lastState !== undefined && { lastState: before.lastState }),
    ...(isRunning && { containerID: `simulated://${hex(`${pod.metadata.uid}/${name}/${before?.restartCount ?? 0}`)}` }),
  };
}

function initStatus(pod: Pod, container: Container, now: string): ContainerStatus {
  if (isSidecar(container)) return { ...statusOf(pod, container, { running: { startedAt: now } }), ready: true };
  const terminated = { exitCode: 0, reason: 'Completed', startedAt: now, finishedAt: now };
  return { ...statusOf(pod, container, { terminated }), ready: true, imageID: imageId(container.image ?? '') };
}

function imageId(image: string): string {
  const repository = image.split('@')[0]?.replace(/:[^/:]*$/, '') ?? image;
  return `${repository}@sha256:${hex(image)}`;
}

/** 64 hexadecimal digits that depend on nothing but the text. */
function hex(text: string): string {
  return Array.from({ length: 8 }, (_, part) => fnv1a(`${part}/${text}`).toString(16).padStart(8, '0')).join('');
}

function unready({ spec }: Pod): string {
  return `containers with unready status: [${spec.containers.map(({ name }) => name).join(' ')}]`;
}

function unmetGates(pod: Pod): readonly string[] {
  const gates = pod.spec.readinessGates ?? [];
  return gates.map(({ conditionType }) => conditionType).filter((type) => podCondition(pod, type)?.status !== 'True');
}

type ConditionParts = readonly [type: string, status: string, ...why: readonly string[]];

function mergedConditions(pod: Pod, now: string, parts: readonly ConditionParts[]): readonly PodCondition[] {
  const said = parts.map(([type, status, reason, message]) => ({
    type,
    status,
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
  }));
  return mergeConditions(pod.status.conditions, said, now);
}
