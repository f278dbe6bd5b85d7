/** Control groups as they are on this machine; without any, nothing is held and nothing is counted. */
import { closeSync, constants, mkdirSync, openSync, readFileSync, write } from 'node:fs';
import { access, readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
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

/** What control groups are made by: their file system has rules that no other has. */
export interface GroupKernel {
  read(path: string): Promise<string>;
  /** Into a file that is there. */
  write(path: string, text: string): Promise<void>;
  /** With those above it, where they are missing. */
  makeFolder(path: string): Promise<void>;
  removeFolder(path: string): Promise<void>;
  folders(path: string): Promise<readonly string[]>;
  /** Rejects when this user may not. */
  mayWrite(folder: string): Promise<void>;
  kill(pid: number): void;
}

/** What is only looked up or made is done at once; what waits for other processors is waited for elsewhere. */
const machineKernel: GroupKernel = {
  read: async (path) => readFileSync(path, 'utf8'),
  async write(path, text) {
    const file = openSync(path, constants.O_WRONLY);
    try {
      await writeTo(file, text);
    } finally {
      closeSync(file);
    }
  },
  makeFolder: async (path) => void mkdirSync(path, { recursive: true }),
  removeFolder: (path) => rmdir(path),
  async folders(path) {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? entry.name : []));
  },
  mayWrite: (folder) => access(folder, constants.W_OK),
  kill: (pid) => void process.kill(pid, 'SIGKILL'),
};

const writeTo = promisify(write);

/** `name` is the node's own group; what lies in it belongs to nobody else. */
export async function openControlGroups(name: string, kernel: GroupKernel = machineKernel): Promise<ControlGroups> {
  const trees = await writableTrees(name, kernel);
  const within = (group: string): string => (group === '' ? name : `${name}/${group}`);
  const folders = (group: string): readonly string[] => (trees === undefined ? [] : groupFolders(trees, within(group)));
  const joinFiles = (group: string): readonly string[] => folders(group).map((folder) => join(folder, 'cgroup.procs'));
  return {
    trees,
    joinFiles,
    async create(group, limits) {
      if (trees === undefined) return;
      for (const folder of folders(group)) await makeGroup(folder, { isV2: trees.version === 2, top: name, kernel });
      for (const { path, value, isOptional } of limitFiles(trees, within(group), limits))
        await kernel.write(path, value).catch((error: unknown) => {
          if (isOptional !== true) throw error;
        });
    },
    async add(group, pid) {
      await Promise.all(
        joinFiles(group).map(async (path) => {
          try {
            await kernel.write(path, String(pid));
          } catch (error) {
            // It has ended meanwhile.
            if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
          }
        }),
      );
    },
    async isOutOfMemory(group) {
      const path = trees === undefined ? undefined : outOfMemoryFile(trees, within(group));
      return path !== undefined && isOutOfMemory(await kernel.read(path).catch(() => ''));
    },
    async usage(group) {
      const files = trees === undefined ? undefined : usageFiles(trees, within(group));
      if (files?.cpu === undefined) return undefined;
      const [cpu, memory, stat] = await Promise.all([files.cpu, files.memory, files.memoryStat].map(kernel.read));
      return { cpuNanoseconds: cpuNanosecondsOf(cpu ?? ''), memoryBytes: workingSetBytes(memory ?? '', stat ?? '') };
    },
    async pids(group) {
      const [path] = joinFiles(group);
      return path === undefined ? [] : pidsIn(await kernel.read(path).catch(() => ''));
    },
    async remove(group) {
      for (const folder of folders(group)) await removeTree(folder, kernel);
    },
    async clear() {
      for (const folder of folders('')) await removeTree(folder, kernel);
    },
  };
}

/** The first trees in which a group of ours can be made. */
async function writableTrees(name: string, kernel: GroupKernel): Promise<CgroupTrees | undefined> {
  const [mountinfo, own] = await Promise.all(['/proc/self/mountinfo', '/proc/self/cgroup'].map(kernel.read));
  for (const trees of candidateTrees({ mountinfo: mountinfo ?? '', own: own ?? '' }))
    if (await canUse(trees, name, kernel)) return trees;
  return undefined;
}

async function canUse(trees: CgroupTrees, name: string, kernel: GroupKernel): Promise<boolean> {
  try {
    for (const folder of new Set(Object.values(trees.folders))) {
      await kernel.mayWrite(folder);
      if (trees.version === 2) await enable(folder, kernel);
      await kernel.makeFolder(join(folder, name));
      // Groups of an earlier run may be in it; they are cleared later.
      await kernel.removeFolder(join(folder, name)).catch(() => undefined);
    }
    return true;
  } catch {
    return false;
  }
}

/** Version 2 gives a group only the controllers that the one above hands on. */
async function enable(folder: string, kernel: GroupKernel): Promise<void> {
  const wanted = controllers.map((each) => `+${each}`).join(' ');
  await kernel.write(join(folder, 'cgroup.subtree_control'), wanted);
}

interface Making {
  readonly isV2: boolean;
  /** The node's own group, from which on they are ours. */
  readonly top: string;
  readonly kernel: GroupKernel;
}

async function makeGroup(folder: string, { isV2, top, kernel }: Making): Promise<void> {
  if (!isV2) {
    await kernel.makeFolder(folder);
    return;
  }
  const from = folder.indexOf(top);
  const steps = folder.slice(from).split('/');
  for (let count = 1; count <= steps.length; count++) {
    const path = folder.slice(0, from) + steps.slice(0, count).join('/');
    await kernel.makeFolder(path);
    if (count < steps.length) await enable(path, kernel);
  }
}

/** A group goes when no process is in it: who is, is ended. */
async function removeTree(folder: string, kernel: GroupKernel): Promise<void> {
  for (const name of await kernel.folders(folder).catch(() => [])) await removeTree(join(folder, name), kernel);
  for (let attempt = 0; attempt < removeAttemptsMax; attempt++) {
    const error = await kernel.removeFolder(folder).then(
      () => undefined,
      (reason: NodeJS.ErrnoException) => reason,
    );
    if (error === undefined || error.code === 'ENOENT') return;
    await endAll(folder, kernel);
  }
}

/** The kernel lets go of a process some moments after it has ended. */
const removeAttemptsMax = 50;

async function endAll(folder: string, kernel: GroupKernel): Promise<void> {
  for (const pid of pidsIn(await kernel.read(join(folder, 'cgroup.procs')).catch(() => ''))) {
    try {
      // Zero is a process that lives in a namespace which cannot see ours.
      if (pid > 1) kernel.kill(pid);
    } catch {
      // It has ended by itself.
    }
  }
}

function pidsIn(text: string): readonly number[] {
  return text.split('\n').filter(Boolean).map(Number);
}
