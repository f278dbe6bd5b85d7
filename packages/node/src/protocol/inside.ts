import type { Duplex } from 'node:stream';
import type { ContainerLaunch } from './launch.ts';
import type { ServiceTable, SimulatedTable, Zone } from './network.ts';
import type { VolumeContent } from './volume.ts';

/**
 * What the node agent asks of the process inside the node's namespaces. That one holds the cluster network, starts and ends
 * everything that runs in pods, and outlives the agent: who begins anew asks it for its state. Carried by HTTP over a unix
 * socket, which needs no privileges between network namespaces. Whatever is asked twice is done once.
 */
export interface Inside {
  state(): Promise<InsideState>;
  /** What has happened since the event of that number, then what happens. Throws when it is too long ago: ask for the state. */
  events(since: number, waiting: Waiting): AsyncIterable<InsideEvent>;
  /** Gives the pod its namespace and its address. Those of the host network get a folder only. */
  addPod(pod: PodPlace): Promise<void>;
  /** Ends at once what runs in the pod; then nothing of it is left but its logs. */
  removePod(uid: string): Promise<void>;
  /** What its containers find in the volume from now on: all of it or, while it is being written, all of what was there. */
  writeVolume(uid: string, volume: VolumeContent): Promise<void>;
  /** The pod is over: what its volumes hold is given back, its logs and how it ended stay. */
  removeVolumes(uid: string): Promise<void>;
  start(launch: ContainerLaunch): Promise<ContainerState>;
  /** To the first process of the container; `SIGKILL` ends all of them. Nothing happens when it has ended. */
  signal(container: ContainerId, signal: NodeJS.Signals): Promise<void>;
  /** A further process in the container's namespaces. */
  exec(container: ContainerId, command: ExecCommand, waiting: Waiting): Promise<ExecSession>;
  /** To what the container has as its standard input and output. */
  attach(container: ContainerId, waiting: Waiting): Promise<ExecSession>;
  /** A connection to an address of the cluster network, or to `localhost` of a pod. Throws with the code of `connect`. */
  dial(to: DialTarget, waiting: Waiting): Promise<Duplex>;
  usage(): Promise<readonly ContainerUsage[]>;
  setServices(table: ServiceTable): Promise<void>;
  setZone(zone: Zone): Promise<void>;
  /** Which simulated pods answer inside the network, and what. */
  setSimulated(table: SimulatedTable): Promise<void>;
  /** Ends everything that runs inside, and itself; nothing is left but how it ended, which the next one tells. */
  end(): Promise<void>;
}

export interface Waiting {
  readonly signal: AbortSignal;
}

export interface InsideState {
  /** Of the last event. */
  readonly event: number;
  readonly pods: readonly PodPlace[];
  /** The last attempt of each container, also of those that the process inside before this one ended with itself. */
  readonly containers: readonly ContainerState[];
  /** Uids of pods that an earlier process inside left files of, and that were not added since; `removePod` clears them. */
  readonly orphans: readonly string[];
  /** Limits that cannot be held on this machine, each with the mend: for a condition of the Node. */
  readonly lacks: readonly string[];
}

/** Where a pod lives. */
export interface PodPlace {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** Its own address, `10.64.0.7`; undefined on the host network. */
  readonly address: string | undefined;
  readonly hostname: string;
  /** Lines of `/etc/hosts` and of `/etc/resolv.conf`. */
  readonly hosts: readonly string[];
  readonly resolver: readonly string[];
  readonly sharesProcesses: boolean;
  /** How many processes its containers may have together; undefined: as many as the machine can hold. */
  readonly processesMax: number | undefined;
  /** Ports of the node that lead to it. */
  readonly hostPorts: readonly HostPort[];
}

export interface HostPort {
  readonly protocol: 'TCP' | 'UDP';
  readonly hostPort: number;
  readonly containerPort: number;
}

export interface ContainerId {
  /** The pod's uid. */
  readonly pod: string;
  readonly name: string;
}

export interface ContainerState extends ContainerId {
  /** How often it was started before. */
  readonly attempt: number;
  /** `process://…`, another one for each attempt. */
  readonly id: string;
  readonly startedMs: number;
  readonly ended?: ContainerEnd;
}

export interface ContainerEnd {
  readonly endedMs: number;
  /** 128 + N when signal N ended it, as container runtimes tell it; 128 when its program could not be started. */
  readonly exitCode: number;
  readonly isOutOfMemory: boolean;
  /** What it left at its `terminationMessagePath`, or the end of its log where that is asked for. */
  readonly message?: string;
}

export type InsideEvent = { readonly number: number } & (
  | { readonly is: 'ended'; readonly container: ContainerState }
  /** A volume on disk holds more than it may, or is the largest while the disk is nearly full: the pod has to go. */
  | { readonly is: 'overfull'; readonly pod: string; readonly volume: string; readonly limitBytes: number | undefined }
  /** A limit was met that nobody waits for: `the log of … was cut`. */
  | { readonly is: 'told'; readonly pod: string; readonly message: string }
);

export interface ExecCommand {
  readonly argv: readonly string[];
  readonly stdin: boolean;
  readonly tty: boolean;
}

/** The streams of a process; `ended` tells its exit code. */
export interface ExecSession {
  readonly stdin: NodeJS.WritableStream | undefined;
  readonly stdout: NodeJS.ReadableStream;
  /** None with a terminal: all comes by `stdout`. */
  readonly stderr: NodeJS.ReadableStream | undefined;
  readonly ended: Promise<number>;
  /** Of the terminal. */
  resize(size: { readonly columns: number; readonly rows: number }): void;
}

export type DialTarget =
  | { readonly host: string; readonly port: number }
  /** The pod's own loopback interface. */
  | { readonly pod: string; readonly port: number };

export interface ContainerUsage extends ContainerId {
  /** User and system time of all its processes since it started, in nanoseconds. */
  readonly cpuNanoseconds: number;
  /** What cannot be given back: resident, without what only caches files. */
  readonly memoryBytes: number;
}
