/** What is known of a pod's containers from before: what runs goes on; what the API says ran, and is not there any more, has ended. */
import {
  type ContainerSeen,
  type ContainerStatus,
  type Ended,
  fromTimestamp,
  type Pod,
  quickEndsOf,
  type Started,
} from '@signalbox/cluster';
import type { ContainerEnd, ContainerState } from '../protocol/inside.ts';

export function recalled(
  { status }: Pod,
  { states, nowMs }: { readonly states: readonly ContainerState[]; readonly nowMs: number },
): ReadonlyMap<string, ContainerSeen> {
  const found = new Map<string, ContainerSeen>();
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  for (const each of [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses]) {
    const state = states.find(({ name }) => name === each.name);
    const seen = state === undefined ? lostSeen(each, nowMs) : foundSeen(state, each);
    if (seen !== undefined) found.set(each.name, seen);
  }
  for (const state of states) if (!found.has(state.name)) found.set(state.name, foundSeen(state, undefined));
  return found;
}

export function startedOf({ restartCount, startedMs, imageId, quickEnds }: Started): Started {
  return { restartCount, startedMs, imageId, ...(quickEnds !== undefined && { quickEnds }) };
}

export function beforeOf(
  ended: Extract<ContainerSeen, { readonly is: 'ended' }>,
): Pick<Started, 'before' | 'quickEnds'> {
  const { is: _is, before: _before, ...before } = ended;
  return { before, quickEnds: quickEndsOf(ended) };
}

export function endOf({ endedMs, exitCode, isOutOfMemory, message }: ContainerEnd): Omit<Ended, keyof Started | 'id'> {
  return {
    endedMs,
    exitCode,
    ...(isOutOfMemory && { reason: 'OOMKilled' }),
    ...(message !== undefined && message !== '' && { message }),
  };
}

function foundSeen(state: ContainerState, status: ContainerStatus | undefined): ContainerSeen {
  const started: Started = { restartCount: state.attempt, startedMs: state.startedMs, imageId: status?.imageID ?? '' };
  if (state.ended !== undefined) return { is: 'ended', ...started, id: state.id, ...endOf(state.ended) };
  // It is what it was until its probes say something else.
  const isKnown = status?.containerID === state.id;
  return {
    is: 'running',
    ...started,
    id: state.id,
    ready: isKnown && status.ready,
    isStarting: !isKnown || status.started === false,
  };
}

function lostSeen(status: ContainerStatus, nowMs: number): ContainerSeen | undefined {
  const { state, restartCount, imageID: imageId, containerID: id, lastState } = status;
  const done = state?.terminated ?? lastState?.terminated;
  if (state?.running !== undefined) {
    const message = 'The container could not be located when the pod was terminated or the node was started again';
    const startedMs = fromTimestamp(state.running.startedAt ?? '');
    const ended = { endedMs: nowMs, exitCode: 137, reason: 'ContainerStatusUnknown', message };
    return { is: 'ended', restartCount, imageId, startedMs, ...ended, ...(id !== undefined && { id }) };
  }
  if (done === undefined) return undefined;
  const { startedAt = '', finishedAt = '', exitCode, reason } = done;
  const times = { startedMs: fromTimestamp(startedAt), endedMs: fromTimestamp(finishedAt) };
  return { is: 'ended', restartCount, imageId, ...times, exitCode, ...(reason !== undefined && { reason }) };
}
