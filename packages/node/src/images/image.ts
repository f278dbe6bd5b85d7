import type { ContainerRoot } from '../protocol/launch.ts';

/** What of an image decides how a container of it runs, whether it was unpacked or stands for a program. */
export interface Image {
  /** What was found to run, for the container's status: `registry/name@sha256:…`, `program:///usr/bin/vmagent`. */
  readonly id: string;
  readonly root: ContainerRoot;
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** As images spell it: `1000`, `nobody`, `1000:2000`, `user:group`; empty is root. */
  readonly user: string;
  /** Empty: `/`. */
  readonly workingDir: string;
  readonly accounts: Accounts;
  /** What to run for commands of these names, in whatever folder the pod looks for them. */
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  /** A lower limit is taken for this one. */
  readonly cpuMilliLeast?: number;
  readonly memoryBytesLeast?: number;
}

/** Texts of `/etc/passwd` and `/etc/group`. */
export interface Accounts {
  readonly passwd: string;
  readonly group: string;
}
