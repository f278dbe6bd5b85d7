/** What follows for a pod's containers from what its driver sees of them. */
import type { Container, Pod } from '../api/generated/core-v1.ts';
import { fromTimestamp, toTimestamp } from '../base/clock.ts';
import { isSidecar } from '../resources/core/pod/facts.ts';
import type { ContainerSeen, ContainerStart, Ended, PodSeen } from './driver.ts';

const restartBackoffMs = 10_000;
const restartBackoffMsMax = 300_000;
/** Whoever ran this long starts from the shortest wait again. */
const longRunMs = 600_000;

export interface ContainerOf {
  readonly pod: Pod;
  readonly container: Container;
}

/** Put into the pod while it runs, to look at it: it runs once, and the pod's life does not depend on it. */
export function isEphemeral({ spec }: Pod, container: Container): boolean {
  return spec.ephemeralContainers?.some((each) => each === container) === true;
}

/** Whether a container that ended like this is started again: a sidecar always, the others as their pod's policy says. */
export function isRestarted({ exitCode }: Pick<Ended, 'exitCode'>, { pod, container }: ContainerOf): boolean {
  if (isEphemeral(pod, container)) return false;
  if (isSidecar(container)) return true;
  const { initContainers, restartPolicy = 'Always' } = pod.spec;
  if (exitCode === 0 && initContainers?.includes(container) === true) return false;
  return restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);
}

/** The names of those that the others wait for. */
export function unfinishedInit({ spec }: Pod, { containers }: PodSeen): readonly string[] {
  return (spec.initContainers ?? []).filter((each) => !isDone(each, containers.get(each.name))).map(({ name }) => name);
}

function isDone(container: Container, seen: ContainerSeen | undefined): boolean {
  if (isSidecar(container)) return seen?.is === 'running' || seen?.is === 'ended';
  return seen?.is === 'ended' && seen.exitCode === 0;
}

export interface Starts {
  readonly due: readonly ContainerStart[];
  /** When the next one is. */
  readonly nextMs: number | undefined;
}

/**
 * What is to be started: init containers one after the other, then the others together; what has ended, after a while. Whoever
 * debugs the pod waits for none of them.
 */
export function startsOf(pod: Pod, seen: PodSeen, nowMs: number): Starts {
  const due: ContainerStart[] = [];
  let nextMs: number | undefined;
  const consider = (container: Container): void => {
    const { name } = container;
    const own = seen.containers.get(name);
    if (own === undefined) due.push({ name, restartCount: 0 });
    if (own?.is !== 'ended' || !isRestarted(own, { pod, container })) return;
    const atMs = restartMs(own);
    if (atMs <= nowMs) due.push({ name, restartCount: own.restartCount + 1 });
    else nextMs = Math.min(nextMs ?? atMs, atMs);
  };
  for (const container of pod.spec.ephemeralContainers ?? []) consider(container);
  for (const container of pod.spec.initContainers ?? []) {
    consider(container);
    if (!isDone(container, seen.containers.get(container.name))) return { due, nextMs };
  }
  for (const container of pod.spec.containers) consider(container);
  return { due, nextMs };
}

/**
 * At once for the first time, then ever later. Counted from the end as the API tells it, in whole seconds, so that it is the
 * same for an agent that begins anew.
 */
function restartMs(ended: Ended): number {
  const { endedMs } = ended;
  return quickEndsOf(ended) <= 1 ? endedMs : fromTimestamp(toTimestamp(endedMs)) + restartBackOffMs(ended);
}

/** How long it is waited before the next run; before the second one nobody waits. */
export function restartBackOffMs(ended: Ended): number {
  return Math.min(restartBackoffMsMax, restartBackoffMs * 2 ** Math.max(0, quickEndsOf(ended) - 2));
}

/** What kubelets call a pod in what they say of it. */
export function wholeNameOf({ metadata }: Pod): string {
  return `${metadata.name}_${metadata.namespace}(${metadata.uid})`;
}

/** How many runs in a row have ended soon, with this one; none when this one was long. */
export function quickEndsOf({ startedMs, endedMs, restartCount, quickEnds = restartCount }: Ended): number {
  return endedMs - startedMs >= longRunMs ? 0 : quickEnds + 1;
}
