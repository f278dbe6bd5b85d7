import { expect, test } from 'vitest';
import {
  type CgroupTrees,
  candidateTrees,
  cgroupLacks,
  cpuNanosecondsOf,
  groupFolders,
  isOutOfMemory,
  limitFiles,
  outOfMemoryFile,
  usageFiles,
  workingSetBytes,
} from './cgroups.ts';

const hybrid = [
  '30 25 0:26 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory',
  '31 25 0:27 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids',
  '32 25 0:28 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct',
  '33 25 0:29 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw',
].join('\n');
const unified = '30 25 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate';

const v1: CgroupTrees = {
  version: 1,
  folders: { memory: '/c/memory', cpu: '/c/cpu', cpuacct: '/c/cpu', pids: '/c/pids' },
};
const v2: CgroupTrees = { version: 2, folders: { memory: '/c', cpu: '/c', pids: '/c' } };
const limits = { memoryBytes: 64 << 20, cpuMilli: 250, processes: 100 };
const lines = (trees: CgroupTrees): readonly string[] =>
  limitFiles(trees, 'node/u1/app', limits).map(
    ({ path, value, isOptional }) => `${path}=${value}${isOptional ? '?' : ''}`,
  );

test('version 1 has a tree for each controller, and version 2 one beside one’s own group', () => {
  expect(candidateTrees({ mountinfo: hybrid, own: '4:memory:/\n0::/\n' })[0]).toEqual({
    version: 1,
    folders: {
      ...{ memory: '/sys/fs/cgroup/memory', pids: '/sys/fs/cgroup/pids' },
      ...{ cpu: '/sys/fs/cgroup/cpu,cpuacct', cpuacct: '/sys/fs/cgroup/cpu,cpuacct' },
    },
  });
  const own = '0::/user.slice/user-1000.slice/user@1000.service/app.slice/signalbox.service\n';
  expect(candidateTrees({ mountinfo: unified, own }).map(({ folders }) => folders.memory)).toEqual([
    '/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice',
    '/sys/fs/cgroup',
  ]);
  expect(candidateTrees({ mountinfo: '', own: '' })).toEqual([]);
});

test('limits are files', () => {
  expect(lines(v1)).toEqual([
    '/c/memory/node/u1/app/memory.limit_in_bytes=67108864',
    '/c/memory/node/u1/app/memory.memsw.limit_in_bytes=67108864?',
    '/c/cpu/node/u1/app/cpu.cfs_period_us=100000',
    '/c/cpu/node/u1/app/cpu.cfs_quota_us=25000',
    '/c/pids/node/u1/app/pids.max=100',
  ]);
  expect(lines(v2)).toEqual([
    '/c/node/u1/app/memory.max=67108864',
    '/c/node/u1/app/memory.swap.max=0?',
    '/c/node/u1/app/memory.oom.group=1?',
    '/c/node/u1/app/cpu.max=25000 100000',
    '/c/node/u1/app/pids.max=100',
  ]);
  expect(limitFiles(v2, 'g', {})).toEqual([]);
});

test('a group is a folder in each tree, once', () => {
  expect(groupFolders(v1, 'g')).toEqual(['/c/memory/g', '/c/cpu/g', '/c/pids/g']);
  expect(groupFolders(v2, 'g')).toEqual(['/c/g']);
});

test('the kernel says when it ended a process for its memory', () => {
  expect(outOfMemoryFile(v1, 'g')).toBe('/c/memory/g/memory.oom_control');
  expect(outOfMemoryFile(v2, 'g')).toBe('/c/g/memory.events');
  expect(isOutOfMemory('oom_kill_disable 0\nunder_oom 0\noom_kill 1\n')).toBe(true);
  expect(isOutOfMemory('low 0\nhigh 0\nmax 12\noom 1\noom_kill 0\n')).toBe(false);
});

test('usage leaves out what only caches files', () => {
  expect(usageFiles(v2, 'g')).toEqual({
    memory: '/c/g/memory.current',
    memoryStat: '/c/g/memory.stat',
    cpu: '/c/g/cpu.stat',
  });
  expect(usageFiles(v1, 'g')?.cpu).toBe('/c/cpu/g/cpuacct.usage');
  expect(cpuNanosecondsOf('12345\n')).toBe(12_345);
  expect(cpuNanosecondsOf('usage_usec 12\nuser_usec 10\n')).toBe(12_000);
  expect(workingSetBytes('1000\n', 'cache 5\ninactive_file 100\ntotal_inactive_file 300\n')).toBe(700);
  expect(workingSetBytes('1000\n', 'anon 5\ninactive_file 100\n')).toBe(900);
});

test('what cannot be held is said with the mend', () => {
  expect(cgroupLacks(v1)).toEqual([]);
  expect(cgroupLacks(undefined)).toEqual([expect.stringContaining('limits of memory, cpu, pids are not held')]);
  const byUser = cgroupLacks(undefined, { held: ['pids'] });
  expect(byUser).toEqual([expect.stringContaining('limits of memory, cpu are not held')]);
});
