/** What controllers, the scheduler and the node agents ask of pods. All of it is cheap enough to ask on every event. */
import { conditionOf, datedCondition } from '../../../api/conditions.ts';
import type { Container, Pod, PodCondition, PodSpec } from '../../../api/generated/core-v1.ts';
import { canonicalQuantity, milliValue, wholeValue } from '../../../api/quantity.ts';
import { fromTimestamp } from '../../../base/clock.ts';
import { fresh } from '../../../base/fresh.ts';

type Quantities = Readonly<Record<string, string>>;

/** The condition of that type, if the pod has it. */
export function podCondition(pod: Pod, type: string): PodCondition | undefined {
  return conditionOf(pod.status?.conditions, type);
}

export function podReady(pod: Pod): boolean {
  return podCondition(pod, 'Ready')?.status === 'True';
}

/** Whether the pod has been ready for `minReadySeconds` without a break. */
export function podAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  const condition = podCondition(pod, 'Ready');
  if (condition?.status !== 'True') return false;
  if (minReadySeconds === 0) return true;
  const sinceMs = fromTimestamp(condition.lastTransitionTime ?? '');
  return !Number.isNaN(sinceMs) && sinceMs + minReadySeconds * 1000 <= nowMs;
}

/** Whether the pod has ended for good: nothing in it will run again. */
export function isPodTerminal(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Whether the pod counts as a replica: it neither has ended nor is being deleted. */
export function isPodActive(pod: Pod): boolean {
  return !isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** Whether the container runs beside the others for as long as they do, instead of before them. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

/** Those that run beside each other, as long as the pod does. */
export function runningContainers({ containers, initContainers = [] }: PodSpec): readonly Container[] {
  return [...containers, ...initContainers.filter(isSidecar)];
}

/** What a pod asks of its node, or a node has to give, in whole units. */
export interface Amounts {
  readonly cpuMilli: number;
  readonly memoryBytes: number;
  readonly ephemeralBytes: number;
  /** Everything else by name, e.g. `nvidia.com/gpu`. Empty for nearly every pod. */
  readonly extended: Readonly<Record<string, number>>;
}

const nothing: Readonly<Record<string, number>> = Object.freeze({});
const none: Amounts = Object.freeze({ cpuMilli: 0, memoryBytes: 0, ephemeralBytes: 0, extended: nothing });
const known = new WeakMap<object, Amounts>();

/**
 * The larger of what the containers need together and what any init container needs while it runs (sidecars started
 * before it count), bounded by the pod's own resources where those are set, plus the overhead. The scheduler's view.
 */
export function podRequests(pod: Pod): Amounts {
  const { spec } = pod;
  if (isSized(pod)) return requestsOf(heldSizes(pod));
  // Pods of one template share their containers, so that most of them find their answer here.
  const simple = spec.initContainers === undefined && spec.overhead === undefined && spec.resources === undefined;
  const key: object = simple ? spec.containers : spec;
  const found = known.get(key);
  if (found !== undefined) return found;
  const requests = requestsOf(spec);
  if (Object.isFrozen(key)) known.set(key, requests);
  return requests;
}

/** As {@link podRequests}, where every container that says nothing of a resource asks for what `unsaid` has of it. */
export function podRequestsWith(pod: Pod, unsaid: Quantities): Amounts {
  const spec = isSized(pod) ? heldSizes(pod) : pod.spec;
  const filled = (container: Container): Container => ({
    ...container,
    resources: { ...container.resources, requests: { ...unsaid, ...container.resources?.requests } },
  });
  return requestsOf({
    ...spec,
    containers: spec.containers.map(filled),
    ...(spec.initContainers !== undefined && { initContainers: spec.initContainers.map(filled) }),
  });
}

/** The pod's containers with what they hold or ask for, whichever is more: what quotas count. */
export function heldSpec(pod: Pod): PodSpec {
  return isSized(pod) ? heldSizes(pod) : pod.spec;
}

/** Its node says what its containers have of it: somebody has asked for another size. */
function isSized({ status }: Pod): boolean {
  return status?.containerStatuses?.some(({ allocatedResources }) => allocatedResources !== undefined) === true;
}

/** Until its node has given it, a pod counts as what it has or as what it asks for, whichever is more; what cannot be given counts for nothing. */
function heldSizes(pod: Pod): PodSpec {
  const { spec, status } = pod;
  const isRefused = podCondition(pod, 'PodResizePending')?.reason === 'Infeasible';
  const statuses = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  const held = (container: Container): Container => {
    const status = statuses.find(({ name }) => name === container.name);
    const has = status?.allocatedResources;
    if (has === undefined) return container;
    const asked = container.resources?.requests ?? {};
    const requests = isRefused ? { ...asked, ...has } : larger(asked, has);
    const [limited, limitedNow = {}] = [container.resources?.limits, status?.resources?.limits];
    const limits = isRefused ? { ...limited, ...limitedNow } : larger(limited ?? {}, limitedNow);
    return { ...container, resources: { ...container.resources, requests, ...(limited && { limits }) } };
  };
  return {
    ...spec,
    containers: spec.containers.map(held),
    ...(spec.initContainers !== undefined && { initContainers: spec.initContainers.map(held) }),
  };
}

function larger(asked: Quantities, has: Quantities): Quantities {
  const more = Object.entries(has).filter(([name, text]) => amountOf(name, text) > amountOf(name, asked[name] ?? '0'));
  return { ...asked, ...Object.fromEntries(more) };
}

function requestsOf(spec: PodSpec): Amounts {
  const together = new Map<string, number>();
  for (const { resources } of spec.containers) add(together, resources?.requests);
  const sidecars = new Map<string, number>();
  const before = new Map<string, number>();
  for (const container of spec.initContainers ?? []) {
    const requests = container.resources?.requests;
    if (isSidecar(container)) {
      add(together, requests);
      add(sidecars, requests);
      raise(before, sidecars);
    } else {
      const running = new Map(sidecars);
      add(running, requests);
      raise(before, running);
    }
  }
  raise(together, before);
  for (const [name, text] of Object.entries(spec.resources?.requests ?? {})) together.set(name, amountOf(name, text));
  add(together, spec.overhead);
  return toRequests(together);
}

function add(total: Map<string, number>, amounts: Quantities | undefined): void {
  for (const name in amounts) total.set(name, (total.get(name) ?? 0) + amountOf(name, amounts[name] ?? '0'));
}

function raise(total: Map<string, number>, other: ReadonlyMap<string, number>): void {
  for (const [name, amount] of other) if (amount > (total.get(name) ?? 0)) total.set(name, amount);
}

/** CPU in thousandths, everything else in whole units. What is no quantity counts as nothing: validation refuses it. */
function amountOf(name: string, text: string): number {
  if (canonicalQuantity(text) === undefined) return 0;
  return name === 'cpu' ? milliValue(text) : wholeValue(text);
}

function toRequests(total: ReadonlyMap<string, number>): Amounts {
  if (total.size === 0) return none;
  const extended = [...total].filter(([name, amount]) => !plainResources.has(name) && amount !== 0);
  return Object.freeze({
    cpuMilli: total.get('cpu') ?? 0,
    memoryBytes: total.get('memory') ?? 0,
    ephemeralBytes: total.get('ephemeral-storage') ?? 0,
    extended: extended.length === 0 ? nothing : Object.freeze(Object.fromEntries(extended)),
  });
}

const plainResources: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

/** How safe the pod is when its node runs short: by its CPU and memory requests and limits, init containers included. */
export function qosClassOf(spec: PodSpec): QosClass {
  const parts = spec.resources === undefined ? allContainers(spec) : [spec];
  let guaranteed = true;
  let bestEffort = true;
  for (const { resources } of parts) {
    for (const name of ['cpu', 'memory']) {
      const request = amountOf(name, resources?.requests?.[name] ?? '0');
      const limit = amountOf(name, resources?.limits?.[name] ?? '0');
      if (request > 0 || limit > 0) bestEffort = false;
      if (limit === 0 || (request !== limit && request !== 0)) guaranteed = false;
    }
  }
  if (bestEffort) return 'BestEffort';
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

function allContainers({ containers = [], initContainers }: Partial<PodSpec>): readonly Container[] {
  return initContainers === undefined ? containers : [...containers, ...initContainers];
}

/** Seconds that a deleted pod has to end. A pod that runs nowhere, or has ended, is removed at once. */
export function podGracePeriodSeconds(pod: Pod): number {
  if ((pod.spec.nodeName ?? '') === '' || isPodTerminal(pod)) return 0;
  const seconds = pod.spec.terminationGracePeriodSeconds ?? 30;
  return seconds < 0 ? 1 : seconds;
}

/** As a strategic patch of the status says it: a condition that is new stands behind those that are there, as upstream's clients put it. */
export function conditionPatch({ status }: Pod, condition: PodCondition): object {
  const types = (status.conditions ?? []).map(({ type }) => ({ type }));
  if (types.length === 0 || types.some(({ type }) => type === condition.type)) return { conditions: [condition] };
  return { conditions: [condition], '$setElementOrder/conditions': [...types, { type: condition.type }] };
}

/** A condition as it is to stand on the pod, with the version of it that whoever says this has seen. */
export function saidOf(pod: Pod, { said, now }: { readonly said: PodCondition; readonly now: string }): PodCondition {
  const { generation } = pod.metadata;
  const condition = datedCondition(said, { before: pod.status.conditions, now });
  return generation === undefined ? condition : { ...fresh, ...condition, observedGeneration: generation };
}
