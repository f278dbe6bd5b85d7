import type { Pod } from '@signalbox/cluster';
import type { ContainerState, Inside } from '../protocol/inside.ts';
import { DoorRefusal } from './refusal.ts';

/** What the door knows of pods and of what runs in them. */
export interface DoorPods {
  find(namespace: string, name: string): Pod;
  /** The newest attempt of a container of the pod. Undefined: it was not started yet. */
  newest(pod: Pod, container: string): Promise<ContainerState | undefined>;
  /** The same of one that runs. Throws what clients are told of all others. */
  running(pod: Pod, container: string): Promise<ContainerState>;
}

export function createDoorPods(inside: Pick<Inside, 'state'>, pods: () => readonly Pod[]): DoorPods {
  const newest: DoorPods['newest'] = async ({ metadata }, container) => {
    const { containers } = await inside.state();
    return containers.find(({ pod, name }) => pod === uidOf(metadata) && name === container);
  };
  return {
    newest,
    find(namespace, name) {
      const found = pods().find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
      if (found === undefined) throw new DoorRefusal(404, `pod "${name}" not found`);
      return found;
    },
    async running(pod, container) {
      const state = await newest(pod, container);
      if (state === undefined || state.ended !== undefined)
        throw new DoorRefusal(404, `container not found ("${container}")`);
      return state;
    },
  };
}

const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** Of a static pod the API has another uid than the node. */
export function uidOf({ annotations = {}, uid }: Pick<Pod['metadata'], 'annotations' | 'uid'>): string {
  return annotations[mirrorAnnotation] ?? uid;
}

/** The attempt whose log is meant. Throws 400 as upstream when there is none. */
export async function attemptOf(
  pods: DoorPods,
  pod: Pod,
  { container, previous }: { readonly container: string; readonly previous: boolean },
): Promise<ContainerState> {
  const { name } = pod.metadata;
  const status = [
    ...(pod.status?.containerStatuses ?? []),
    ...(pod.status?.initContainerStatuses ?? []),
    ...(pod.status?.ephemeralContainerStatuses ?? []),
  ].find((each) => each.name === container);
  const newest = await pods.newest(pod, container);
  if (newest === undefined) {
    if (previous) throw new DoorRefusal(400, notPrevious(container, name));
    const reason = status?.state?.waiting?.reason ?? 'ContainerCreating';
    throw new DoorRefusal(400, `container "${container}" in pod "${name}" is waiting to start: ${reason}`);
  }
  if (!previous) return newest;
  // One that waits to be started again ended before, so it is both.
  if (newest.ended !== undefined && status?.state?.waiting !== undefined) return newest;
  if (newest.attempt === 0) throw new DoorRefusal(400, notPrevious(container, name));
  return { ...newest, attempt: newest.attempt - 1, ended: { endedMs: 0, exitCode: 0, isOutOfMemory: false } };
}

function notPrevious(container: string, pod: string): string {
  return `previous terminated container "${container}" in pod "${pod}" not found`;
}
