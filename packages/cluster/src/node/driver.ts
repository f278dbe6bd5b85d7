import type { Node, NodeCondition, NodeSystemInfo, Pod } from '../api/generated/core-v1.ts';
import { driverAnnotation } from '../resources/core/node.ts';

/**
 * What runs the containers of nodes; one may serve thousands. The node agent registers, plans and reports, and asks its
 * driver for everything that happens on the machine. No member but `logs` waits: the agent asks for every pod whenever it
 * looks at it. What comes of an order is told by the next `status`.
 */
export interface NodeDriver {
  /** What nodes call it by, in their annotation `signalbox.dev/driver`. */
  readonly name: string;
  /** Whom to tell what happens by itself. A driver that knows when it will change (`changesMs`) has no need of it. */
  listen?(ears: DriverEars): void;
  /** A node of this driver is there from now on; it may have been there before the agent began. */
  join(node: Node): void;
  machine(node: Node): Machine;
  leave(node: Node): void;
  /** A pod is on one of its nodes from now on; it may have run there before the agent began. */
  adopt(pod: Pod): void;
  status(pod: Pod): PodSeen;
  start(pod: Pod, containers: readonly ContainerStart[]): void;
  /** Everything in the pod ends, at the latest when the time is up. A later order replaces an earlier one. */
  stop(pod: Pod, terms: StopTerms): void;
  /** The pod is gone from the API: nothing of it may stay. */
  forget(pod: Pod): void;
  /** What a container has written. Throws the kubelet's refusal when it has not started. */
  logs(pod: Pod, query: LogQuery, waiting: { readonly signal: AbortSignal }): AsyncIterable<string>;
  /** By container. Undefined: nothing is measured at the moment, or whoever asks the node's door is told there. */
  usage(pod: Pod): ReadonlyMap<string, Usage> | undefined;
}

export interface DriverEars {
  /** The agent looks at the pod at once. */
  changed(pod: Pod): void;
  /** An event of the pod. */
  happened(pod: Pod, event: PodEvent): void;
  /** The agent looks at the node at once. */
  machineChanged(name: string): void;
}

export interface PodEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
  /** Left out where very much is told at once. */
  readonly isMinor?: boolean;
}

/** What a machine says of itself when it registers. */
export interface Machine {
  readonly address: string;
  /** What the Node object does not say itself. */
  readonly capacity: Readonly<Record<string, string>>;
  /** Of a machine that was measured: what it says holds, whatever the Node said before. */
  readonly measured?: Measured;
  readonly info: Omit<NodeSystemInfo, 'kubeletVersion' | 'kubeProxyVersion'>;
}

export interface Measured {
  readonly allocatable: Readonly<Record<string, string>>;
  /** Besides that it is ready and under no pressure. */
  readonly conditions: readonly Pick<NodeCondition, 'type' | 'status' | 'reason' | 'message'>[];
}

/** What is going on in a pod. */
export interface PodSeen {
  /** Once it has an address of its own. */
  readonly podIp?: string;
  /** By name, init containers too; those that nobody asked to start are not there. */
  readonly containers: ReadonlyMap<string, ContainerSeen>;
  /** The order to stop that holds. */
  readonly stopping?: StopTerms;
  /** Before that no container is made: its machine makes the pod ready. */
  readonly beginsMs?: number;
  /** When something will change by itself, where that is known. */
  readonly changesMs?: number;
  /** The pod is at its end whatever its containers say: as `Evicted`. */
  readonly failed?: { readonly reason: string; readonly message: string };
  /** How its containers ended is told before the pod goes. */
  readonly tellsEnds?: boolean;
  /** They keep the size that they started with, whatever they ask for later. */
  readonly keepsSizes?: boolean;
}

export type ContainerSeen =
  | ({ readonly is: 'waiting' } & Waiting)
  /** `id` is a URL: `simulated://…`. */
  | ({ readonly is: 'running'; readonly id: string; readonly ready: boolean; readonly isStarting?: boolean } & Started)
  | ({ readonly is: 'ended' } & Ended);

export interface Ended extends Started {
  readonly endedMs: number;
  readonly exitCode: number;
  /** The default follows from the exit code: `Completed`, `Error`. */
  readonly reason?: string;
  readonly message?: string;
  readonly signal?: number;
  readonly id?: string;
}

export interface Started {
  readonly restartCount: number;
  readonly startedMs: number;
  /** What of the image was found to run: `registry/name@sha256:…`. */
  readonly imageId: string;
  /** How the run before this one ended. */
  readonly before?: Omit<Ended, 'before'>;
  /** How many runs before this one ended soon after their start, without a long one between; the default is all of them. */
  readonly quickEnds?: number;
}

/** Asked to start, and not running yet. */
export interface Waiting {
  /** As clients know it: `ContainerCreating`, `ImagePullBackOff`. */
  readonly reason: string;
  readonly message?: string;
  /** How the run before ended: it is started again. */
  readonly before?: Omit<Ended, 'before'>;
  /** An event tells it when the reason is new. */
  readonly event?: { readonly reason: string; readonly note: string };
}

export interface ContainerStart {
  readonly name: string;
  /** How often it was started before. */
  readonly restartCount: number;
}

export interface StopTerms {
  readonly sinceMs: number;
  readonly graceMs: number;
}

export interface LogQuery {
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  readonly sinceMs?: number;
  readonly limitBytes?: number;
}

export interface Usage {
  readonly cpuMilli: number;
  readonly memoryBytes: number;
}

export const stoppedAnnotation = 'signalbox.dev/stopped';

/**
 * Who runs the node: the driver that it names, the first of the list when it names none. Undefined when it names one that is
 * not here: then its machine is somebody else's.
 */
export function driverOf({ metadata }: Node, drivers: readonly NodeDriver[]): NodeDriver | undefined {
  const asked = metadata.annotations?.[driverAnnotation];
  return asked === undefined ? drivers[0] : drivers.find(({ name }) => name === asked);
}

/** A machine without power: nobody answers there. */
export function isStopped({ metadata }: Node): boolean {
  return metadata.annotations?.[stoppedAnnotation] === 'true';
}
