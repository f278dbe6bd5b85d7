/** What pods use and what they ask for, in the units in which the autoscaler counts. */
import type { Container, Pod } from '../../api/generated/core-v1.ts';
import { milliValue, parseQuantity, wholeValue } from '../../api/quantity.ts';
import { isSidecar } from '../../resources/core/pod/facts.ts';

export interface Usage {
  readonly cpuMilli: number;
  readonly memoryBytes: number;
}

/** Undefined: nothing is known about the pod at the moment. */
export type UsageOf = (pod: Pod) => Usage | undefined;

/** `cpu` or `memory`, of whole pods or of one container in each. */
export interface Measured {
  readonly resource: string;
  readonly container?: string | undefined;
}

/**
 * The pod's use of the resource: milli cores, bytes. Undefined when it is unknown, of another resource, or no sensible
 * number. A container's share of its pod's use is taken as its share of the pod's requests, since only the pod's is known.
 */
export function amountUsed(pod: Pod, { resource, container }: Measured, usageOf: UsageOf): number | undefined {
  const usage = usageOf(pod);
  const used = resource === 'cpu' ? usage?.cpuMilli : resource === 'memory' ? usage?.memoryBytes : undefined;
  if (used === undefined || !Number.isFinite(used) || used < 0) return undefined;
  return container === undefined ? used : used * shareOf(pod, { resource, container });
}

function shareOf({ spec }: Pod, { resource, container }: Required<Measured>): number {
  const running = runningContainers(spec);
  const wanted = running.find(({ name }) => name === container);
  if (wanted === undefined) return 0;
  const sum = running.reduce((total, each) => total + (requested(each.resources, resource) ?? 0), 0);
  return sum === 0 ? 1 / running.length : (requested(wanted.resources, resource) ?? 0) / sum;
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

function runningContainers({ containers, initContainers = [] }: Pod['spec']): readonly Container[] {
  return [...containers, ...initContainers.filter(isSidecar)];
}

function requested(
  resources: { readonly requests?: Readonly<Record<string, string>> } | undefined,
  resource: string,
): number | undefined {
  const text = resources?.requests?.[resource];
  if (text === undefined || parseQuantity(text) === undefined) return undefined;
  return resource === 'cpu' ? milliValue(text) : wholeValue(text);
}
