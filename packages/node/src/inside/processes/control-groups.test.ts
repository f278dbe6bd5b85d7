/** Control groups of version 2, on a kernel that has its rules and nothing else. */
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { type ControlGroups, type GroupKernel, openControlGroups } from './control-groups.ts';

interface Group {
  /** What the group above hands on, and what this one does. */
  readonly has: ReadonlySet<string>;
  readonly handsOn: Set<string>;
  readonly values: Map<string, string>;
  readonly pids: Set<number>;
}

interface Kernel extends GroupKernel {
  readonly groups: Map<string, Group>;
  /** All that was written, in order. */
  readonly written: string[];
}

const all = ['memory', 'cpu', 'pids'];
const root = '/sys/fs/cgroup';
const scope = `${root}/user.slice/app.slice/shell.scope`;

const endedPid = 99;

const fault = (code: string): NodeJS.ErrnoException => Object.assign(new Error(code), { code });

interface Given {
  /** What is handed on as far as the user's own group. */
  readonly delegated?: readonly string[];
  readonly lacksFiles?: readonly string[];
  /** Folders that this user may write. */
  readonly mine?: string;
}

function createKernel({ delegated = all, lacksFiles = [], mine = root }: Given = {}): Kernel {
  const groups = new Map<string, Group>();
  const written: string[] = [];
  const groupAt = (path: string): Group => {
    const group = groups.get(path);
    if (group === undefined) throw fault('ENOENT');
    return group;
  };
  const make = (path: string): void => {
    if (groups.has(path)) return;
    if (path !== root) make(dirname(path));
    const has = path === root ? new Set(all) : new Set(groupAt(dirname(path)).handsOn);
    groups.set(path, { has, handsOn: new Set(), values: new Map(), pids: new Set() });
  };
  const isEmpty = (path: string): boolean =>
    groupAt(path).pids.size === 0 && ![...groups.keys()].some((each) => dirname(each) === path);
  const writers: Readonly<Record<string, (path: string, group: Group, text: string) => void>> = {
    'cgroup.subtree_control'(path, group, text) {
      const wanted = text.split(' ').map((each) => each.replace(/^\+/, ''));
      if (wanted.some((each) => !group.has.has(each))) throw fault('ENOENT');
      // Processes live in leaves only.
      if (path !== root && group.pids.size > 0) throw fault('EBUSY');
      for (const each of wanted) group.handsOn.add(each);
    },
    'cgroup.procs'(path, group, text) {
      if (path !== root && group.handsOn.size > 0) throw fault('EBUSY');
      if (Number(text) === endedPid) throw fault('ESRCH');
      for (const other of groups.values()) other.pids.delete(Number(text));
      group.pids.add(Number(text));
    },
  };
  for (const path of [root, dirname(dirname(scope)), dirname(scope)]) {
    make(path);
    for (const each of path === dirname(scope) ? [] : delegated) groupAt(path).handsOn.add(each);
  }
  make(scope);
  groupAt(scope).pids.add(7);
  return {
    groups,
    written,
    async read(path) {
      if (path === '/proc/self/mountinfo') return `30 25 0:26 / ${root} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n`;
      if (path === '/proc/self/cgroup') return `0::${scope.slice(root.length)}\n`;
      const group = groupAt(dirname(path));
      return path.endsWith('cgroup.procs')
        ? [...group.pids].map((pid) => `${pid}\n`).join('')
        : (group.values.get(path) ?? '');
    },
    async write(path, text) {
      const folder = dirname(path);
      const name = path.slice(folder.length + 1);
      const group = groupAt(folder);
      const [controller = ''] = name.split('.');
      if (writers[name] === undefined && (!group.has.has(controller) || lacksFiles.includes(name)))
        throw fault('ENOENT');
      writers[name]?.(folder, group, text);
      group.values.set(path, text);
      written.push(`${path.slice(dirname(scope).length + 1)} = ${text}`);
    },
    makeFolder: async (path) => make(path),
    async removeFolder(path) {
      if (!isEmpty(path)) throw fault('EBUSY');
      groups.delete(path);
    },
    folders: async (path) => {
      groupAt(path);
      return [...groups.keys()].filter((each) => dirname(each) === path).map((each) => each.slice(path.length + 1));
    },
    async mayWrite(folder) {
      if (!`${folder}/`.startsWith(`${mine}/`)) throw fault('EACCES');
    },
    kill(pid) {
      for (const { pids } of groups.values()) pids.delete(pid);
    },
  };
}

const mine = dirname(scope);
const limits = { memoryBytes: 64 << 20, cpuMilli: 250 };

async function pod(kernel: Kernel): Promise<ControlGroups> {
  const groups = await openControlGroups('box', kernel);
  await groups.create('u1', { processes: 100 });
  await groups.create('u1/app', limits);
  return groups;
}

test('controllers are handed on from group to group before what they limit is made, and processes live in leaves', async () => {
  const kernel = createKernel({ mine });
  const groups = await pod(kernel);
  expect(groups.trees).toMatchObject({ version: 2, folders: { memory: mine, cpu: mine, pids: mine } });
  await groups.add('u1/app', 42);
  const handsOn = 'cgroup.subtree_control = +memory +cpu +pids';
  expect(kernel.written).toEqual([
    handsOn,
    `box/${handsOn}`,
    'box/u1/pids.max = 100',
    `box/${handsOn}`,
    `box/u1/${handsOn}`,
    'box/u1/app/memory.max = 67108864',
    'box/u1/app/memory.swap.max = 0',
    'box/u1/app/memory.oom.group = 1',
    'box/u1/app/cpu.max = 25000 100000',
    'box/u1/app/cgroup.procs = 42',
  ]);
  expect(await groups.pids('u1/app')).toEqual([42]);
  expect(groups.joinFiles('u1/app')).toEqual([`${mine}/box/u1/app/cgroup.procs`]);
});

test('what not every kernel has is left out; what has to hold is not', async () => {
  const kernel = createKernel({ lacksFiles: ['memory.swap.max', 'memory.oom.group'] });
  await pod(kernel);
  expect(kernel.written.filter((line) => line.includes('/app/'))).toEqual([
    'box/u1/app/memory.max = 67108864',
    'box/u1/app/cpu.max = 25000 100000',
  ]);
  await expect(pod(createKernel({ lacksFiles: ['cpu.max'] }))).rejects.toThrow('ENOENT');
});

test('what is asked twice is done once, and what goes ends who is in it', async () => {
  const kernel = createKernel();
  const before = [...kernel.groups.keys()];
  const groups = await pod(kernel);
  await groups.add('u1/app', 42);
  await groups.create('u1/app', limits);
  await groups.create('u1/other', {});
  await groups.remove('u1');
  expect([...kernel.groups.keys()]).toEqual([...before, `${mine}/box`]);
  await groups.create('u2/app', {});
  await (await openControlGroups('box', kernel)).clear();
  expect([...kernel.groups.keys()]).toEqual(before);
  expect(kernel.groups.get(scope)?.pids).toEqual(new Set([7]));
});

test('a process that has ended meanwhile is nobody’s trouble, and its group tells why it ended', async () => {
  const kernel = createKernel();
  const groups = await pod(kernel);
  await groups.add('u1/app', endedPid);
  expect(await groups.pids('u1/app')).toEqual([]);
  expect(await groups.isOutOfMemory('u1/app')).toBe(false);
  const { values } = kernel.groups.get(`${mine}/box/u1/app`) ?? { values: new Map<string, string>() };
  values.set(`${mine}/box/u1/app/memory.events`, 'oom 1\noom_kill 1\n');
  values.set(`${mine}/box/u1/app/cpu.stat`, 'usage_usec 1500\n');
  values.set(`${mine}/box/u1/app/memory.current`, '4096\n');
  values.set(`${mine}/box/u1/app/memory.stat`, 'inactive_file 96\n');
  expect(await groups.isOutOfMemory('u1/app')).toBe(true);
  expect(await groups.usage('u1/app')).toEqual({ cpuNanoseconds: 1_500_000, memoryBytes: 4_000 });
});

test.each<[string, Given]>([
  ['nothing may be written', { mine: '/home' }],
  ['memory is not handed on', { delegated: ['cpu', 'pids'], mine }],
])('where %s there are no groups, and nothing is asked of them', async (_, given) => {
  const kernel = createKernel(given);
  const groups = await pod(kernel);
  expect(groups.trees).toBeUndefined();
  await groups.add('u1/app', 42);
  await groups.clear();
  expect(kernel.written).toEqual([]);
  expect(groups.joinFiles('u1/app')).toEqual([]);
  expect(await groups.usage('u1/app')).toBeUndefined();
});
