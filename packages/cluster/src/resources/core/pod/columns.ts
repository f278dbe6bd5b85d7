/** What `kubectl get pods` prints, computed the way upstream computes it: clients and people parse these words. */
import type { ContainerState, ContainerStatus, Pod } from '../../../api/generated/core-v1.ts';
import { fromTimestamp, toTimestamp } from '../../../base/clock.ts';
import { ageOf, column } from '../../columns.ts';
import type { Column } from '../../resource.ts';
import { isPodTerminal, isSidecar, podCondition, podReady } from './facts.ts';

export const podColumns: readonly Column<Pod>[] = [
  column('Ready', (pod) => `${summaryOf(pod).ready}/${summaryOf(pod).total}`),
  column('Status', (pod) => summaryOf(pod).status),
  column('Restarts', restartsText),
  column('IP', (pod) => pod.status?.podIPs?.[0]?.ip ?? orNone(pod.status?.podIP), { wide: true }),
  column('Node', (pod) => orNone(pod.spec.nodeName), { wide: true }),
  column('Nominated Node', (pod) => orNone(pod.status?.nominatedNodeName), { wide: true }),
  column('Readiness Gates', readinessGatesText, { wide: true }),
];

/** The word in the STATUS column: the phase, or whatever tells more. */
export function podStatusText(pod: Pod): string {
  return summaryOf(pod).status;
}

interface Summary {
  readonly ready: number;
  readonly total: number;
  readonly status: string;
  readonly restarts: number;
  readonly lastRestartMs: number;
}

const summaries = new WeakMap<Pod, Summary>();

function summaryOf(pod: Pod): Summary {
  const known = summaries.get(pod);
  if (known !== undefined) return known;
  const summary = summarize(pod);
  if (Object.isFrozen(pod)) summaries.set(pod, summary);
  return summary;
}

function orNone(text: string | undefined): string {
  return text === undefined || text === '' ? '<none>' : text;
}

function restartsText(pod: Pod, nowMs: number): string {
  const { restarts, lastRestartMs } = summaryOf(pod);
  if (restarts === 0 || lastRestartMs === 0) return String(restarts);
  return `${restarts} (${ageOf(toTimestamp(lastRestartMs), nowMs)} ago)`;
}

function readinessGatesText(pod: Pod): string {
  const gates = pod.spec.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const open = gates.filter(({ conditionType }) => podCondition(pod, conditionType)?.status === 'True');
  return `${open.length}/${gates.length}`;
}

function summarize(pod: Pod): Summary {
  const sidecars = new Set((pod.spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  const start = startOf(pod, sidecars);
  const initialized = start.status === undefined || podCondition(pod, 'Initialized')?.status === 'True';
  const run = runOf(pod, start.status ?? firstWord(pod));
  const status = initialized ? run.status : (start.status ?? firstWord(pod));
  const shown = initialized
    ? {
        restarts: start.sidecarRestarts + run.restarts,
        lastRestartMs: Math.max(start.sidecarLastRestartMs, run.lastRestartMs),
      }
    : { restarts: start.restarts, lastRestartMs: start.lastRestartMs };
  return {
    ready: start.ready + (initialized ? run.ready : 0),
    total: pod.spec.containers.length + sidecars.size,
    status: lastWord(pod, status),
    ...shown,
  };
}

function firstWord(pod: Pod): string {
  const { phase = '', reason = '' } = pod.status ?? {};
  if (podCondition(pod, 'PodScheduled')?.reason === 'SchedulingGated') return 'SchedulingGated';
  return reason === '' ? phase : reason;
}

/** Deletion has the last word, unless the node that would carry it out is lost. */
function lastWord(pod: Pod, status: string): string {
  if (pod.metadata.deletionTimestamp === undefined) return status;
  if (pod.status?.reason === 'NodeLost') return 'Unknown';
  return isPodTerminal(pod) ? status : 'Terminating';
}

interface Start {
  /** Set while an init container has the word. */
  readonly status: string | undefined;
  readonly ready: number;
  readonly restarts: number;
  readonly lastRestartMs: number;
  readonly sidecarRestarts: number;
  readonly sidecarLastRestartMs: number;
}

/** The init containers, up to the first that has not done its part. */
function startOf(pod: Pod, sidecars: ReadonlySet<string>): Start {
  let ready = 0;
  let restarts = 0;
  let lastRestartMs = 0;
  let sidecarRestarts = 0;
  let sidecarLastRestartMs = 0;
  let status: string | undefined;
  for (const [index, container] of (pod.status?.initContainerStatuses ?? []).entries()) {
    const isRestarting = sidecars.has(container.name);
    restarts += container.restartCount;
    lastRestartMs = Math.max(lastRestartMs, lastEndMs(container));
    if (isRestarting) {
      sidecarRestarts += container.restartCount;
      sidecarLastRestartMs = Math.max(sidecarLastRestartMs, lastEndMs(container));
    }
    if (container.state?.terminated?.exitCode === 0) continue;
    if (isRestarting && container.started === true) {
      if (container.ready) ready++;
      continue;
    }
    status = initText(container.state, { index, total: pod.spec.initContainers?.length ?? 0 });
    break;
  }
  return { status, ready, restarts, lastRestartMs, sidecarRestarts, sidecarLastRestartMs };
}

function initText(
  state: ContainerState | undefined,
  { index, total }: { readonly index: number; readonly total: number },
): string {
  if (state?.terminated !== undefined) return `Init:${endText(state.terminated)}`;
  const waiting = state?.waiting?.reason ?? '';
  return waiting !== '' && waiting !== 'PodInitializing' ? `Init:${waiting}` : `Init:${index}/${total}`;
}

interface Run {
  readonly status: string;
  readonly ready: number;
  readonly restarts: number;
  readonly lastRestartMs: number;
}

/** The containers. The first that waits or has ended has the word. */
function runOf(pod: Pod, before: string): Run {
  let status = before;
  let ready = 0;
  let restarts = 0;
  let lastRestartMs = 0;
  for (const container of pod.status?.containerStatuses?.toReversed() ?? []) {
    restarts += container.restartCount;
    lastRestartMs = Math.max(lastRestartMs, lastEndMs(container));
    const { waiting, terminated, running } = container.state ?? {};
    if ((waiting?.reason ?? '') !== '') status = waiting?.reason ?? '';
    else if (terminated !== undefined) status = endText(terminated);
    else if (container.ready && running !== undefined) ready++;
  }
  if (status === 'Completed' && ready > 0) status = podReady(pod) ? 'Running' : 'NotReady';
  return { status, ready, restarts, lastRestartMs };
}

function endText({ reason = '', signal = 0, exitCode }: NonNullable<ContainerState['terminated']>): string {
  if (reason !== '') return reason;
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${exitCode}`;
}

function lastEndMs({ lastState }: ContainerStatus): number {
  const endMs = fromTimestamp(lastState?.terminated?.finishedAt ?? '');
  return Number.isNaN(endMs) ? 0 : endMs;
}
