import type { ContainerStatus, Pod, PodStatus } from '../api/generated/core-v1.ts';
import { fromTimestamp } from '../base/clock.ts';
import { equal } from '../base/equal.ts';
import { fresh } from '../base/fresh.ts';
import { isPodTerminal, podCondition } from '../resources/core/pod/facts.ts';
import type { SizeRefusal } from './admission.ts';
import type { ContainerStart, PodEvent, PodSeen, StopTerms, Waiting } from './driver.ts';
import { isRestarted, startsOf, wholeNameOf } from './pod-containers.ts';
import { hasRunning, isOver, type PodFacts, podStatus, statusBefore } from './pod-status.ts';
import { anewForSizes, sizeRefusalOf } from './sizes.ts';

export interface PodObserved {
  readonly pod: Pod;
  readonly seen: PodSeen;
  readonly hostIp: string | undefined;
  /** When the agent learned that the pod is to stop; times of the API are whole seconds, this one is not. */
  readonly stoppingMs: number | undefined;
  /** Why its containers do not get the size that they ask for now. */
  readonly sizeRefusal?: SizeRefusal | undefined;
  /** Some of what it mounts is not there yet; quiet: nothing is to be said of that. */
  readonly volumes?: { readonly againInMs: number | undefined; readonly isQuiet?: boolean } | undefined;
  /** Why containers cannot be made, by their names: what their environment names is not there. */
  readonly lackingEnvironments?: ReadonlyMap<string, string> | undefined;
  /** Secrets for pulling its images that are not there. */
  readonly missingPullSecrets?: readonly string[] | undefined;
}

/** What the agent does next for a pod. Orders to the driver come alone: what comes of them is seen before anything is told. */
export type PodAction =
  | { readonly do: 'start'; readonly containers: readonly ContainerStart[] }
  | { readonly do: 'stop'; readonly terms: StopTerms }
  | { readonly do: 'report'; readonly status: PodStatus; readonly events: readonly PodEvent[] }
  | { readonly do: 'remove' };

export interface PodPlan {
  readonly action?: PodAction;
  /** When to look again. */
  readonly againMs?: number;
  /** With what is reported all is said: who sees it come back as it was told need not look again. */
  readonly isLast?: true;
}

/** Containers that take longer to start than this are reported as being created first. */
const slowStartMs = 1_000;

/** Decides; does nothing. The pod's life: taken in → containers run → ready → (a container ends → again)* → stopping → gone. */
export function planPod(observed: PodObserved, nowMs: number): PodPlan {
  const { pod, seen } = observed;
  if (pod.metadata.deletionTimestamp !== undefined) return planStop(observed, nowMs);
  const deadlineMs = deadlineOf(observed);
  if (deadlineMs !== undefined && deadlineMs <= nowMs && seen.failed === undefined)
    return withDeadlineTold(planRest({ ...observed, seen: { ...seen, failed: tooLate } }, nowMs));
  if (seen.failed !== undefined || (seen.tellsEnds === true && isOver(pod, seen))) return planRest(observed, nowMs);
  if (isPodTerminal(pod)) return nothing;
  if (observed.volumes !== undefined && seen.containers.size === 0) {
    const againMs = earliest(againAt(nowMs, observed.volumes.againInMs), deadlineMs);
    return observed.volumes.isQuiet === true ? again(againMs) : planReport(observed, { nowMs, againMs });
  }
  const { due, nextMs } = startsOf(pod, seen, nowMs);
  const refused = refusedOf(due, observed);
  const startable = refused.size === 0 ? due : due.filter(({ name }) => !refused.has(name));
  if (startable.length > 0) return { action: { do: 'start', containers: startable } };
  if (refused.size > 0 && seen.beginsMs !== undefined && nowMs < seen.beginsMs)
    return again(earliest(seen.beginsMs, seen.changesMs, nextMs, deadlineMs));
  const sizeRefusal = sizeRefusalOf(pod, { seen, lacking: observed.sizeRefusal });
  const anew = sizeRefusal === undefined ? anewForSizes(pod, seen) : [];
  if (anew.length > 0) return { action: { do: 'start', containers: anew } };
  const sizeMs = sizeRefusal?.reason === 'Deferred' ? nowMs + sizeRetryMs : undefined;
  const refusedMs = refused.size > 0 ? nowMs + refusedRetryMs : undefined;
  const againMs = earliest(seen.changesMs, nextMs, deadlineMs, sizeMs, refusedMs);
  return planReport({ ...observed, sizeRefusal, seen: withRefused(seen, refused) }, { nowMs, againMs });
}

/** Who leaves the node makes room for those that wait for another size. */
const sizeRetryMs = 5_000;

/** A kubelet looks at such a pod again after ten to fifteen seconds, or when something else happens to it. */
const refusedRetryMs = 10_000;

/** Why each of those that are due is not made. */
function refusedOf(
  due: readonly ContainerStart[],
  { lackingEnvironments: lacking }: PodObserved,
): ReadonlyMap<string, string> {
  if (lacking === undefined) return noneRefused;
  return new Map(due.flatMap(({ name }) => (lacking.has(name) ? [[name, lacking.get(name) ?? '']] : [])));
}

const noneRefused: ReadonlyMap<string, string> = new Map();

/** Nobody has asked the driver to start them; what they wait for is told as if it had refused. */
function withRefused(seen: PodSeen, refused: ReadonlyMap<string, string>): PodSeen {
  if (refused.size === 0) return seen;
  const containers = new Map(seen.containers);
  for (const [name, message] of refused) {
    const known = containers.get(name);
    const event = { reason: 'Failed', note: `Error: ${message}` };
    const reason = 'CreateContainerConfigError';
    containers.set(name, { is: 'waiting', reason, message, event, ...(known?.is === 'ended' && { before: known }) });
  }
  return { ...seen, containers };
}

const nothing: PodPlan = {};

const tooLate: NonNullable<PodSeen['failed']> = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};

function deadlineOf({ pod: { spec, status } }: PodObserved): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || status.startTime === undefined) return undefined;
  return fromTimestamp(status.startTime) + 1_000 * Number(spec.activeDeadlineSeconds);
}

/** An event beside what stands in the pod, as a kubelet. */
function withDeadlineTold(plan: PodPlan): PodPlan {
  const { action } = plan;
  if (action?.do !== 'report' || action.status.phase !== 'Failed') return plan;
  const events = [...action.events, normal(tooLate.reason, tooLate.message)];
  return { ...plan, action: { ...action, events } };
}

/** Nothing of a pod that is at its end runs on, as its sidecars would; that it is, is told when nothing does. */
function planRest(observed: PodObserved, nowMs: number): PodPlan {
  const { pod, seen } = observed;
  const goesOn = [...seen.containers.values()].some(({ is }) => is !== 'ended');
  if (goesOn && seen.stopping === undefined) {
    const graceMs = 1_000 * Number(pod.spec.terminationGracePeriodSeconds ?? 30);
    return { action: { do: 'stop', terms: { sinceMs: nowMs, graceMs } } };
  }
  return isPodTerminal(pod) ? nothing : planReport(observed, { nowMs, againMs: seen.changesMs });
}

function planStop(observed: PodObserved, nowMs: number): PodPlan {
  const { pod, seen, stoppingMs, hostIp } = observed;
  const goesOn = hasRunning(seen);
  const tellsEnd = seen.tellsEnds === true || isHeldUp(pod);
  if (!goesOn && !tellsEnd) return { action: { do: 'remove' } };
  const graceMs = 1_000 * Number(pod.metadata.deletionGracePeriodSeconds ?? 0);
  const { stopping } = seen;
  if (goesOn && stopping?.graceMs !== graceMs)
    return { action: { do: 'stop', terms: { sinceMs: stoppingMs ?? nowMs, graceMs } } };
  if (tellsEnd) {
    const sizeRefusal = sizeRefusalOf(pod, { seen, lacking: observed.sizeRefusal });
    const status = newStatus(pod, { seen, hostIp, sizeRefusal, isAtEnd: !goesOn, nowMs });
    if (status !== undefined) return { action: { do: 'report', status, events: [] }, ...again(seen.changesMs) };
  }
  return goesOn ? again(seen.changesMs) : { action: { do: 'remove' } };
}

/** By somebody who wants to see how it ended, as Jobs do; where nobody does, a simulated pod goes with its containers. */
function isHeldUp(pod: Pod): boolean {
  return (pod.metadata.finalizers ?? []).length > 0 && !isPodTerminal(pod);
}

interface Moment {
  readonly nowMs: number;
  readonly againMs: number | undefined;
}

function planReport(observed: PodObserved, { nowMs, againMs }: Moment): PodPlan {
  const { pod, seen, hostIp, sizeRefusal, volumes } = observed;
  // What is at its end is told at once, also where it came before anything was made.
  if (seen.failed === undefined && isBeingCreated(seen)) {
    const isSlow = seen.changesMs === undefined || seen.changesMs - nowMs > slowStartMs;
    if (!isToldAsRunning(pod) && (!isSlow || pod.status.containerStatuses !== undefined)) return again(againMs);
  }
  const lacksVolumes = volumes !== undefined && seen.containers.size === 0;
  const status = newStatus(pod, { seen, hostIp, sizeRefusal, lacksVolumes, nowMs });
  if (status === undefined) return again(againMs);
  const secrets = lacksVolumes ? [] : pullSecretEvents(observed);
  const action = { do: 'report', status, events: [...secrets, ...eventsOf(pod, seen)] } as const;
  return againMs === undefined && runsOn(pod, seen) ? { action, isLast: true } : { action, ...again(againMs) };
}

/** What is to be told of it; undefined: that stands there. */
function newStatus(pod: Pod, facts: Omit<PodFacts, 'generation'>): PodStatus | undefined {
  const { generation } = pod.metadata;
  const status = podStatus(pod, { ...fresh, ...facts, generation });
  // Compared as a whole, because others write here too: who declared the node lost has taken the pod's readiness away.
  if (equal(status, pod.status)) return undefined;
  if (!isVersionForLater(pod)) return status;
  const asTold = podStatus(pod, { ...fresh, ...facts, generation: pod.status.observedGeneration });
  return equal(asTold, pod.status) ? undefined : status;
}

/** That its version has been seen is told with what is told next: nobody waits for it. */
function isVersionForLater({ metadata, status }: Pod): boolean {
  const { observedGeneration, startTime } = status;
  if (startTime === undefined || observedGeneration === metadata.generation) return false;
  // Its deletion counts as one; or whoever told of it before told of no version.
  return metadata.deletionTimestamp !== undefined || (observedGeneration === undefined && metadata.generation === 1);
}

/** Once, before the first of its containers: a kubelet tries to pull all the same. */
function pullSecretEvents({ pod, missingPullSecrets = [] }: PodObserved): readonly PodEvent[] {
  if (missingPullSecrets.length === 0 || podCondition(pod, 'PodReadyToStartContainers')?.status === 'True') return [];
  const names = missingPullSecrets.join(', ');
  const note = `Unable to retrieve some image pull secrets (${names}); attempting to pull the image may not succeed.`;
  return [warning('FailedToRetrieveImagePullSecret', note)];
}

/** Nothing of it waits or has ended, and it has no deadline: that is counted from what is told of its start. */
function runsOn({ spec }: Pod, { containers, tellsEnds }: PodSeen): boolean {
  if (tellsEnds === true || spec.activeDeadlineSeconds !== undefined) return false;
  return [...containers.values()].every((each) => each.is === 'running' && each.ready);
}

function isBeingCreated({ containers }: PodSeen): boolean {
  return [...containers.values()].every((each) => each.is === 'waiting' && each.reason === 'ContainerCreating');
}

/** What ran has ended with its machine, say: nobody may take it for ready until it runs again. */
function isToldAsRunning({ status: { containerStatuses = [], initContainerStatuses = [] } }: Pod): boolean {
  return [...containerStatuses, ...initContainerStatuses].some(({ state }) => state?.running !== undefined);
}

/** What is new since the last report. */
function eventsOf(pod: Pod, { containers }: PodSeen): readonly PodEvent[] {
  const { initContainers = [], ephemeralContainers = [] } = pod.spec;
  return [...initContainers, ...pod.spec.containers, ...ephemeralContainers].flatMap((container) => {
    const { name, image = '' } = container;
    const seen = containers.get(name);
    const before = statusBefore(pod, name);
    switch (seen?.is) {
      case undefined:
        return [];
      case 'waiting':
        if (seen.event === undefined || isToldToWait(before, seen)) return [];
        return waitEvents({ type: 'Warning', ...seen.event }, { reason: seen.reason, image });
      case 'running':
        if (before?.state?.running !== undefined && before.restartCount === seen.restartCount) return [];
        return [
          pulled(image),
          normal('Created', `Created container: ${name}`),
          normal('Started', `Started container ${name}`),
        ];
      case 'ended': {
        if (before?.state?.running === undefined || !isRestarted(seen, { pod, container })) return [];
        return [warning('BackOff', `Back-off restarting failed container ${name} in pod ${wholeNameOf(pod)}`)];
      }
      default:
        return seen satisfies never;
    }
  });
}

function isToldToWait(before: ContainerStatus | undefined, { reason, message }: Waiting): boolean {
  const told = before?.state?.waiting;
  return told !== undefined && told.reason === reason && told.message === message;
}

function pulled(image: string): PodEvent {
  return normal('Pulled', `Container image "${image}" already present on machine`);
}

/** What people look for where an image cannot be pulled: the try, its failure, and that it is not tried again at once. */
function waitEvents(
  told: PodEvent,
  { reason, image }: { readonly reason: string; readonly image: string },
): readonly PodEvent[] {
  if (reason === 'CreateContainerConfigError') return [pulled(image), told];
  if (reason !== 'ImagePullBackOff') return [told];
  return [
    normal('Pulling', `Pulling image "${image}"`),
    told,
    warning('Failed', 'Error: ErrImagePull'),
    normal('BackOff', `Back-off pulling image "${image}"`),
    warning('Failed', `Error: ${reason}`),
  ];
}

function normal(reason: string, note: string): PodEvent {
  return { type: 'Normal', reason, note };
}

function warning(reason: string, note: string): PodEvent {
  return { type: 'Warning', reason, note };
}

function again(againMs: number | undefined): Pick<PodPlan, 'againMs'> {
  return againMs === undefined ? nothing : { againMs };
}

function againAt(nowMs: number, inMs: number | undefined): number | undefined {
  return inMs === undefined ? undefined : nowMs + inMs;
}

function earliest(...moments: readonly (number | undefined)[]): number | undefined {
  const known = moments.filter((moment) => moment !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
