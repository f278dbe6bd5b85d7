/** What the containers of a pod have of their node, where somebody has asked for another size than they had at first. */
import type { Container, ContainerStatus, Pod, PodCondition } from '../api/generated/core-v1.ts';
import { equal } from '../base/equal.ts';
import { isSidecar, podCondition } from '../resources/core/pod/facts.ts';
import type { SizeRefusal } from './admission.ts';
import type { ContainerStart, PodSeen } from './driver.ts';

export const pendingType = 'PodResizePending';

/** Whether its status says what its containers have: else they have what the pod asked for when it was made. */
export function tellsSizes(pod: Pod, { keepsSizes }: PodSeen): boolean {
  return keepsSizes === true || mayBeSized(pod);
}

/** Something of the pod was changed, or one of its containers has to start anew for another size: then its node has to know the last one. */
function mayBeSized({ metadata, spec, status }: Pod): boolean {
  // Its deletion counts as one version, and changes nothing of it.
  if ((metadata.generation ?? 0) > (metadata.deletionTimestamp === undefined ? 1 : 2)) return true;
  for (const { resizePolicy } of spec.containers)
    if (resizePolicy?.some(({ restartPolicy }) => restartPolicy === 'RestartContainer') === true) return true;
  return status.containerStatuses?.some(({ resources }) => resources !== undefined) === true;
}

/** A container that runs asks for something else than its node has said that it has, or its node has said nothing yet. */
export function asksForSize(pod: Pod): boolean {
  if (!mayBeSized(pod)) return false;
  if (podCondition(pod, pendingType) !== undefined) return true;
  return sizedContainers(pod).some((container) => isOther(container, statusOf(pod, container)));
}

/** Why it does not get it: of what was found to be lacking, or because nobody there can give it. */
export function sizeRefusalOf(
  pod: Pod,
  { seen, lacking }: { readonly seen: PodSeen; readonly lacking: SizeRefusal | undefined },
): SizeRefusal | undefined {
  if (seen.keepsSizes !== true) return lacking;
  const isKnown = (container: Container): boolean => statusOf(pod, container)?.resources !== undefined;
  const asks = sizedContainers(pod).some((each) => isKnown(each) && isOther(each, statusOf(pod, each)));
  return asks ? kept : undefined;
}

const kept: SizeRefusal = {
  reason: 'Infeasible',
  message: 'Containers of this node keep the size that they started with: make the pod anew',
};

function sizedContainers({ spec }: Pod): readonly Container[] {
  return [...spec.containers, ...(spec.initContainers ?? []).filter(isSidecar)];
}

function isOther({ resources = {} }: Container, before: ContainerStatus | undefined): boolean {
  if (before?.state?.running === undefined) return false;
  return before.resources === undefined || !equal(withoutClaims(before.resources), withoutClaims(resources));
}

function withoutClaims({ requests = {}, limits = {} }: NonNullable<Container['resources']>): object {
  return { requests, limits };
}

function statusOf({ status }: Pod, { name }: Container): ContainerStatus | undefined {
  const isNamed = (each: ContainerStatus): boolean => each.name === name;
  return status.containerStatuses?.find(isNamed) ?? status.initContainerStatuses?.find(isNamed);
}

type Told = Pick<ContainerStatus, 'resources' | 'allocatedResources'>;

/** What is said of a container that runs: what it asks for, or what it had where that cannot be given. */
export function sizeOf(
  container: Container,
  { before, refusal }: { readonly before: ContainerStatus | undefined; readonly refusal: SizeRefusal | undefined },
): Told {
  if (refusal !== undefined)
    return {
      ...(before?.resources !== undefined && { resources: before.resources }),
      ...(before?.allocatedResources !== undefined && { allocatedResources: before.allocatedResources }),
    };
  const { requests, limits } = container.resources ?? {};
  return {
    resources: { ...(limits !== undefined && { limits }), ...(requests !== undefined && { requests }) },
    ...(requests !== undefined && { allocatedResources: requests }),
  };
}

/** Those that can be given their new size only when they start anew, and have not yet. */
export function anewForSizes(pod: Pod, { containers }: PodSeen): readonly ContainerStart[] {
  return sizedContainers(pod).flatMap((container) => {
    const { name } = container;
    const seen = containers.get(name);
    const before = statusOf(pod, container);
    const isDue = seen?.is === 'running' && seen.restartCount === before?.restartCount;
    return isDue && needsRestart(container, before) ? [{ name, restartCount: seen.restartCount + 1 }] : [];
  });
}

function needsRestart({ resources, resizePolicy = [] }: Container, before: ContainerStatus): boolean {
  if (before.resources === undefined) return false;
  const size = ({ requests, limits }: NonNullable<Container['resources']>, name: string): object => ({
    request: requests?.[name],
    limit: limits?.[name],
  });
  const had = before.resources;
  return resizePolicy.some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === 'RestartContainer' && !equal(size(resources ?? {}, resourceName), size(had, resourceName)),
  );
}

/** Of which version of a pod something is said. */
export type SeenOf = Pick<PodCondition, 'observedGeneration'>;

interface Pending {
  readonly pod: Pod;
  readonly refusal: SizeRefusal | undefined;
  readonly seenOf: SeenOf;
  readonly now: string;
}

/** The conditions of the pod with, or without, what its size waits for. */
export function withPending(
  conditions: readonly PodCondition[],
  { pod, refusal, seenOf, now }: Pending,
): readonly PodCondition[] {
  const old = podCondition(pod, pendingType);
  if (refusal === undefined)
    return old === undefined ? conditions : conditions.filter(({ type }) => type !== pendingType);
  const said = { type: pendingType, status: 'True', ...refusal, ...seenOf };
  if (old !== undefined) return conditions.map((each) => (each.type === pendingType ? { ...each, ...said } : each));
  return [...conditions, { ...said, lastTransitionTime: now }];
}
