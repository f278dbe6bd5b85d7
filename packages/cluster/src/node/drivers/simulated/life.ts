import type { Container, ContainerStatus, Pod } from '../../../api/generated/core-v1.ts';
import { fromTimestamp } from '../../../base/clock.ts';
import { isSidecar } from '../../../resources/core/pod/facts.ts';
import type { ContainerSeen, StopTerms, Waiting } from '../../driver.ts';
import { isEphemeral } from '../../pod-containers.ts';
import { containerId, imageId } from './identity.ts';
import { behaviourOf, isUnpullable, stopOf } from './simulation.ts';

/** What a simulated machine remembers of a pod. */
export interface Life {
  /** Before this nothing in the pod runs: the machine makes it ready. */
  readonly beginsMs: number;
  readonly podIp: string | undefined;
  readonly stopping: StopTerms | undefined;
  readonly containers: ReadonlyMap<string, ContainerSeen>;
}

/** What the API says of a pod that ran before this process did: simulated containers outlive the plane. */
export function recalled({ status }: Pod): ReadonlyMap<string, ContainerSeen> {
  const containers = new Map<string, ContainerSeen>();
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status ?? {};
  for (const each of [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses]) {
    const seen = recalledContainer(each);
    if (seen !== undefined) containers.set(each.name, seen);
  }
  return containers;
}

function recalledContainer(status: ContainerStatus): ContainerSeen | undefined {
  const { state, lastState, restartCount, imageID: imageId, containerID: id = '', ready } = status;
  if (state?.running !== undefined) {
    const startedMs = fromTimestamp(state.running.startedAt ?? '');
    return { is: 'running', id, imageId, restartCount, startedMs, ready };
  }
  const ended = state?.terminated ?? lastState?.terminated;
  if (ended === undefined) return undefined;
  const { startedAt = '', finishedAt = '', exitCode, containerID: ran } = ended;
  return {
    is: 'ended',
    imageId,
    restartCount,
    startedMs: fromTimestamp(startedAt),
    endedMs: fromTimestamp(finishedAt),
    exitCode,
    ...(ran !== undefined && { id: ran }),
  };
}

export interface Next {
  readonly containers: ReadonlyMap<string, ContainerSeen>;
  readonly changesMs: number | undefined;
}

/**
 * What has become of the containers by now, and when something will change next. What has ended does not run again. The same
 * map when nothing has changed: it is asked for on every event.
 */
export function lived(pod: Pod, life: Life, nowMs: number): Next {
  const { containers } = life;
  let changed: Map<string, ContainerSeen> | undefined;
  let changesMs: number | undefined;
  for (const container of containersOf(pod)) {
    const before = containers.get(container.name);
    if (before === undefined) continue;
    const next = step(before, { pod, container, life, nowMs });
    if (next.seen !== before) {
      changed ??= new Map(containers);
      changed.set(container.name, next.seen);
    }
    if (next.changesMs !== undefined) changesMs = Math.min(changesMs ?? next.changesMs, next.changesMs);
  }
  return { containers: changed ?? containers, changesMs };
}

function containersOf({ spec }: Pod): readonly Container[] {
  const { initContainers, containers, ephemeralContainers } = spec;
  if (initContainers === undefined && ephemeralContainers === undefined) return containers;
  return [...(initContainers ?? []), ...containers, ...(ephemeralContainers ?? [])];
}

interface Place {
  readonly pod: Pod;
  readonly container: Container;
  readonly life: Life;
  readonly nowMs: number;
}

interface Step {
  readonly seen: ContainerSeen;
  readonly changesMs?: number | undefined;
}

function step(before: ContainerSeen, place: Place): Step {
  const { pod, container, life, nowMs } = place;
  switch (before.is) {
    case 'ended':
      return { seen: before };
    case 'running':
      return runOn(before, place);
    case 'waiting': {
      if (nowMs < life.beginsMs) return { seen: before, changesMs: life.beginsMs };
      const { name, image = '' } = container;
      if (pod.spec.initContainers?.includes(container) === true && !isSidecar(container)) {
        const started = { restartCount: 0, startedMs: nowMs, imageId: imageId(image) };
        const id = containerId(pod, { container: name, restartCount: 0 });
        return { seen: { is: 'ended', id, ...started, endedMs: nowMs, exitCode: 0 } };
      }
      if (isUnpullable(image)) return { seen: { is: 'waiting', ...unpullable(image) } };
      return runOn(begun(pod, { name, image, restartCount: 0, nowMs }), place);
    }
    default:
      return before satisfies never;
  }
}

function unpullable(image: string): Waiting {
  return {
    reason: 'ImagePullBackOff',
    message: `Back-off pulling image "${image}"`,
    event: { reason: 'Failed', note: `Failed to pull image "${image}": host not found` },
  };
}

type Running = Extract<ContainerSeen, { readonly is: 'running' }>;

interface Beginning extends Pick<Running, 'restartCount'> {
  readonly name: string;
  readonly image: string;
  readonly nowMs: number;
}

/** A container that runs from now on. */
export function begun(pod: Pod, { name, image, restartCount, nowMs }: Beginning): Running {
  const id = containerId(pod, { container: name, restartCount });
  return { is: 'running', id, imageId: imageId(image), restartCount, startedMs: nowMs, ready: false };
}

function runOn(running: Running, { pod, container, life, nowMs }: Place): Step {
  const { restartCount, startedMs, imageId: ran, id } = running;
  const end = (exitCode: number): Step => ({
    seen: { is: 'ended', id, imageId: ran, restartCount, startedMs, endedMs: nowMs, exitCode },
  });
  const { stopping } = life;
  if (stopping !== undefined) {
    const { afterMs, exitCode } = stopOf(pod, stopping);
    const stopMs = stopping.sinceMs + afterMs;
    return nowMs >= stopMs ? end(exitCode) : { seen: running, changesMs: stopMs };
  }
  // What runs beside the others is there for as long as they are.
  if (isSidecar(container)) return { seen: withReady(running, true) };
  // Whoever looks into a pod stays; what its annotations say is about those that it is made of.
  if (isEphemeral(pod, container)) return { seen: running };
  const { readyAfterMs, exitAfterMs, exitCode } = behaviourOf(pod, container);
  if (exitAfterMs !== undefined && nowMs >= startedMs + exitAfterMs) return end(exitCode);
  // Someone who changes the annotation of a running pod takes its readiness away, or gives it back.
  const ready = readyAfterMs !== undefined && nowMs >= startedMs + readyAfterMs;
  const moments = [ready ? undefined : readyAfterMs, exitAfterMs].filter((delayMs) => delayMs !== undefined);
  return {
    seen: withReady(running, ready),
    ...(moments.length > 0 && { changesMs: startedMs + Math.min(...moments) }),
  };
}

function withReady(running: Running, ready: boolean): Running {
  return running.ready === ready ? running : { ...running, ready };
}
