/** What pods use and what they ask for, in the units in which the autoscaler counts. */
import type { Pod } from '../../api/generated/core-v1.ts';
import type { PodMetrics, ResourceUsage } from '../../api/metrics.ts';
import { milliValue, parseQuantity, wholeValue } from '../../api/quantity.ts';
import { fromTimestamp } from '../../base/clock.ts';
import { parseGoDuration } from '../../base/duration.ts';
import { runningContainers } from '../../resources/core/pod/facts.ts';

export interface Usage {
  readonly cpuMilli: number;
  readonly memoryBytes: number;
}

/** By container. Undefined: nothing is known about the pod at the moment. */
export type UsageOf = (pod: Pod) => ReadonlyMap<string, Usage> | undefined;

/** When a pod was measured, and over how long before. */
export interface Window {
  readonly takenMs: number;
  readonly windowMs: number;
}

/** Undefined: just now, over the usual time. */
export type WindowOf = (pod: Pod) => Window | undefined;

/** When `metrics.k8s.io` says that pods were measured, by their names. */
export function windowByPod(measured: readonly PodMetrics[]): ReadonlyMap<string, Window> {
  return new Map(
    measured.flatMap(({ metadata, timestamp, window }) => {
      const takenMs = fromTimestamp(timestamp);
      const windowMs = parseGoDuration(window);
      return Number.isNaN(takenMs) || typeof windowMs === 'string'
        ? []
        : [[metadata.name, { takenMs, windowMs }] as const];
    }),
  );
}

/** What `metrics.k8s.io` says, by the pod's name. */
export function usageByPod(measured: readonly PodMetrics[]): ReadonlyMap<string, ReadonlyMap<string, Usage>> {
  return new Map(
    measured.map(({ metadata, containers }) => [
      metadata.name,
      new Map(containers.map(({ name, usage }) => [name, usageFrom(usage)])),
    ]),
  );
}

/** Finer than whole thousandths: what containers use adds up before it is cut. */
function usageFrom({ cpu, memory }: ResourceUsage): Usage {
  const nano = (text: string): number => Number(parseQuantity(text) ?? Number.NaN);
  return { cpuMilli: nano(cpu) / 1e6, memoryBytes: nano(memory) / 1e9 };
}

/** `cpu` or `memory`, of whole pods or of one container in each. */
export interface Measured {
  readonly resource: string;
  readonly container?: string | undefined;
}

/**
 * The pod's use of the resource: milli cores, bytes. Undefined when it is unknown, of another resource, or no sensible
 * number.
 */
export function amountUsed(pod: Pod, { resource, container }: Measured, usageOf: UsageOf): number | undefined {
  if (resource !== 'cpu' && resource !== 'memory') return undefined;
  const usage = usageOf(pod);
  const counted = container === undefined ? [...(usage?.values() ?? [])] : [usage?.get(container) ?? []].flat();
  if (counted.length === 0) return undefined;
  const used = sumOf(counted.map(({ cpuMilli, memoryBytes }) => (resource === 'cpu' ? cpuMilli : memoryBytes)));
  return Number.isFinite(used) && used >= 0 ? used : undefined;
}

/** A millionth is the finest there is; what adding up adds in binary is finer. */
function sumOf(amounts: readonly number[]): number {
  return Number(amounts.reduce((sum, amount) => sum + amount, 0).toFixed(6));
}

export type Requests =
  | { readonly ok: true; readonly byUid: ReadonlyMap<string, number> }
  | { readonly ok: false; readonly message: string };

/** What each pod asks for. A percentage of requests means nothing when a single container has none. */
export function requestsOf(pods: readonly Pod[], { resource, container }: Measured): Requests {
  const byUid = new Map<string, number>();
  for (const pod of pods) {
    const whole = container === undefined ? requested(pod.spec.resources, resource) : undefined;
    const running = runningContainers(pod.spec);
    const counted = container === undefined ? running : running.filter(({ name }) => name === container);
    const { name: podName, uid } = pod.metadata;
    if (counted.length === 0) return { ok: false, message: `container ${container ?? ''} not found in Pod ${podName}` };
    let sum = 0;
    for (const { name, resources } of whole === undefined ? counted : []) {
      const amount = requested(resources, resource);
      if (amount === undefined)
        return { ok: false, message: `missing request for ${resource} in container ${name} of Pod ${podName}` };
      sum += amount;
    }
    byUid.set(uid, whole ?? sum);
  }
  return { ok: true, byUid };
}

function requested(
  resources: { readonly requests?: Readonly<Record<string, string>> } | undefined,
  resource: string,
): number | undefined {
  const text = resources?.requests?.[resource];
  if (text === undefined || parseQuantity(text) === undefined) return undefined;
  return resource === 'cpu' ? milliValue(text) : wholeValue(text);
}
