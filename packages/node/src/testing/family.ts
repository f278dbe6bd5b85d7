import { execFileSync } from 'node:child_process';

/** All processes of the node of this folder, below the one that made its namespaces, which comes first. */
export function familyOf(folder: string): readonly number[] {
  const all = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8', maxBuffer: 64 << 20 })
    .split('\n')
    .map((line) => {
      const [, pid = '', parent = '', args = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      return { pid: Number(pid), parent: Number(parent), args };
    });
  const members = new Set(
    all.filter(({ args }) => args.startsWith('unshare ') && args.includes(folder)).map(({ pid }) => pid),
  );
  for (let size = 0; size !== members.size; ) {
    size = members.size;
    for (const { pid, parent } of all) if (members.has(parent)) members.add(pid);
  }
  return [...members];
}
