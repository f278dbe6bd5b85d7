import type { Pod, PodStatus } from '../../../api/generated/core-v1.ts';
import { fromTimestamp } from '../../../base/clock.ts';
import { equal } from '../../../base/equal.ts';
import { isPodTerminal } from '../../../resources/core/pod/facts.ts';
import { type Addresses, exitedStatus, preparingStatus, restartedStatus, runningStatus } from './pod-status.ts';
import { type Behaviour, behaviourOf, isUnpullable } from './simulation.ts';

/** What the node agent remembers of a pod; times of the API are whole seconds, these are not. */
export interface PodRun {
  /** When the pod was first seen on its node. */
  readonly seenMs: number;
  /** How long its containers take to start. */
  readonly startDelayMs: number;
  readonly startedMs: number | undefined;
  readonly stoppingMs: number | undefined;
}

export interface PodSeen {
  readonly pod: Pod;
  readonly run: PodRun;
  readonly hostIp: string;
}

/** The next thing to do for a pod on a simulated node. `againMs` is when to look again. */
export type PodStep =
  | { readonly do: 'nothing'; readonly againMs: number | undefined }
  | { readonly do: 'start'; readonly status: (addresses: Addresses) => PodStatus; readonly againMs: number | undefined }
  | {
      readonly do: 'report';
      readonly status: PodStatus;
      readonly event?: PodEvent;
      readonly againMs: number | undefined;
    }
  | { readonly do: 'remove' };

export interface PodEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
}

const restartBackoffMs = 10_000;
const restartBackoffMsMax = 300_000;
/** Containers that take longer to start than this are reported as being created first. */
const slowStartMs = 1_000;

/** Decides; does nothing. The pod's life: taken in → containers run → ready → (exit → again)* → stopping → gone. */
export function planPod({ pod, run, hostIp }: PodSeen, nowMs: number): PodStep {
  const behaviour = behaviourOf(pod);
  if (pod.metadata.deletionTimestamp !== undefined) return planStop(pod, { run, behaviour, nowMs });
  if (isPodTerminal(pod)) return nothing;
  const hasStarted = pod.status.containerStatuses?.some(
    ({ state, lastState }) => state?.running !== undefined || lastState?.terminated !== undefined,
  );
  if (hasStarted !== true) return planStart(pod, { run, hostIp, behaviour, nowMs });
  return planRunning(pod, { run, behaviour, nowMs });
}

const nothing: PodStep = { do: 'nothing', againMs: undefined };

interface Facts {
  readonly run: PodRun;
  readonly behaviour: Behaviour;
  readonly nowMs: number;
}

function planStop(pod: Pod, { run, behaviour, nowMs }: Facts): PodStep {
  const graceMs = 1_000 * Number(pod.metadata.deletionGracePeriodSeconds ?? 0);
  const isRunning = pod.status.containerStatuses?.some(({ state }) => state?.running !== undefined) === true;
  const goneMs = isRunning ? (run.stoppingMs ?? nowMs) + Math.min(graceMs, behaviour.stopAfterMs) : nowMs;
  return nowMs >= goneMs ? { do: 'remove' } : { do: 'nothing', againMs: goneMs };
}

function planStart(pod: Pod, { run, hostIp, behaviour, nowMs }: Facts & { readonly hostIp: string }): PodStep {
  const startMs = run.seenMs + run.startDelayMs;
  const bad = pod.spec.containers.find(({ image = '' }) => isUnpullable(image));
  if (bad !== undefined && nowMs >= startMs) {
    const message = `Back-off pulling image "${bad.image}"`;
    const isSaid =
      pod.status.containerStatuses?.some(({ state }) => state?.waiting?.reason === 'ImagePullBackOff') === true;
    if (isSaid) return nothing;
    const status = preparingStatus(pod, { nowMs, hostIp, waiting: { reason: 'ImagePullBackOff', message } });
    return {
      do: 'report',
      status,
      event: { type: 'Warning', reason: 'Failed', note: `Failed to pull image "${bad.image}": host not found` },
      againMs: undefined,
    };
  }
  if (nowMs >= startMs) {
    const isReady = behaviour.readyAfterMs === 0;
    const status = (addresses: Addresses): PodStatus => runningStatus(pod, { nowMs, addresses, isReady });
    return { do: 'start', status, againMs: nextMs(behaviour, nowMs, isReady) };
  }
  if (run.startDelayMs > slowStartMs && pod.status.containerStatuses === undefined) {
    const status = preparingStatus(pod, { nowMs, hostIp, waiting: { reason: 'ContainerCreating' } });
    return { do: 'report', status, againMs: startMs };
  }
  return { do: 'nothing', againMs: startMs };
}

function nextMs({ readyAfterMs, exitAfterMs }: Behaviour, startedMs: number, isReady: boolean): number | undefined {
  const moments = [isReady ? undefined : readyAfterMs, exitAfterMs].filter((delay) => delay !== undefined);
  return moments.length === 0 ? undefined : startedMs + Math.min(...moments);
}

function planRunning(pod: Pod, { run, behaviour, nowMs }: Facts): PodStep {
  const [first] = pod.status.containerStatuses ?? [];
  if (first?.state?.running === undefined) return planRestart(pod, { nowMs, restarts: first?.restartCount ?? 0 });
  const startedMs = run.startedMs ?? startedAtMs(first.state.running.startedAt, nowMs);
  const { exitAfterMs, readyAfterMs, exitCode } = behaviour;
  if (exitAfterMs !== undefined && nowMs >= startedMs + exitAfterMs) {
    const { restartPolicy = 'Always' } = pod.spec;
    const restarts = restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);
    const status = exitedStatus(pod, { nowMs, exitCode, restarts });
    const againMs = restarts ? nowMs + backOffMs(first.restartCount) : undefined;
    const event: PodEvent = {
      type: 'Warning',
      reason: 'BackOff',
      note: `Back-off restarting failed container ${first.name} in pod ${pod.metadata.name}`,
    };
    return { do: 'report', status, againMs, ...(restarts && { event }) };
  }
  // Someone who changes the annotation of a running pod takes its readiness away, or gives it back.
  const isReady = readyAfterMs !== undefined && nowMs >= startedMs + readyAfterMs;
  const againMs = nextMs(behaviour, startedMs, isReady);
  const addresses = { podIp: pod.status.podIP ?? '', hostIp: pod.status.hostIP ?? '' };
  // Compared as a whole, because others write here too: who declared the node lost has taken the pod's readiness away.
  const status = runningStatus(pod, { nowMs, addresses, isReady });
  return equal(status, pod.status) ? { do: 'nothing', againMs } : { do: 'report', status, againMs };
}

function planRestart(pod: Pod, { nowMs, restarts }: { readonly nowMs: number; readonly restarts: number }): PodStep {
  const endedAt = pod.status.containerStatuses?.[0]?.lastState?.terminated?.finishedAt;
  if (endedAt === undefined) return nothing;
  const dueMs = fromTimestamp(endedAt) + backOffMs(restarts);
  if (nowMs < dueMs) return { do: 'nothing', againMs: dueMs };
  return { do: 'report', status: restartedStatus(pod, { nowMs }), againMs: nowMs };
}

function backOffMs(restarts: number): number {
  return Math.min(restartBackoffMsMax, restartBackoffMs * 2 ** restarts);
}

/** After a restart of the plane only the whole second is known. */
function startedAtMs(startedAt: string | undefined, nowMs: number): number {
  return startedAt === undefined ? nowMs : fromTimestamp(startedAt);
}
