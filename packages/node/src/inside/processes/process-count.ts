/**
 * How many processes a container may have where no control group counts them. Without root each container is a user namespace, and
 * the kernel counts the processes of a user for each namespace by itself: what is RLIMIT_NPROC elsewhere is a container's own here.
 */
import { readFileSync } from 'node:fs';
import type { PodPlace } from '../../protocol/inside.ts';
import type { CgroupTrees } from '../../sandbox/cgroups.ts';
import { runWell } from '../run.ts';

export interface Counting {
  readonly trees: CgroupTrees | undefined;
  readonly isRoot: boolean;
}

export function countsByUser({ trees, isRoot }: Counting): boolean {
  return !isRoot && trees?.folders.pids === undefined;
}

/** Undefined: control groups hold the pod, or nothing does. */
export function processLimit({ processesMax }: Pick<PodPlace, 'processesMax'>, counting: Counting): number | undefined {
  if (processesMax === undefined || !countsByUser(counting)) return undefined;
  return Math.min(processesMax, ownLimit());
}

/** Nobody gets more than who starts it has. */
function ownLimit(): number {
  const limit = /^Max processes\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
}

/** For `prlimit`. */
export function processLimitOption(limit: number): string {
  return `--nproc=${limit}:${limit}`;
}

/** Holds a process, and those that it starts from then on. */
export async function holdProcesses(pid: number, limit: number): Promise<void> {
  await runWell(['prlimit', '--pid', String(pid), processLimitOption(limit)]);
}
