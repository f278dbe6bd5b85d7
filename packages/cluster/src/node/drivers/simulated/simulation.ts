import type { Container, Pod } from '../../../api/generated/core-v1.ts';
import { jobs } from '../../../api/generated/kinds.ts';
import { isOfKind } from '../../../api/gvk.ts';
import { controllerOf } from '../../../api/meta.ts';
import { milliValue, parseQuantity, wholeValue } from '../../../api/quantity.ts';
import { durationMs } from '../../../base/duration.ts';
import { completionIndexKey } from '../../../resources/batch/facts.ts';
import { podRequests, runningContainers } from '../../../resources/core/pod/facts.ts';
import type { StopTerms, Usage } from '../../driver.ts';

/**
 * What a simulated container does is written on its pod, so that tests and demonstrations can ask for it in the manifest.
 * Durations are `500ms`, `10s`, `5m`, `1h`.
 */
export const simulationAnnotations = {
  /** From a container's start until it is ready. `never` keeps it unready. */
  readyAfter: 'signalbox.dev/ready-after',
  /** From a container's start until it ends, or `never`; absent: it runs until it is stopped, or, in a Job's pod, for a second. */
  exitAfter: 'signalbox.dev/exit-after',
  /** How it ends: 0 unless given; in the pods of an Indexed Job also by index, `0,2=7`. */
  exitCode: 'signalbox.dev/exit-code',
  /** From the request to stop until the process is gone. A grace period that is shorter wins. */
  stopAfter: 'signalbox.dev/stop-after',
  /** What the pod uses, as quantities. */
  cpuUsage: 'signalbox.dev/cpu-usage',
  memoryUsage: 'signalbox.dev/memory-usage',
} as const;

export interface Behaviour {
  /** Undefined: never ready. */
  readonly readyAfterMs: number | undefined;
  /** Undefined: runs until stopped. */
  readonly exitAfterMs: number | undefined;
  readonly exitCode: number;
}

const stopAfterMsDefault = 100;

/** Reads the annotations; what cannot be read counts as absent. Pure. */
export function behaviourOf(pod: Pod, container: Container): Behaviour {
  const annotations = pod.metadata.annotations ?? {};
  const ready = annotations[simulationAnnotations.readyAfter];
  return {
    readyAfterMs: ready === 'never' ? undefined : (written(ready) ?? probeDelayMs(container)),
    exitAfterMs: exitAfterMs(pod, annotations[simulationAnnotations.exitAfter]),
    exitCode: exitCodeOf(annotations),
  };
}

/** How long what a Job wants done takes, where nothing else is said. */
const jobTakesMs = 1_000;

function exitAfterMs(pod: Pod, text: string | undefined): number | undefined {
  if (text === 'never') return undefined;
  return written(text) ?? (isOfJob(pod) ? jobTakesMs : undefined);
}

function isOfJob(pod: Pod): boolean {
  const owner = controllerOf(pod);
  return owner !== undefined && isOfKind(owner, jobs);
}

function exitCodeOf(annotations: Readonly<Record<string, string>>): number {
  const text = annotations[simulationAnnotations.exitCode];
  if (text === undefined) return 0;
  const index = annotations[completionIndexKey];
  const parts = text.split(',').map((part) => part.trim());
  const own = parts.find((part) => index !== undefined && part.startsWith(`${index}=`))?.slice(`${index}=`.length);
  const code = Number(own ?? parts.find((part) => !part.includes('=')) ?? '0');
  return Number.isInteger(code) && code >= 0 && code <= 255 ? code : 1;
}

/** As of processes that a signal ends: 128 and its number. */
const terminatedCode = 143;
const killedCode = 137;

/** When a container ends that is asked to stop within that time, and how. What runs beside one that has come to its end does as it is told. */
export function stopOf(
  { metadata }: Pod,
  { graceMs }: Pick<StopTerms, 'graceMs'>,
): { readonly afterMs: number; readonly exitCode: number } {
  const { annotations = {}, deletionTimestamp } = metadata;
  const wantedMs = written(annotations[simulationAnnotations.stopAfter]) ?? stopAfterMsDefault;
  if (deletionTimestamp === undefined) return { afterMs: Math.min(graceMs, wantedMs), exitCode: 0 };
  if (graceMs < wantedMs) return { afterMs: graceMs, exitCode: killedCode };
  const isSaid = annotations[simulationAnnotations.exitCode] !== undefined;
  return { afterMs: wantedMs, exitCode: isSaid ? exitCodeOf(annotations) : terminatedCode };
}

function written(text: string | undefined): number | undefined {
  return text === undefined ? undefined : durationMs(text);
}

/** A probe says no before its initial delay; right after it the simulated application answers. */
function probeDelayMs({ readinessProbe, startupProbe }: Container): number {
  return 1_000 * Math.max(readinessProbe?.initialDelaySeconds ?? 0, startupProbe?.initialDelaySeconds ?? 0);
}

/** Images of hosts that can never exist (RFC 2606) cannot be pulled: how to try out a bad rollout. */
export function isUnpullable(image: string): boolean {
  const host = image.split('/')[0] ?? '';
  return image.includes('/') && /(^|\.)invalid(:\d+)?$/.test(host);
}

/**
 * What a running pod uses: what its annotations say, else half of what it requests. Each container has the share of it that it
 * has of the requests.
 */
export function usageOf(pod: Pod): ReadonlyMap<string, Usage> {
  const { cpuMilli, memoryBytes } = wholeUsage(pod);
  const running = runningContainers(pod.spec);
  // The finest that a quantity of the API knows.
  const cpu = shared(cpuMilli * 1e6, weightsOf(running, 'cpu'));
  const memory = shared(memoryBytes, weightsOf(running, 'memory'));
  return new Map(
    running.map(({ name }, index) => [name, { cpuMilli: (cpu[index] ?? 0) / 1e6, memoryBytes: memory[index] ?? 0 }]),
  );
}

function wholeUsage(pod: Pod): Usage {
  const annotations = pod.metadata.annotations ?? {};
  const requests = podRequests(pod);
  const cpu = annotations[simulationAnnotations.cpuUsage];
  const memory = annotations[simulationAnnotations.memoryUsage];
  return {
    cpuMilli: cpu !== undefined && parseQuantity(cpu) !== undefined ? milliValue(cpu) : requests.cpuMilli / 2,
    memoryBytes:
      memory !== undefined && parseQuantity(memory) !== undefined ? wholeValue(memory) : requests.memoryBytes / 2,
  };
}

/** Equal ones where nobody requests anything. */
function weightsOf(containers: readonly Container[], resource: 'cpu' | 'memory'): readonly number[] {
  const weights = containers.map(({ resources }) => {
    const text = resources?.requests?.[resource];
    return text === undefined || parseQuantity(text) === undefined ? 0 : milliValue(text);
  });
  return weights.some((weight) => weight > 0) ? weights : weights.map(() => 1);
}

/** In whole units that add up to the whole. */
function shared(total: number, weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  let weighed = 0;
  let given = 0;
  return weights.map((weight) => {
    weighed += weight;
    const until = Math.round((total * weighed) / sum);
    const share = until - given;
    given = until;
    return share;
  });
}
