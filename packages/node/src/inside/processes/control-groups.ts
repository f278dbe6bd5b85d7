/** Control groups as they are on this machine; without any, nothing is held and nothing is counted. */
import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type CgroupTrees,
  candidateTrees,
  controllers,
  cpuNanosecondsOf,
  type GroupLimits,
  groupFolders,
  isOutOfMemory,
  limitFiles,
  outOfMemoryFile,
  usageFiles,
  workingSetBytes,
} from '../../sandbox/cgroups.ts';

export interface ControlGroups {
  readonly trees: CgroupTrees | undefined;
  /** Names are `POD` and `POD/CONTAINER`, below the node's own. */
  create(group: string, limits: GroupLimits): Promise<void>;
  add(group: string, pid: number): Promise<void>;
  /** Files to write a process id to, for a command that joins by itself. */
  joinFiles(group: string): readonly string[];
  isOutOfMemory(group: string): Promise<boolean>;
  usage(group: string): Promise<GroupUsage | undefined>;
  pids(group: string): Promise<readonly number[]>;
  remove(group: string): Promise<void>;
  /** Of all that was ever made below the node's name. */
  clear(): Promise<void>;
}

export interface GroupUsage {
  readonly cpuNanoseconds: number;
  readonly memoryBytes: number;
}

/** `name` is the node's own group; what lies in it belongs to nobody else. */
export function openControlGroups(name: string): ControlGroups {
  const trees = writableTrees(name);
  const within = (group: string): string => (group === '' ? name : `${name}/${group}`);
  const folders = (group: string): readonly string[] => (trees === undefined ? [] : groupFolders(trees, within(group)));
  const joinFiles = (group: string): readonly string[] => folders(group).map((folder) => join(folder, 'cgroup.procs'));
  return {
    trees,
    joinFiles,
    async create(group, limits) {
      if (trees === undefined) return;
      for (const folder of folders(group)) await makeGroup(folder, { isV2: trees.version === 2, top: within('') });
      for (const { path, value, isOptional } of limitFiles(trees, within(group), limits))
        await writeFile(path, value).catch((error: unknown) => {
          if (isOptional !== true) throw error;
        });
    },
    async add(group, pid) {
      await Promise.all(
        joinFiles(group).map(async (path) => {
          try {
            await writeFile(path, String(pid));
          } catch (error) {
            // It has ended meanwhile.
            if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
          }
        }),
      );
    },
    async isOutOfMemory(group) {
      const path = trees === undefined ? undefined : outOfMemoryFile(trees, within(group));
      return path !== undefined && isOutOfMemory(await readFile(path, 'utf8').catch(() => ''));
    },
    async usage(group) {
      const files = trees === undefined ? undefined : usageFiles(trees, within(group));
      if (files?.cpu === undefined) return undefined;
      const [cpu, memory, stat] = await Promise.all(
        [files.cpu, files.memory, files.memoryStat].map((path) => readFile(path, 'utf8')),
      );
      return { cpuNanoseconds: cpuNanosecondsOf(cpu ?? ''), memoryBytes: workingSetBytes(memory ?? '', stat ?? '') };
    },
    async pids(group) {
      const [path] = joinFiles(group);
      const text = path === undefined ? '' : await readFile(path, 'utf8').catch(() => '');
      return text.split('\n').filter(Boolean).map(Number);
    },
    async remove(group) {
      for (const folder of folders(group)) await removeTree(folder);
    },
    async clear() {
      for (const folder of folders('')) await removeTree(folder);
    },
  };
}

/** The first trees in which a group of ours can be made. */
function writableTrees(name: string): CgroupTrees | undefined {
  const facts = {
    mountinfo: readFileSync('/proc/self/mountinfo', 'utf8'),
    own: readFileSync('/proc/self/cgroup', 'utf8'),
  };
  return candidateTrees(facts).find((trees) => canUse(trees, name));
}

function canUse(trees: CgroupTrees, name: string): boolean {
  try {
    for (const folder of new Set(Object.values(trees.folders))) {
      accessSync(folder, constants.W_OK);
      if (trees.version === 2) enable(folder);
      mkdirSync(join(folder, name), { recursive: true });
      rmdirIfEmpty(join(folder, name));
    }
    return true;
  } catch {
    return false;
  }
}

/** Version 2 gives a group only the controllers that the one above hands on. */
function enable(folder: string): void {
  const wanted = controllers.map((each) => `+${each}`).join(' ');
  writeFileSync(join(folder, 'cgroup.subtree_control'), wanted);
}

function rmdirIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Groups of an earlier run are in it; they are cleared later.
  }
}

async function makeGroup(
  folder: string,
  { isV2, top }: { readonly isV2: boolean; readonly top: string },
): Promise<void> {
  if (!isV2) {
    await mkdir(folder, { recursive: true });
    return;
  }
  const from = folder.indexOf(top);
  const steps = folder.slice(from).split('/');
  for (let count = 1; count <= steps.length; count++) {
    const path = folder.slice(0, from) + steps.slice(0, count).join('/');
    await mkdir(path, { recursive: true });
    if (count < steps.length) enable(path);
  }
}

/** A group goes when no process is in it: who is, is ended. */
async function removeTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(folder, entry.name));
  for (let attempt = 0; attempt < removeAttemptsMax; attempt++) {
    const error = await rmdir(folder).then(
      () => undefined,
      (reason: NodeJS.ErrnoException) => reason,
    );
    if (error === undefined || error.code === 'ENOENT') return;
    await endAll(folder);
  }
}

/** The kernel lets go of a process some moments after it has ended. */
const removeAttemptsMax = 50;

async function endAll(folder: string): Promise<void> {
  const pids = (await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
  for (const pid of pids.map(Number)) {
    try {
      // Zero is a process that lives in a namespace which cannot see ours.
      if (pid > 1) process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}
