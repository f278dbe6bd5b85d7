/**
 * Control groups hold a container's memory and CPU time, and a pod's number of processes. Version 2 has one tree; version 1 one for each
 * controller. Where a tree cannot be written there are no limits, which is said and not hidden.
 */
import { join } from 'node:path';
import type { Limits } from '../protocol/launch.ts';

export type Controller = 'memory' | 'cpu' | 'pids';

/** Where groups can be made: the folder of each controller. With version 2 it is one and the same. */
export interface CgroupTrees {
  readonly version: 1 | 2;
  readonly folders: Readonly<Partial<Record<Controller | 'cpuacct', string>>>;
}

export const controllers: readonly Controller[] = ['memory', 'cpu', 'pids'];

export interface CgroupFacts {
  /** `/proc/self/mountinfo` and `/proc/self/cgroup`. */
  readonly mountinfo: string;
  readonly own: string;
}

/** Folders worth trying, the best first; whoever asks looks whether they can be written. */
export function candidateTrees({ mountinfo, own }: CgroupFacts): readonly CgroupTrees[] {
  const mounts = mountsOf(mountinfo);
  const v1 = mounts.filter(({ type }) => type === 'cgroup');
  const folders = Object.fromEntries(
    [...controllers, 'cpuacct' as const].flatMap((name) => {
      const mount = v1.find(({ options }) => options.includes(name));
      return mount === undefined ? [] : [[name, mount.path]];
    }),
  );
  const unified = mounts.find(({ type }) => type === 'cgroup2');
  const ownPath = /^0::(.*)$/m.exec(own)?.[1] ?? '/';
  const v2 =
    unified === undefined
      ? []
      : // A user's own group is where systemd lets it make more; root may also begin at the top.
        [...new Set([join(unified.path, parentOf(ownPath)), unified.path])].map((path) => ({
          version: 2 as const,
          folders: { memory: path, cpu: path, pids: path },
        }));
  return folders['memory'] === undefined ? v2 : [{ version: 1, folders }, ...v2];
}

/** A group that holds processes cannot hold groups with limits: what is made stands beside one's own. */
function parentOf(path: string): string {
  const parent = path.slice(0, path.lastIndexOf('/'));
  return parent === '' ? '/' : parent;
}

interface CgroupMount {
  readonly path: string;
  readonly type: string;
  readonly options: readonly string[];
}

/** `36 35 98:0 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids` */
function mountsOf(mountinfo: string): readonly CgroupMount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const [type = '', , options = ''] = after.split(' ');
    const path = before.split(' ')[4] ?? '';
    return type.startsWith('cgroup') ? [{ path, type, options: options.split(',') }] : [];
  });
}

/** Of a container, or of a pod with all of its containers, whose processes are counted together. */
export interface GroupLimits extends Limits {
  readonly processes?: number;
}

export interface CgroupFile {
  readonly path: string;
  readonly value: string;
  /** Not every kernel has it. */
  readonly isOptional?: true;
}

/** The folders of one group: one for each tree. */
export function groupFolders({ folders }: CgroupTrees, group: string): readonly string[] {
  return [...new Set(Object.values(folders))].map((folder) => join(folder, group));
}

/** What is written to hold the limits. */
export function limitFiles(
  { version, folders }: CgroupTrees,
  group: string,
  limits: GroupLimits,
): readonly CgroupFile[] {
  const file = (controller: Controller, name: string, value: number | string): readonly CgroupFile[] => {
    const folder = folders[controller];
    return folder === undefined ? [] : [{ path: join(folder, group, name), value: String(value) }];
  };
  const optional = (files: readonly CgroupFile[]): readonly CgroupFile[] =>
    files.map((each) => ({ ...each, isOptional: true }));
  const { memoryBytes, cpuMilli, processes } = limits;
  const isV2 = version === 2;
  const quotaUs = cpuMilli === undefined ? undefined : Math.max(1_000, cpuMilli * (periodUs / 1_000));
  return [
    ...(memoryBytes === undefined
      ? []
      : isV2
        ? [
            ...file('memory', 'memory.max', memoryBytes),
            ...optional(file('memory', 'memory.swap.max', 0)),
            // One process too many ends the container, not a part of it.
            ...optional(file('memory', 'memory.oom.group', 1)),
          ]
        : [
            ...file('memory', 'memory.limit_in_bytes', memoryBytes),
            ...optional(file('memory', 'memory.memsw.limit_in_bytes', memoryBytes)),
          ]),
    ...(quotaUs === undefined
      ? []
      : isV2
        ? file('cpu', 'cpu.max', `${quotaUs} ${periodUs}`)
        : [...file('cpu', 'cpu.cfs_period_us', periodUs), ...file('cpu', 'cpu.cfs_quota_us', quotaUs)]),
    ...(processes === undefined ? [] : file('pids', 'pids.max', processes)),
  ];
}

const periodUs = 100_000;

/** Whether the kernel ended a process of the group because of its limit. */
export function outOfMemoryFile({ version, folders }: CgroupTrees, group: string): string | undefined {
  if (folders.memory === undefined) return undefined;
  return join(folders.memory, group, version === 2 ? 'memory.events' : 'memory.oom_control');
}

export function isOutOfMemory(text: string): boolean {
  return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0) > 0;
}

/** Where the use of memory and CPU time stands. */
export function usageFiles({ version, folders }: CgroupTrees, group: string): UsageFiles | undefined {
  const { memory, cpu, cpuacct } = folders;
  if (memory === undefined) return undefined;
  if (version === 2)
    return {
      memory: join(memory, group, 'memory.current'),
      memoryStat: join(memory, group, 'memory.stat'),
      cpu: cpu === undefined ? undefined : join(cpu, group, 'cpu.stat'),
    };
  return {
    memory: join(memory, group, 'memory.usage_in_bytes'),
    memoryStat: join(memory, group, 'memory.stat'),
    cpu: cpuacct === undefined ? undefined : join(cpuacct, group, 'cpuacct.usage'),
  };
}

export interface UsageFiles {
  readonly memory: string;
  readonly memoryStat: string;
  readonly cpu: string | undefined;
}

/** Version 2 says microseconds among other lines, version 1 nanoseconds alone. */
export function cpuNanosecondsOf(text: string): number {
  const microseconds = /^usage_usec (\d+)$/m.exec(text)?.[1];
  return microseconds === undefined ? Number(text.trim()) : Number(microseconds) * 1_000;
}

/** Without what only caches files and could be dropped at once. */
export function workingSetBytes(current: string, stat: string): number {
  const inactive = /^(?:total_inactive_file|inactive_file) (\d+)$/m;
  const total = /^total_inactive_file (\d+)$/m.exec(stat) ?? inactive.exec(stat);
  return Math.max(0, Number(current.trim()) - Number(total?.[1] ?? 0));
}

/** What is missing, each with the mend: for people. `held` are those that are held in another way. */
export function cgroupLacks(
  trees: CgroupTrees | undefined,
  { held = [] }: { readonly held?: readonly Controller[] } = {},
): readonly string[] {
  const missing = controllers.filter((name) => trees?.folders[name] === undefined && !held.includes(name));
  if (missing.length === 0) return [];
  return [
    `limits of ${missing.join(', ')} are not held: no control group of this machine can be written by this user; start as root, or in a systemd session with Delegate=yes`,
  ];
}
