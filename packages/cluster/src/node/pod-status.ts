import { mergeConditions } from '../api/conditions.ts';
import type {
  Container,
  ContainerState,
  ContainerStateTerminated,
  ContainerStatus,
  Pod,
  PodCondition,
  PodStatus,
} from '../api/generated/core-v1.ts';
import { toTimestamp } from '../base/clock.ts';
import { fresh } from '../base/fresh.ts';
import { isPodTerminal, isSidecar, podCondition } from '../resources/core/pod/facts.ts';
import type { SizeRefusal } from './admission.ts';
import type { Ended, PodSeen } from './driver.ts';
import { isRestarted, restartBackOffMs, unfinishedInit, wholeNameOf } from './pod-containers.ts';
import { type SeenOf, sizeOf, tellsSizes, withPending } from './sizes.ts';

export interface PodFacts {
  readonly seen: PodSeen;
  /** Undefined: the machine has said none yet. */
  readonly hostIp: string | undefined;
  /** Why its containers do not get the size that they ask for now. */
  readonly sizeRefusal?: SizeRefusal | undefined;
  /** It has no sandbox before it has its volumes. */
  readonly lacksVolumes?: boolean;
  /** It is deleted, and nothing of it runs any more. */
  readonly isAtEnd?: boolean;
  /** The version of the pod that this is said of. */
  readonly generation: number | undefined;
  readonly nowMs: number;
}

/** What the node says of a pod whose containers are as its driver sees them. */
export function podStatus(pod: Pod, { seen: found, ...told }: PodFacts): PodStatus {
  const { hostIp, sizeRefusal: refusal, lacksVolumes, isAtEnd = false, nowMs } = told;
  const seenOf = versioned(told.generation);
  const seen = isAtEnd ? { ...found, stopping: found.stopping ?? { sinceMs: nowMs, graceMs: 0 } } : found;
  const now = toTimestamp(nowMs);
  const startTime = pod.status.startTime ?? now;
  if (isTurnedAway(pod, seen))
    return { ...fresh, ...pod.status, ...seenOf, ...seen.failed, phase: 'Failed', startTime };
  const { containers, initContainers, ephemeralContainers } = pod.spec;
  const podIp = pod.spec.hostNetwork === true && hasBegun(seen) ? hostIp : seen.podIp;
  const blocked = unfinishedInit(pod, seen);
  const absent = blocked.length > 0 ? 'PodInitializing' : 'ContainerCreating';
  const phase = isAtEnd ? lastPhase(pod, seen) : toldPhase(pod, seen);
  const comesToNothing = phase === 'Failed' && seen.failed !== undefined;
  const facts = { seen, absent, comesToNothing, ...(tellsSizes(pod, seen) && { sizes: { refusal } }) };
  const containerStatuses = containers.map((container) => containerStatus(pod, container, facts));
  const said = [
    lacksVolumes === true ? cannotStart : canStart,
    initialization(blocked),
    ...readiness(pod, { phase, containerStatuses }),
    scheduled,
  ].map((condition) => ({ ...fresh, ...condition, ...seenOf }));
  return {
    ...pod.status,
    ...seenOf,
    ...(phase === 'Failed' ? seen.failed : {}),
    phase,
    ...(hostIp !== undefined && { hostIP: hostIp, hostIPs: [{ ip: hostIp }] }),
    ...(podIp !== undefined && { podIP: podIp, podIPs: [{ ip: podIp }] }),
    startTime,
    conditions: withPending(mergeConditions(pod.status.conditions, said, now), { pod, refusal, seenOf, now }),
    containerStatuses,
    ...(initContainers !== undefined && {
      initContainerStatuses: initContainers.map((container) => initStatus(pod, container, facts)),
    }),
    ...(ephemeralContainers !== undefined && {
      ephemeralContainerStatuses: ephemeralContainers.map((each) =>
        ephemeralStatus(pod, each, { seen, absent, comesToNothing }),
      ),
    }),
  };
}

/** What says which version of a pod its node speaks of. */
function versioned(generation: number | undefined): SeenOf {
  return generation === undefined ? noVersion : { observedGeneration: generation };
}

const noVersion: SeenOf = {};

/** Nothing was ever told of its containers, and nothing will be. */
function isTurnedAway({ status: { containerStatuses = [] } }: Pod, { failed, containers }: PodSeen): boolean {
  return failed !== undefined && containers.size === 0 && containerStatuses.length === 0;
}

function hasBegun({ containers }: PodSeen): boolean {
  return [...containers.values()].some(({ is }) => is !== 'waiting');
}

/** Whatever still runs of it, as a sidecar may. */
export function isOver(pod: Pod, seen: PodSeen): boolean {
  return isPodTerminal(pod) || ['Succeeded', 'Failed'].includes(phaseOf(pod, seen));
}

export function hasRunning({ containers }: PodSeen): boolean {
  return [...containers.values()].some(({ is }) => is === 'running');
}

/** Who takes a pod for ended may count on it that nothing of it runs. */
function toldPhase(pod: Pod, seen: PodSeen): string {
  const { phase } = pod.status;
  const isToWait = seen.tellsEnds === true || seen.failed !== undefined;
  const waits = isToWait && hasRunning(seen) && isOver(pod, seen);
  return waits && phase !== undefined ? phase : phaseOf(pod, seen);
}

/** As a kubelet since 1.27: what has not succeeded has failed, also where nothing of it ever ran. */
function lastPhase(pod: Pod, seen: PodSeen): string {
  if (isPodTerminal(pod) && pod.status.phase !== undefined) return pod.status.phase;
  return phaseOf(pod, seen) === 'Succeeded' ? 'Succeeded' : 'Failed';
}

function phaseOf(pod: Pod, { containers, failed, stopping }: PodSeen): string {
  if (failed !== undefined) return 'Failed';
  const goesOn = (container: Container): boolean => {
    const seen = containers.get(container.name);
    return seen?.is !== 'ended' || (stopping === undefined && isRestarted(seen, { pod, container }));
  };
  const hasFailed = ({ name }: Container): boolean => {
    const seen = containers.get(name);
    return seen?.is === 'ended' && seen.exitCode !== 0;
  };
  if (pod.spec.initContainers?.some((each) => hasFailed(each) && !goesOn(each)) === true) return 'Failed';
  const hasRun = ({ name }: Container): boolean => {
    const seen = containers.get(name);
    return seen !== undefined && (seen.is !== 'waiting' || seen.before !== undefined);
  };
  if (!pod.spec.containers.every(hasRun)) return 'Pending';
  if (pod.spec.containers.some(goesOn)) return 'Running';
  return pod.spec.containers.some(hasFailed) ? 'Failed' : 'Succeeded';
}

function readiness(
  pod: Pod,
  { phase, containerStatuses }: { readonly phase: string; readonly containerStatuses: readonly ContainerStatus[] },
): readonly SaidCondition[] {
  if (phase === 'Succeeded' || phase === 'Failed')
    return neitherReady({ reason: phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed' });
  const unready = containerStatuses.filter(({ ready }) => !ready).map(({ name }) => name);
  if (unready.length > 0) {
    const message = `containers with unready status: [${unready.join(' ')}]`;
    return neitherReady({ reason: 'ContainersNotReady', message });
  }
  const gate = unmetGate(pod);
  if (gate === undefined) return bothReady;
  const message = `corresponding condition of pod readiness gate "${gate}" does not exist.`;
  return [{ type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message }, containersReady];
}

type SaidCondition = Omit<PodCondition, 'lastTransitionTime'>;

const canStart: SaidCondition = { type: 'PodReadyToStartContainers', status: 'True' };
const cannotStart: SaidCondition = { type: 'PodReadyToStartContainers', status: 'False' };
const initialized: SaidCondition = { type: 'Initialized', status: 'True' };
const scheduled: SaidCondition = { type: 'PodScheduled', status: 'True' };
const containersReady: SaidCondition = { type: 'ContainersReady', status: 'True' };
const bothReady: readonly SaidCondition[] = [{ type: 'Ready', status: 'True' }, containersReady];

function neitherReady(why: Pick<SaidCondition, 'reason' | 'message'>): readonly SaidCondition[] {
  return [
    { type: 'Ready', status: 'False', ...why },
    { type: 'ContainersReady', status: 'False', ...why },
  ];
}

function initialization(blocked: readonly string[]): SaidCondition {
  if (blocked.length === 0) return initialized;
  const message = `containers with incomplete status: [${blocked.join(' ')}]`;
  return { type: 'Initialized', status: 'False', reason: 'ContainersNotInitialized', message };
}

interface StatusFacts {
  readonly seen: PodSeen;
  /** Why one waits that nobody has asked to start. */
  readonly absent: string;
  /** The pod has failed: who waits will never run. */
  readonly comesToNothing: boolean;
  /** Absent: of the sizes of containers nothing is said. */
  readonly sizes?: { readonly refusal: SizeRefusal | undefined };
}

function containerStatus(pod: Pod, container: Container, facts: StatusFacts): ContainerStatus {
  const { seen, absent, comesToNothing, sizes } = facts;
  const own = seen.containers.get(container.name) ?? { is: 'waiting', reason: absent };
  const before = statusBefore(pod, container.name);
  switch (own.is) {
    case 'waiting': {
      const { reason, message } = own;
      const state = comesToNothing ? neverRan : { waiting: { reason, ...(message !== undefined && { message }) } };
      const { restartCount = 0, imageID = '' } = before ?? {};
      const status = statusOf(container, { before, state, restartCount, imageID });
      return own.before === undefined
        ? status
        : { ...fresh, ...status, lastState: { terminated: terminatedState(own.before) } };
    }
    case 'running': {
      const state = { running: { startedAt: toTimestamp(own.startedMs) } };
      const status = statusOf(container, { before, state, restartCount: own.restartCount, imageID: own.imageId });
      const running = {
        ...fresh,
        ...status,
        ...{ ready: own.ready, started: own.isStarting !== true, containerID: own.id },
        ...(sizes !== undefined && sizeOf(container, { before, ...sizes })),
      };
      return own.before === undefined
        ? running
        : { ...running, lastState: { terminated: terminatedState(own.before) } };
    }
    case 'ended': {
      const terminated = terminatedState(own);
      const parts = { before, restartCount: own.restartCount, imageID: own.imageId };
      if (seen.stopping !== undefined || !isRestarted(own, { pod, container })) {
        const status = statusOf(container, { ...parts, state: { terminated } });
        return own.id === undefined ? status : { ...fresh, ...status, containerID: own.id };
      }
      const backOff = formatSeconds(restartBackOffMs(own) / 1_000);
      const message = `back-off ${backOff} restarting failed container=${container.name} pod=${wholeNameOf(pod)}`;
      const state = { waiting: { reason: 'CrashLoopBackOff', message } };
      return { ...statusOf(container, { ...parts, state }), lastState: { terminated } };
    }
    default:
      return own satisfies never;
  }
}

/** In a kubelet's words; else the pod would look as if it were about to run. */
const neverRan: ContainerState = Object.freeze({
  terminated: Object.freeze({
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was terminated',
  }),
});

/** As kubelets write it: `10s`, `1m20s`, `5m0s`. */
function formatSeconds(seconds: number): string {
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

function terminatedState({ exitCode, startedMs, endedMs, ...ended }: Omit<Ended, 'before'>): ContainerStateTerminated {
  const { reason = exitCode === 0 ? 'Completed' : 'Error', message, signal, id } = ended;
  return {
    exitCode,
    reason,
    startedAt: toTimestamp(startedMs),
    finishedAt: toTimestamp(endedMs),
    ...(message !== undefined && { message }),
    ...(signal !== undefined && { signal }),
    ...(id !== undefined && { containerID: id }),
  };
}

interface StatusParts extends Pick<ContainerStatus, 'restartCount' | 'imageID'> {
  readonly before: ContainerStatus | undefined;
  readonly state: ContainerState;
}

function statusOf(
  { name, image = '' }: Container,
  { before, state, restartCount, imageID }: StatusParts,
): ContainerStatus {
  const lastState = before?.lastState;
  const known = { name, image, imageID, ready: false, started: false, restartCount, state };
  return lastState === undefined ? known : { ...known, lastState };
}

/** What the API says of a container. */
export function statusBefore({ status }: Pod, name: string): ContainerStatus | undefined {
  const isNamed = (each: ContainerStatus): boolean => each.name === name;
  return (
    status.containerStatuses?.find(isNamed) ??
    status.initContainerStatuses?.find(isNamed) ??
    status.ephemeralContainerStatuses?.find(isNamed)
  );
}

/** Nobody waits for it to be ready. */
function ephemeralStatus(pod: Pod, container: Container, facts: StatusFacts): ContainerStatus {
  const { started: _started, ...status } = containerStatus(pod, container, facts);
  return { ...status, ready: false };
}

function initStatus(pod: Pod, container: Container, facts: StatusFacts): ContainerStatus {
  const status = containerStatus(pod, container, { ...facts, absent: 'PodInitializing' });
  const { state } = status;
  // Clients take any other reason for something that holds the pod up.
  if (state?.waiting?.reason === 'ContainerCreating')
    return { ...fresh, ...status, state: { waiting: { reason: 'PodInitializing' } } };
  const isDone = state?.terminated?.exitCode === 0 && !isSidecar(container);
  return isDone ? { ...fresh, ...status, ready: true } : status;
}

function unmetGate(pod: Pod): string | undefined {
  return pod.spec.readinessGates?.find(({ conditionType }) => podCondition(pod, conditionType)?.status !== 'True')
    ?.conditionType;
}
