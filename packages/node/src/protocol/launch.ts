import type { ContainerId } from './inside.ts';

/** All that is to be known to start a container. Plain values: it crosses a process boundary. */
export interface ContainerLaunch extends ContainerId {
  readonly attempt: number;
  readonly root: ContainerRoot;
  /** The program, looked up on the container's PATH, and its arguments. */
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly mounts: readonly Mount[];
  readonly user: RunAs;
  readonly capabilities: { readonly add: readonly string[]; readonly drop: readonly string[] };
  readonly isPrivileged: boolean;
  readonly allowsPrivilegeEscalation: boolean;
  readonly isRootReadOnly: boolean;
  readonly limits: Limits;
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
  readonly tty: boolean;
  /** The container of the pod whose processes it is to see, as one that looks for what is wrong there. Undefined: its own alone. */
  readonly processesOf?: string;
  readonly termination: { readonly path: string; readonly isFromLog: boolean };
}

/** What is at `/`. */
export type ContainerRoot =
  /**
   * The machine's programs and libraries (`/usr`), to be read only; nothing else of it but `paths`: files and folders that the
   * program needs and that lie elsewhere, seen at the same place.
   */
  | { readonly is: 'programs'; readonly paths: readonly string[] }
  /** An unpacked image; what is written goes elsewhere and is gone with the container. */
  | { readonly is: 'image'; readonly path: string };

export interface Mount {
  readonly mountPath: string;
  readonly source: MountSource;
  /** Below the volume; followed without leaving it. */
  readonly subPath?: string;
  readonly isReadOnly: boolean;
}

export type MountSource =
  /** A volume of the pod, made by `writeVolume`. */
  | { readonly volume: string }
  /** A path of the node: below its own folder, but for those of the list that it was given. */
  | { readonly hostPath: string; readonly type: string };

/** Undefined: what the image says, else root. */
export interface RunAs {
  readonly uid?: number;
  readonly gid?: number;
  readonly groups: readonly number[];
}

/** Undefined: none. */
export interface Limits {
  readonly memoryBytes?: number;
  readonly cpuMilli?: number;
}
